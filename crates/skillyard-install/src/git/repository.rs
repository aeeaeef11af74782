//! A remote repository of which only what is needed is here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::command::{Git, run};
use super::commit::{self, FetchedCommit};
use super::error::GitError;
use super::listing::{self, TreeEntry, TreeEntryKind};
use super::place::RemoteLocation;
use super::{archived, linked, objects, submodule, watch};
use crate::archive::{ArchiveMaterial, Expected};
use crate::fetch::http::Header;
use crate::material::{Material, MaterialError, SkillOffer, SkillOffers, linked_in, misspelled_in};
use crate::origin::{Origin, OriginKind};
use crate::reference::{Remote, Revision};
use crate::source_path::{is_below, last_part};
use crate::tags::Tags;
use crate::tree::{Tree, TreeError, TreeFile, TreeLimits};

/// What is asked of a repository.
#[derive(Debug, Clone)]
pub struct RepositoryRequest<'a> {
    /// Where it is.
    pub remote: &'a Remote,
    /// What proves who we are, to its host only.
    pub headers: &'a [Header],
    /// Which commit; without one, the newest of the default branch.
    pub revision: Option<&'a Revision>,
    /// The name that tags of the wanted skill may start with.
    pub tag_name: &'a str,
    /// How large a skill may be.
    pub limits: TreeLimits,
}

/// In which form skills are delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryForm {
    /// As they were committed.
    AsCommitted,
    /// As a forge packs them.
    Archived,
}

/// A commit of a repository, in a quarantine folder.
#[derive(Debug)]
pub struct Repository {
    git: Git,
    folder: PathBuf,
    limits: TreeLimits,
    origin: Origin,
    tags: Option<Tags>,
    form: DeliveryForm,
    entries: Vec<TreeEntry>,
    contents: HashMap<String, Vec<u8>>,
}

impl Repository {
    /// Fetches the commit that is wanted into `quarantine`, an empty folder.
    pub fn fetch(
        git: &Git,
        request: &RepositoryRequest<'_>,
        quarantine: &Path,
    ) -> Result<Self, GitError> {
        let folder = quarantine.join("git");
        let (mut place, mut git) = (RemoteLocation::of(request), git.clone());
        let FetchedCommit {
            commit,
            version,
            tags,
        } = loop {
            git = git.sending(&place.url, &place.headers);
            match commit::fetch(&git, &folder, request, &place) {
                Ok(found) => break found,
                Err(error) => place = place.after(&git, &folder, error)?,
            }
            // Another place gets an empty folder again.
            std::fs::remove_dir_all(&folder).map_err(GitError::Run)?;
        };
        let mut command = git.command(&folder);
        command.args(["ls-tree", "-r", "-z", "--full-tree", &commit]);
        let entries = listing::parse(&run(&mut command, "list the files")?)?;
        Ok(Self {
            git,
            folder,
            limits: request.limits,
            origin: Origin {
                kind: OriginKind::Git,
                url: request.remote.to_git(),
                commit: Some(commit),
                version,
            },
            tags,
            form: DeliveryForm::AsCommitted,
            entries,
            contents: HashMap::new(),
        })
    }

    /// Delivers skills as a forge packs them, which git stands in for.
    #[must_use]
    pub fn archived(mut self) -> Self {
        self.form = DeliveryForm::Archived;
        self
    }

    /// The tags that the commit was chosen among, where a range of versions was asked for.
    pub fn tags(&self) -> Option<&Tags> {
        self.tags.as_ref()
    }

    /// Makes the contents of these objects available, with at most one more fetch.
    fn require(&mut self, objects: &[String]) -> Result<(), GitError> {
        for attempt in 0..2 {
            let missing: Vec<&str> = objects
                .iter()
                .map(String::as_str)
                .filter(|object| !self.contents.contains_key(*object))
                .collect();
            if missing.is_empty() {
                return Ok(());
            }
            if attempt == 1 {
                self.fetch_objects(&missing)?;
            }
            let found = objects::read(&self.git, &self.folder, &missing, self.limits.bytes)?;
            self.contents.extend(found);
        }
        if objects
            .iter()
            .all(|object| self.contents.contains_key(object))
        {
            return Ok(());
        }
        Err(GitError::Answer("objects that it had promised"))
    }

