//! Sources on the network: forges, archives, sites and registries.

mod forge;
mod registry;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use secrecy::SecretString;
use skillyard_format::{QualifiedName, SkillName};
use skillyard_install::archive::{ArchiveMaterial, Expected};
use skillyard_install::fetch::http::{
    DownloadProgress, Header, Http, HttpError, HttpSettings, Retry,
};
use skillyard_install::fetch::registry::{IndexMode, VersionListing};
use skillyard_install::fetch::well_known::{Site, WellKnownError};
use skillyard_install::fetch::{Fetched, FetchedContent, Transfer, archive_url};
use skillyard_install::local::LocalFolder;
use skillyard_install::material::Material;
use skillyard_install::reference::{Address, Reference, ReferenceError, SCHEMES};
use skillyard_install::site::SiteMaterial;
use skillyard_install::tree::TreeLimits;
use url::Url;

pub(crate) use self::registry::age;
use super::alias;
use super::progress::Bars;
use crate::config::Config;
use crate::config::source::{SourceConfig, SourceKind};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::config_error::ConfigError;
use crate::error::install::InstallFailure;
use crate::install::resolved_reference::written;
use crate::printer::Printer;
use crate::text::sanitize::visible;

/// Who waits for longer wants to know why.
const LONG: Duration = Duration::from_secs(2);

/// What becomes of the headers that the user gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderPolicy {
    /// They are sent along: the user named that host.
    Sent,
    /// They are not: somebody else named it.
    Kept,
}

/// The way to the network, opened when it is first needed.
pub(crate) struct Web {
    config: Config,
    printer: Printer,
    http: Arc<Http>,
    progress: Arc<dyn DownloadProgress>,
    headers: Vec<Header>,
    limits: TreeLimits,
    /// Where the logs of registries are remembered.
    logs: PathBuf,
    /// Where what registries said is remembered.
    memory: PathBuf,
    mode: IndexMode,
    now: jiff::Timestamp,
    /// What registries said of skills, by alias and name.
    listings: Mutex<HashMap<(Option<String>, String), VersionListing>>,
    notes: Notes,
}

/// The way to the network, through the proxies that the environment names.
pub(crate) fn http(context: &Context) -> Http {
    let printer = context.printer.clone();
    Http::new(HttpSettings {
        retry: Retry {
            told: Arc::new(move |error, pause| tell_of_wait(&printer, error, pause)),
            ..Retry::default()
        },
        proxies: context.environment.proxies.clone(),
        ..HttpSettings::default()
    })
}

/// Says why it takes so long, where nobody could tell otherwise.
fn tell_of_wait(printer: &Printer, error: &HttpError, pause: Duration) {
    let told = if pause >= LONG {
        format!("{error}; trying again in {} s", pause.as_secs())
    } else if matches!(error, HttpError::Timeout { .. }) {
        format!("{error}; trying again")
    } else {
        return;
    };
    printer.note(&visible(&told));
}

impl Web {
    /// With the user's settings, and the headers that were given.
    pub(crate) fn new(context: &Context, headers: &[String]) -> Result<Self, CommandError> {
        let headers = headers
            .iter()
            .map(|header| Header::parse(&SecretString::from(header.clone())));
        let headers: Result<Vec<Header>, _> = headers.collect();
        let config = context.config()?;
        Ok(Self {
            limits: config.tree_limits(),
            config,
            printer: context.printer.clone(),
            http: Arc::new(http(context)),
            progress: Arc::new(Bars::new(&context.printer)),
            headers: headers.map_err(InstallFailure::from)?,
            logs: context.environment.registries_file(),
            memory: context.environment.skillyard_home.join("registries"),
            mode: IndexMode::Online,
            now: context.now(),
            listings: Mutex::default(),
            notes: Notes::default(),
        })
    }

    /// Asks nobody: what registries said before has to do.
    pub(crate) fn offline(mut self) -> Self {
        self.mode = IndexMode::Offline;
        self
    }

    /// Holds back what people are to be told until [`Self::tell_held`], while several ask at once.
    pub(crate) fn hold_notes(&self) {
        self.notes.hold();
    }

    /// Tells people once what should be looked into.
    pub(super) fn warn(&self, text: String) {
        self.notes.tell(&self.printer, WebNote::Warning(text));
    }

    /// Tells people what was held back.
    pub(crate) fn tell_held(&self) {
        self.notes.release(&self.printer);
    }

