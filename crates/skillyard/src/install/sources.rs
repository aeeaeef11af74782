//! Sources of skills, each opened once and closed together.

mod together;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use parking_lot::Mutex;
use skillyard_install::archive::{ArchiveMaterial, Expected};
use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::fetch::http::{Header, HttpError};
use skillyard_install::git::{Git, GitError, Repository, RepositoryRequest};
use skillyard_install::local::LocalFolder;
use skillyard_install::material::{Material, MaterialError};
use skillyard_install::origin::{self, OriginKind};
use skillyard_install::reference::{
    Address, GitReference, Hosted, LocalReference, Reference, RegistryReference, Remote, Revision,
};
use skillyard_install::staging::Staging;
use skillyard_install::store::Store;
use skillyard_install::stored::StoredSkill;
use skillyard_install::tree::{Ignored, TreeError};
use skillyard_install::unfinished::UnfinishedFolder;
use url::Origin;

use super::web::Web;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::open_source::OpenSource;
use crate::install::resolved_reference;
use crate::install::resolved_reference::ResolvedReference;
use crate::install::web::HeaderPolicy;

/// How far a source may be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceReach {
    /// On the network, too.
    Everywhere,
    /// On this machine.
    Here,
}

/// Sources that were opened.
pub(super) struct Sources<'a> {
    context: &'a Context,
    store: &'a Store,
    /// By what is fetched; several where a range means several states.
    opened: HashMap<String, Vec<OpenSource>>,
    headers: Vec<String>,
    /// The hosts that get these headers.
    hosts: Vec<Origin>,
    reach: SourceReach,
    web: OnceLock<Web>,
    /// Those that could not be opened when all were, for the first who asks.
    failed: HashMap<(String, String), CommandError>,
    /// What git said that it ignores in folders, before they were opened.
    ignored: HashMap<PathBuf, Ignored>,
    /// Folders that go when this goes, or the process.
    quarantines: Mutex<Vec<(Staging, UnfinishedFolder)>>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(context: &'a Context, store: &'a Store) -> Self {
        Self {
            context,
            store,
            opened: HashMap::new(),
            headers: Vec::new(),
            hosts: Vec::new(),
            reach: SourceReach::Everywhere,
            web: OnceLock::new(),
            failed: HashMap::new(),
            ignored: HashMap::new(),
            quarantines: Mutex::default(),
        }
    }

    /// Sends these headers to certain hosts.
    pub(super) fn send(&mut self, headers: &[String]) {
        headers.clone_into(&mut self.headers);
    }

    /// Whether the user gave any headers.
    pub(super) fn has_headers(&self) -> bool {
        !self.headers.is_empty()
    }

    /// Adds to the hosts that the headers are sent to.
    pub(super) fn send_to(&mut self, host: Origin) {
        self.hosts.push(host);
    }

    /// Asks git at once what it ignores in folders that will be opened.
    pub(super) fn ask_git(&mut self, folders: Vec<PathBuf>) {
        let answers = self.context.ignoring().around(&folders);
        self.ignored.extend(folders.into_iter().zip(answers));
    }

    /// Fetches nothing from now on.
    pub(super) fn stay_here(&mut self) {
        self.reach = SourceReach::Here;
    }

    /// The source that a reference stands for.
    pub(super) fn open(
        &mut self,
        meaning: &ResolvedReference,
    ) -> Result<&mut Box<dyn Material>, CommandError> {
        let at = self.position(meaning)?;
        let opened = self.opened.get_mut(&at.0);
        match opened.and_then(|opened| opened.get_mut(at.1)) {
            Some(opened) => Ok(&mut opened.material),
            None => Err(InstallFailure::NothingOffered(at.0).into()),
        }
    }

    /// Where the source that a reference stands for is among those that were opened.
    pub(super) fn position(
        &mut self,
        meaning: &ResolvedReference,
    ) -> Result<(String, usize), CommandError> {
        let key = meaning.source().map_err(InstallFailure::from)?;
        let opened = self.opened.get(&key).map_or(&[][..], Vec::as_slice);
        if let Some(at) = opened.iter().position(|each| each.is_for(meaning)) {
            return Ok((key, at));
        }
        let failed = self
            .failed
            .remove(&(key.clone(), meaning.tag_name().to_owned()));
        let fetched = failed.map_or_else(|| self.fetch(meaning), Err)?;
        let opened = self.opened.entry(key.clone()).or_default();
        opened.push(fetched);
        Ok((key, opened.len() - 1))
    }

    fn fetch(&self, meaning: &ResolvedReference) -> Result<OpenSource, CommandError> {
        let alias = meaning.alias.as_deref();
        let material = match &meaning.reference {
            Reference::Local(local) => self.local(local),
            Reference::Registry(registry) if self.reach == SourceReach::Here => self.kept(registry),
            other if self.reach == SourceReach::Here && !is_local_git(other) => {
                Err(InstallFailure::Offline(other.to_string()).into())
            }
            Reference::Git(reference) => {
                let repository = self.repository(reference, meaning.tag_name(), alias)?;
                return Ok(repository.into());
            }
            Reference::Hosted(hosted) => return self.hosted(hosted, meaning.tag_name()),
            Reference::Archive(address) => {
                let quarantine = self.quarantine()?;
                let given = self.given_for(address);
                self.web()?.archive(address, alias, given, &quarantine)
            }
            Reference::WellKnown { address, skill } => {
                let quarantine = self.quarantine()?;
                let login = (alias, self.given_for(address));
                self.web()?
                    .site(address, skill.as_ref(), login, &quarantine)
            }
            Reference::Registry(registry) => {
                let quarantine = self.quarantine()?;
                self.web()?.registry(registry, &quarantine)
            }
        };
        material.map(OpenSource::from)
    }

    /// Whether an address gets the headers that the user gave.
    fn given_for(&self, address: &Address) -> HeaderPolicy {
        if self.hosts.contains(&address.url().origin()) {
            HeaderPolicy::Sent
        } else {
            HeaderPolicy::Kept
        }
    }

    /// The source of the configuration that a reference leads into, whose login it then has.
    pub(super) fn around(&self, reference: &Reference) -> Result<Option<String>, CommandError> {
        let (Reference::Archive(address)
        | Reference::WellKnown { address, .. }
        | Reference::Git(GitReference {
            remote: Remote::Address(address),
            ..
        })) = reference
        else {
            return Ok(None);
        };
        if address.credentials().is_some() {
            return Ok(None);
        }
        Ok(self.context.config()?.source_around(address.url()))
    }

    /// A version of a registry that is in the store already.
    fn kept(&self, reference: &RegistryReference) -> Result<Box<dyn Material>, CommandError> {
        let store = self.store;
        let chosen = self.web()?.choose(reference)?;
        let missing = || {
            let version = &chosen.version;
            InstallFailure::Offline(format!("{}@{}", version.name, version.version))
        };
        let digest = chosen.version.tree.ok_or_else(missing)?;
        let tree = store.read(digest).map_err(|_| missing())?;
        let mut skill = StoredSkill::new(tree, Web::origin(&chosen));
        chosen.check_name(reference, &mut skill)?;
        Ok(Box::new(skill))
    }

    fn repository(
        &self,
        reference: &GitReference,
        tag_name: &str,
        alias: Option<&str>,
    ) -> Result<Repository, CommandError> {
        let headers = self.headers_for_git(&reference.remote, alias)?;
        let request = RepositoryRequest {
            remote: &reference.remote,
            headers: &headers,
            revision: reference.revision.as_ref(),
            tag_name,
            limits: self.context.config()?.tree_limits(),
        };
        let git = self.git()?;
        self.warn_of_the_way(reference)?;
        let quarantine = self.quarantine()?;
        let repository = Repository::fetch(&git, &request, &quarantine);
        Ok(repository.map_err(InstallFailure::from)?)
    }

    /// Says where nothing keeps strangers from changing what comes. A whole commit id proves what it is.
    fn warn_of_the_way(&self, reference: &GitReference) -> Result<(), CommandError> {
        let proves = reference
            .revision
            .as_ref()
            .is_some_and(Revision::is_full_commit);
        if reference.remote.is_open() && !proves {
            self.web()?.warn(format!(
                "`{}` is not encrypted: whoever is on the way can change what comes, and nobody would notice; \
                 use https or ssh, or name a commit by all its digits",
                reference.remote.to_git()
            ));
        }
        Ok(())
    }

    /// What git sends along, where it must not be readable by others.
    fn headers_for_git(
        &self,
        remote: &Remote,
        alias: Option<&str>,
    ) -> Result<Vec<Header>, CommandError> {
        let given = match remote {
            Remote::Address(address) => self.given_for(address),
            Remote::Scp { .. } | Remote::Path(_) => HeaderPolicy::Kept,
        };
        let headers = if alias.is_none() && given == HeaderPolicy::Kept {
            Vec::new()
        } else {
            self.web()?.headers_for(alias, given)?
        };
        let has_secrets = !headers.is_empty() || remote.credentials().is_some();
        match remote {
            Remote::Address(address) if has_secrets && !address.is_private() => {
                let url = address.to_string();
                Err(InstallFailure::Http(HttpError::PlainHttp { url }).into())
            }
            _ => Ok(headers),
        }
    }

    /// A repository on a forge; one that the forge does not show us may be open to git, which
    /// knows the user's keys.
    fn hosted(&self, hosted: &Hosted, tag_name: &str) -> Result<OpenSource, CommandError> {
        let quarantine = self.quarantine()?;
        let web = self.web()?;
        let error = match web.hosted(hosted, tag_name, &quarantine) {
            Err(CommandError::Install(InstallFailure::Forge(
                error @ ForgeError::NotFound { .. },
            ))) => error,
            other => return other,
        };
        if let Some(reference) = self.by_git(hosted)?
            && let Ok(repository) = self.repository(&reference, tag_name, None)
        {
            return Ok(repository.archived().into());
        }
        Err(InstallFailure::Forge(error).into())
    }

    /// What git knows a repository on a forge by.
    pub(super) fn by_git(&self, hosted: &Hosted) -> Result<Option<GitReference>, CommandError> {
        let address = self.web()?.web_address(&hosted.host)?;
        let address = format!("git+{address}/{}/{}.git", hosted.owner, hosted.repository);
        let Reference::Git(mut reference) = resolved_reference::written(&address)? else {
            return Ok(None);
        };
        reference.revision.clone_from(&hosted.revision);
        reference.subdir.clone_from(&hosted.path);
        Ok(Some(reference))
    }

    /// The way to the network.
    pub(super) fn web(&self) -> Result<&Web, CommandError> {
        if let Some(web) = self.web.get() {
            return Ok(web);
        }
        let web = Web::new(self.context, &self.headers)?;
        let web = match self.reach {
            SourceReach::Everywhere => web,
            SourceReach::Here => web.offline(),
        };
        Ok(self.web.get_or_init(|| web))
    }

    fn git(&self) -> Result<Git, CommandError> {
        let git = self.context.git().ok_or(GitError::Missing);
        let git = git.map_err(InstallFailure::from)?;
        Ok(git.ending_with(self.context.printer.heard().unfinished()))
    }

    /// A folder or an archive of this machine.
    fn local(&self, local: &LocalReference) -> Result<Box<dyn Material>, CommandError> {
        let limits = self.context.config()?.tree_limits();
        if let Err(source) = local.path.metadata() {
            let path = local.path.clone();
            return Err(match source.kind() {
                io::ErrorKind::PermissionDenied => {
                    let closed = MaterialError::new(TreeError::Read { path, source });
                    InstallFailure::from(closed).into()
                }
                _ => CommandError::NoSuchPath(path),
            });
        }
        if local.path.is_dir() {
            let told = self.ignored.get(&local.path).cloned();
            let folder = LocalFolder::new(&local.path, limits).told(told);
            return Ok(Box::new(folder.heeding(self.context.ignoring())));
        }
        let origin = origin::Origin {
            kind: OriginKind::LocalArchive,
            url: local.path.display().to_string(),
            commit: None,
            version: None,
        };
        let archive = ArchiveMaterial::open(&local.path, Expected::Skill, origin, limits);
        Ok(Box::new(archive.map_err(InstallFailure::from)?))
    }

    /// A fresh folder outside every folder of skills.
    fn quarantine(&self) -> Result<PathBuf, CommandError> {
        let folder = self.store.staging().map_err(InstallFailure::from)?;
        let path = folder.path().to_owned();
        let noted = self.context.printer.heard().unfinished().folder(&path);
        self.quarantines.lock().push((folder, noted));
        Ok(path)
    }
}

/// A repository of git on this machine.
fn is_local_git(reference: &Reference) -> bool {
    matches!(reference, Reference::Git(reference) if reference.remote.is_local())
}