    fn fetch_objects(&self, objects: &[&str]) -> Result<(), GitError> {
        let mut command = self.git.command(&self.folder);
        Git::allow_files(&mut command);
        command.args([
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--filter=blob:none",
            "--stdin",
            "origin",
        ]);
        let mut input = objects.join("\n").into_bytes();
        input.push(b'\n');
        let what = "fetch the files";
        match watch::fetch(
            &self.git,
            &mut command,
            input,
            what,
            &self.folder,
            watch::MAX_DOWNLOAD_BYTES,
        ) {
            Err(error) if commit::is_refused(&error) => {
                let commit = self.origin.commit.as_deref().unwrap_or_default();
                commit::fetch_with_all(&self.git, &self.folder, &self.origin.url, commit)
            }
            other => other,
        }
    }

    fn skill(&self, path: &str) -> Result<Vec<&TreeEntry>, GitError> {
        let entries: Vec<&TreeEntry> = self
            .entries
            .iter()
            .filter(|each| is_below(&each.path, path))
            .collect();
        if entries.len() > self.limits.files {
            return Err(TreeError::Files(self.limits.files).into());
        }
        for entry in &entries {
            let kind = match entry.kind {
                TreeEntryKind::Link => "a symbolic link",
                TreeEntryKind::Submodule => "a submodule",
                TreeEntryKind::Unreadable => return Err(TreeError::Name(entry.path.clone()).into()),
                TreeEntryKind::File | TreeEntryKind::Executable => continue,
            };
            return Err(GitError::NotAFile {
                path: entry.path.clone(),
                kind,
            });
        }
        Ok(entries)
    }

    /// Refuses a folder that a link stands for.
    fn refuse_link(&mut self, folder: &str) -> Result<(), GitError> {
        let Some(link) = linked::on_the_way(&self.entries, folder) else {
            return Ok(());
        };
        let link = link.clone();
        let to = self.leads(&link)?;
        Err(GitError::Link {
            folder: self.meant(folder)?,
            path: link.path,
            to,
        })
    }

    /// The folder that is meant with one behind links, if the repository has it.
    fn meant(&mut self, folder: &str) -> Result<Option<String>, GitError> {
        let mut meant = folder.to_owned();
        // Links can lead to each other, and back.
        for _ in 0..linked::MAX_LINKS {
            let Some(link) = linked::on_the_way(&self.entries, &meant).cloned() else {
                return Ok(linked::has(&self.entries, &meant).then_some(meant));
            };
            let to = self.leads(&link)?;
            match linked::behind(&link.path, &to, &meant) {
                Some(next) => meant = next,
                None => break,
            }
        }
        Ok(None)
    }

    /// Where a link says that it leads.
    fn leads(&mut self, link: &TreeEntry) -> Result<String, GitError> {
        self.require(std::slice::from_ref(&link.object))?;
        let to = self.contents.get(&link.object).map(Vec::as_slice);
        Ok(String::from_utf8_lossy(to.unwrap_or_default()).into_owned())
    }

    fn tree(&self, path: &str) -> Result<Tree, GitError> {
        let mut files = Vec::new();
        let mut bytes = 0;
        for entry in self.skill(path)? {
            let content = self.contents.get(&entry.object);
            let content = content.ok_or(GitError::Answer("the content of a file"))?;
            bytes += content.len() as u64;
            if bytes > self.limits.bytes {
                return Err(TreeError::Bytes(self.limits.bytes).into());
            }
            let below = entry.path.strip_prefix(path).unwrap_or(&entry.path);
            files.push(TreeFile {
                path: below.strip_prefix('/').unwrap_or(below).to_owned(),
                executable: entry.kind == TreeEntryKind::Executable,
                bytes: content.clone(),
            });
        }
        Ok(Tree::new(files)?)
    }