    /// How an archive of one skill comes.
    fn transfer<'a>(&'a self, folder: &'a Path) -> Transfer<'a> {
        Transfer {
            http: &self.http,
            folder,
            limit: self.limits.of_archive().archive_bytes,
            progress: &*self.progress,
        }
    }

    /// An archive at an address.
    pub(crate) fn archive(
        &self,
        address: &Address,
        alias: Option<&str>,
        given: HeaderPolicy,
        quarantine: &Path,
    ) -> Result<Box<dyn Material>, CommandError> {
        let headers = self.headers_for(alias, given)?;
        let fetched = archive_url::fetch(&self.transfer(quarantine), address, &headers);
        self.opened(fetched.map_err(InstallFailure::from)?)
    }

    /// The source of an alias.
    fn source(&self, alias: &str) -> Result<SourceConfig<'_>, CommandError> {
        let source = self.config.source(alias).map_err(setting)?;
        source.ok_or_else(|| {
            let mut known = self.config.aliases();
            known.extend(SCHEMES.map(str::to_owned));
            let alias = alias.to_owned();
            InstallFailure::NoSource { alias, known }.into()
        })
    }

    /// The registry of an alias, or the default one.
    fn registry_source(&self, alias: Option<&str>) -> Result<SourceConfig<'_>, CommandError> {
        let Some(alias) = alias else {
            let source = self.config.registry().map_err(setting)?;
            return source.ok_or_else(|| InstallFailure::NoRegistry.into());
        };
        let source = self.source(alias)?;
        if source.kind == SourceKind::Registry {
            return Ok(source);
        }
        let kind = source.kind.as_str();
        let alias = alias.to_owned();
        Err(InstallFailure::NotARegistry { alias, kind }.into())
    }

    /// What an alias logs in with, and the headers that the user gave if they are for this host.
    pub(crate) fn headers_for(
        &self,
        alias: Option<&str>,
        given: HeaderPolicy,
    ) -> Result<Vec<Header>, CommandError> {
        let mut headers = alias.map_or(Ok(Vec::new()), |alias| self.login(alias))?;
        if given == HeaderPolicy::Sent {
            headers.extend(self.headers.iter().cloned());
        }
        Ok(headers)
    }

    /// What an alias logs in with.
    pub(crate) fn login(&self, alias: &str) -> Result<Vec<Header>, CommandError> {
        headers_of(&self.source(alias)?)
    }

    /// What was fetched, ready to be looked into.
    fn opened(&self, fetched: Fetched) -> Result<Box<dyn Material>, CommandError> {
        let origin = fetched.origin;
        Ok(match &fetched.content {
            FetchedContent::Folder { path } => {
                Box::new(LocalFolder::from_elsewhere(path, origin, self.limits))
            }
            FetchedContent::Archive { file, shape, .. } => {
                let expected = Expected::from(shape);
                let archive = ArchiveMaterial::open(file, expected, origin, self.limits);
                Box::new(archive.map_err(InstallFailure::from)?)
            }
        })
    }

    /// What a name stands for behind an alias that is no registry: where to look, and for which
    /// skill where the place does not say.
    pub(crate) fn meaning(
        &self,
        alias: &str,
        name: &QualifiedName,
    ) -> Result<Option<(Reference, Option<String>)>, CommandError> {
        let source = self.source(alias)?;
        if name.namespace().is_some() && source.kind != SourceKind::Registry {
            return Err(InstallFailure::NoNamespaces {
                alias: alias.to_owned(),
                name: name.to_string(),
            }
            .into());
        }
        let base = source.url.trim_end_matches('/');
        Ok(match source.kind {
            SourceKind::WellKnown => Some((written(&format!("{base}#{name}"))?, None)),
            SourceKind::Archive => Some((written(&format!("{base}/{name}.zip"))?, None)),
            SourceKind::Registry => None,
            SourceKind::Git | SourceKind::Github | SourceKind::Gitlab => {
                let repository = alias::repository(alias, &source)?;
                let whole = repository.ok_or_else(|| {
                    InstallFailure::Reference(ReferenceError::AliasForm {
                        alias: alias.to_owned(),
                        kind: "a forge",
                        form: "owner/repository",
                    })
                })?;
                Some((whole, Some(name.to_string())))
            }
        })
    }
}

fn parsed(url: &str) -> Result<Url, CommandError> {
    Ok(Url::parse(url).map_err(|_| InstallFailure::Address(url.to_owned()))?)
}