    fn load_all(&mut self, paths: &[String]) -> Result<Vec<Tree>, GitError> {
        let mut objects = Vec::new();
        for path in paths {
            objects.extend(self.skill(path)?.iter().map(|entry| entry.object.clone()));
        }
        self.require(&objects)?;
        paths.iter().map(|path| self.tree(path)).collect()
    }

    /// Skills as a forge packs them.
    fn load_archived(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        let says_how = |path: &String| archived::has_attributes(&self.entries, path);
        if !paths.iter().any(says_how) {
            return self.load_all(paths).map_err(MaterialError::new);
        }
        let mut trees = Vec::new();
        for (path, alone) in paths.iter().zip(paths.chunks(1)) {
            let packed = self.packed(path).map_err(MaterialError::new)?;
            let origin = self.origin.clone();
            let archive = ArchiveMaterial::open(&packed, Expected::Repository, origin, self.limits);
            trees.extend(archive.map_err(MaterialError::new)?.load(alone)?);
        }
        Ok(trees)
    }

    /// An archive of a folder. Git wants to see all of a commit for that, as a forge sends it.
    fn packed(&self, path: &str) -> Result<PathBuf, GitError> {
        let commit = self.origin.commit.as_deref().unwrap_or_default();
        let pack = || archived::pack(&self.git, &self.folder, commit, path);
        match pack() {
            Err(GitError::Failed { .. }) => {
                self.fetch_objects(&archived::objects(&self.entries))?;
                pack()
            }
            packed => packed,
        }
    }
}

impl Material for Repository {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn offers(&mut self, below: &str) -> Result<SkillOffers, MaterialError> {
        self.refuse_link(below).map_err(MaterialError::new)?;
        if let Some(entry) = submodule::around_folder(&self.entries, below) {
            return Err(MaterialError::new(GitError::Submodule(entry.path.clone())));
        }
        if !self
            .entries
            .iter()
            .any(|entry| is_below(&entry.path, below))
        {
            return Err(MaterialError::new(GitError::NoFolder {
                path: below.to_owned(),
                commit: self.origin.commit.clone().unwrap_or_default(),
            }));
        }
        let folders: Vec<(String, String)> = listing::skill_folders(&self.entries, below)
            .into_iter()
            .map(|(folder, entry)| (folder.to_owned(), entry.object.clone()))
            .collect();
        let objects: Vec<String> = folders.iter().map(|(_, object)| object.clone()).collect();
        self.require(&objects).map_err(MaterialError::new)?;
        let mut offers = SkillOffers::default();
        if folders.is_empty() {
            let files = self.entries.iter().filter(|entry| entry.kind.is_file());
            offers.declined = misspelled_in(files.map(|entry| entry.path.as_str()), below);
        }
        let links = self
            .entries
            .iter()
            .filter(|each| each.kind == TreeEntryKind::Link);
        let links = links.map(|entry| entry.path.as_str());
        let skills = folders.iter().map(|(folder, _)| folder.as_str()).collect();
        offers.declined.extend(linked_in(links, below, &skills));
        let submodules = submodule::declined(&self.entries, below, &skills);
        offers.declined.extend(submodules);
        let own_name = self
            .origin
            .url
            .trim_end_matches('/')
            .trim_end_matches(".git");
        for (folder, object) in &folders {
            let name = last_part(folder).or_else(|| last_part(own_name));
            let bytes = self.contents.get(object).map(Vec::as_slice);
            offers.add(SkillOffer::read_named(
                folder,
                name,
                bytes.unwrap_or_default(),
            ));
        }
        offers
            .declined
            .extend(listing::unreadable(&self.entries, below));
        offers.sort();
        Ok(offers)
    }

    fn expect(&mut self, paths: &[String]) {
        let skills = paths.iter().filter_map(|path| self.skill(path).ok());
        let objects = skills.flatten().map(|entry| entry.object.clone());
        let objects: Vec<String> = objects.collect();
        // What cannot be had is said when it is asked for.
        let _ = self.require(&objects);
    }

    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        match self.form {
            DeliveryForm::AsCommitted => self.load_all(paths).map_err(MaterialError::new),
            DeliveryForm::Archived => self.load_archived(paths),
        }
    }
}