/// The header that a token became, if there is one.
fn proof(token: Option<Result<Header, HttpError>>) -> Result<Vec<Header>, CommandError> {
    let header = token.transpose().map_err(InstallFailure::from)?;
    Ok(header.into_iter().collect())
}

fn setting(error: ConfigError) -> CommandError {
    CommandError::Configuration(vec![error])
}

/// The header that logs in at a source, if it has one.
fn headers_of(source: &SourceConfig<'_>) -> Result<Vec<Header>, CommandError> {
    let header = source.auth_header().map_err(setting)?;
    let header = header
        .map(|(name, value)| Header::new(&name, &SecretString::from(value.expose().to_owned())));
    proof(header)
}

/// A line for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum WebNote {
    /// About how it is.
    Plain(String),
    /// About what should be looked into.
    Warning(String),
}

/// What was told, and what waits until all have answered.
#[derive(Debug, Default)]
struct Notes(Mutex<NoteState>);

#[derive(Debug, Default)]
struct NoteState {
    told: HashSet<WebNote>,
    /// Nothing where it is told at once.
    held: Option<Vec<WebNote>>,
}

impl Notes {
    /// Says something, but not each time that it comes up.
    fn tell(&self, printer: &Printer, note: WebNote) {
        let mut state = self.0.lock();
        if state.told.insert(note.clone()) {
            match &mut state.held {
                Some(held) => held.push(note),
                None => note.tell(printer),
            }
        }
    }

    /// Holds back what is to be said until [`Self::release`].
    fn hold(&self) {
        let mut state = self.0.lock();
        state.held = Some(Vec::new());
    }

    /// Says what was held back.
    fn release(&self, printer: &Printer) {
        let mut state = self.0.lock();
        let mut held = state.held.take().unwrap_or_default();
        held.sort_unstable();
        for note in held {
            note.tell(printer);
        }
    }
}

impl WebNote {
    fn tell(&self, printer: &Printer) {
        match self {
            Self::Plain(text) => printer.note(&visible(text)),
            Self::Warning(text) => printer.warn(text),
        }
    }
}

impl Web {
    /// The skills that a site lists; where it lists none for a part of it, and none is named, the
    /// archive that is there.
    pub(crate) fn site(
        &self,
        address: &Address,
        skill: Option<&SkillName>,
        (alias, given): (Option<&str>, HeaderPolicy),
        quarantine: &Path,
    ) -> Result<Box<dyn Material>, CommandError> {
        let headers = self.headers_for(alias, given)?;
        let site = Site {
            address: address.clone(),
            headers: headers.clone(),
            trusted_hosts: Vec::new(),
        };
        let (http, progress) = (Arc::clone(&self.http), Arc::clone(&self.progress));
        match SiteMaterial::open(site, http, progress, quarantine.to_owned(), self.limits) {
            Ok(site) => Ok(Box::new(site)),
            Err(error)
                if address.url().path() != "/" && skill.is_none() && may_be_elsewhere(&error) =>
            {
                self.unlisted(address, &headers, quarantine, error)
            }
            Err(error) => Err(InstallFailure::from(error).into()),
        }
    }

    /// What is at an address that no list was found for.
    fn unlisted(
        &self,
        address: &Address,
        headers: &[Header],
        quarantine: &Path,
        unlisted: WellKnownError,
    ) -> Result<Box<dyn Material>, CommandError> {
        let found = match archive_url::fetch_unnamed(&self.transfer(quarantine), address, headers) {
            Ok(Some(fetched)) => return self.opened(fetched),
            Ok(None) => "is no archive".to_owned(),
            Err(error) => match error.status() {
                Some(status @ (404 | 410)) => format!("answered {status}"),
                _ => return Err(InstallFailure::from(error).into()),
            },
        };
        let error = match unlisted {
            WellKnownError::NoIndex { tried } => WellKnownError::Nothing {
                url: address.to_string(),
                found,
                tried,
            },
            error => error,
        };
        Err(InstallFailure::from(error).into())
    }
}

/// Whether a site said no more than that it does not give out a list: some say 403 of whatever
/// they do not have.
fn may_be_elsewhere(error: &WellKnownError) -> bool {
    match error {
        WellKnownError::NoIndex { .. } => true,
        WellKnownError::Http(HttpError::Status { status, .. }) => (400..500).contains(status),
        _ => false,
    }
}
