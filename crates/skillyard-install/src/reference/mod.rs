//! References: the one grammar for where a skill comes from.
//!
//! | written | read as |
//! |---|---|
//! | `./dir`, `../dir`, `/dir`, `~/dir`, `x.zip`, `x.tar.gz`, `x.skill` | [`Reference::Local`] |
//! | `name`, `name@1.2`, `name@^1`, `registry:name`, `alias:name@1` | [`Reference::Registry`] |
//! | `owner/repo/path@revision`, `github:…`, `gitlab:…`, `alias:owner/repo`, addresses of their pages | [`Reference::Hosted`] |
//! | `git+https://…`, `ssh://…`, `git@host:…`, `file:///…`, `….git`, all with `@revision#path` | [`Reference::Git`] |
//! | `https://….zip`, `.tar.gz`, … | [`Reference::Archive`] |
//! | `https://site`, `https://site#name` | [`Reference::WellKnown`] |
//!
//! A bare `a/b` is a repository of GitHub, never a folder; where a folder of that
//! name exists the reference is refused, because either guess could be the wrong code.
//! Displaying a reference gives a text that reads back as the same one, anywhere.

mod address;
mod error;
mod forge;
mod git;
mod requirement;
mod revision;
pub(crate) mod shown;
mod sub_path;
#[cfg(test)]
mod tests;
mod web;

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skillyard_format::SkillName;
use skillyard_format::nearest::nearest;

pub use address::{Address, Credentials, is_loopback};
pub use error::{PathProblem, ReferenceError};
pub use forge::{Host, Hosted};
pub use git::{GitReference, Remote};
pub use requirement::Requirement;
pub use revision::Revision;
pub use sub_path::SubPath;

use shown::{is_invisible, shown};

/// The longest reference, in bytes.
const MAX_LENGTH: usize = 2048;
/// What may stand before a colon without being configured.
const SCHEMES: [&str; 13] = [
    "github",
    "gh",
    "gitlab",
    "gl",
    "registry",
    "https",
    "http",
    "ssh",
    "git",
    "file",
    "git+https",
    "git+ssh",
    "git+file",
];

/// Where a skill, or a set of skills, comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Reference {
    /// A folder or archive on this machine.
    Local(Local),
    /// A name in a registry.
    Registry(RegistryReference),
    /// A repository on a forge.
    Hosted(Hosted),
    /// A repository of git.
    Git(GitReference),
    /// An archive on the network.
    Archive(Address),
    /// A site that lists its skills at a well-known place.
    WellKnown {
        /// The site, or a part of it.
        address: Address,
        /// One skill of the list; without one, all.
        skill: Option<SkillName>,
    },
}

/// A folder or archive on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Local {
    /// The path as it was written; `~/` is for the caller to replace.
    pub path: PathBuf,
    /// What the name says it is.
    pub kind: LocalKind,
}

/// What a path names, judged by the path alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// A folder.
    Folder,
    /// An archive.
    Archive(ArchiveKind),
}

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchiveKind {
    /// `.zip` and `.skill`.
    Zip,
    /// `.tar`.
    Tar,
    /// `.tar.gz` and `.tgz`.
    TarGz,
    /// `.tar.zst` and `.tzst`.
    TarZst,
}

impl ArchiveKind {
    /// The kind that the end of a path or name says.
    pub fn of(path: &str) -> Option<Self> {
        const ENDINGS: [(&str, ArchiveKind); 7] = [
            (".zip", ArchiveKind::Zip),
            (".skill", ArchiveKind::Zip),
            (".tar", ArchiveKind::Tar),
            (".tar.gz", ArchiveKind::TarGz),
            (".tgz", ArchiveKind::TarGz),
            (".tar.zst", ArchiveKind::TarZst),
            (".tzst", ArchiveKind::TarZst),
        ];
        let path = path.to_ascii_lowercase();
        let ending = ENDINGS.iter().find(|(ending, _)| path.ends_with(ending));
        ending.map(|(_, kind)| *kind)
    }
}

/// A name in a registry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistryReference {
    /// The registry; without one, the default.
    pub alias: Option<String>,
    /// The skill.
    pub name: SkillName,
    /// Which versions are wanted.
    pub requirement: Requirement,
}

/// A source named in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// What stands before the colon.
    pub name: String,
    /// What it is.
    pub kind: AliasKind,
    /// The host, with its port if that is not the usual one, by which addresses of its pages are known.
    pub host: Option<String>,
}

/// What a source named in the configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasKind {
    /// A registry.
    Registry,
    /// A forge that speaks as GitHub does.
    GitHub,
    /// A forge that speaks as GitLab does.
    GitLab,
}

/// Which aliases a reference may use.
#[derive(Debug, Clone, Copy)]
pub enum Aliases<'a> {
    /// Any, because the configuration is not at hand; they are checked when they are used.
    Any,
    /// These.
    Known(&'a [Alias]),
}

/// What must be known to read a reference as its writer meant it.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The sources of the configuration.
    pub aliases: Aliases<'a>,
    /// Whether a relative path exists where the reference was typed.
    pub exists: &'a dyn Fn(&str) -> bool,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            aliases: Aliases::Any,
            exists: &|_| false,
        }
    }
}

impl<'a> Context<'a> {
    fn known_aliases(&self) -> &'a [Alias] {
        match self.aliases {
            Aliases::Any => &[],
            Aliases::Known(aliases) => aliases,
        }
    }
}

impl Reference {
    /// Reads a reference.
    pub fn parse(text: &str, context: &Context<'_>) -> Result<Self, ReferenceError> {
        let text = text.trim();
        check(text)?;
        if is_path(text) {
            return local(text);
        }
        if let Some((scheme, _)) = text.split_once("://") {
            return address(scheme, text, context);
        }
        if let Some((transport, _)) = text.split_once("::") {
            return Err(ReferenceError::Transport {
                transport: format!("{}::", shown(transport)),
            });
        }
        for host in [
            "github.com/",
            "www.github.com/",
            "gitlab.com/",
            "www.gitlab.com/",
        ] {
            if text.starts_with(host) {
                return web::parse(&format!("https://{text}"), context);
            }
        }
        let place = &text[..text.find(['@', '#', '/']).unwrap_or(text.len())];
        if let Some((prefix, _)) = place.split_once(':') {
            return prefixed(prefix, &text[prefix.len() + 1..], text, context);
        }
        if text
            .split_once('@')
            .is_some_and(|(user, rest)| !user.contains('/') && rest.contains(':'))
            && let Some(reference) = GitReference::parse_scp(text)
        {
            return reference.map(Self::Git);
        }
        if ArchiveKind::of(text).is_some() {
            return local(text);
        }
        let place = &text[..text.find(['@', '#']).unwrap_or(text.len())];
        if !place.contains('/') {
            return registry(None, text);
        }
        let hosted = Hosted::parse(Host::GitHub, text)?;
        if (context.exists)(place) {
            return Err(ReferenceError::Ambiguous { text: shown(place) });
        }
        Ok(Self::Hosted(hosted))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(local) => local.path.display().fmt(f),
            Self::Registry(reference) => reference.fmt(f),
            Self::Hosted(hosted) => hosted.fmt(f),
            Self::Git(reference) => reference.fmt(f),
            Self::Archive(address)
            | Self::WellKnown {
                address,
                skill: None,
            } => address.fmt(f),
            Self::WellKnown {
                address,
                skill: Some(skill),
            } => write!(f, "{address}#{skill}"),
        }
    }
}

impl fmt::Display for RegistryReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(alias) = &self.alias {
            write!(f, "{alias}:")?;
        }
        self.name.fmt(f)?;
        match &self.requirement {
            Requirement::Latest => Ok(()),
            requirement @ Requirement::Range { .. } => write!(f, "@{requirement}"),
        }
    }
}

impl TryFrom<String> for Reference {
    type Error = ReferenceError;

    fn try_from(text: String) -> Result<Self, ReferenceError> {
        Self::parse(&text, &Context::default())
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> Self {
        reference.to_string()
    }
}

fn check(text: &str) -> Result<(), ReferenceError> {
    if text.is_empty() {
        return Err(ReferenceError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(ReferenceError::TooLong {
            length: text.len(),
            limit: MAX_LENGTH,
        });
    }
    match text.chars().find(|c| is_invisible(*c)) {
        Some(character) => Err(ReferenceError::Invisible {
            text: shown(text),
            character: format!("U+{:04X}", u32::from(character)),
        }),
        None => Ok(()),
    }
}

fn is_path(text: &str) -> bool {
    matches!(text, "." | ".." | "~")
        || ["./", "../", "/", "~/"]
            .iter()
            .any(|start| text.starts_with(start))
}

fn local(text: &str) -> Result<Reference, ReferenceError> {
    if let Some(reference) = GitReference::parse_path(text) {
        return reference.map(Reference::Git);
    }
    if text.starts_with('-') {
        return Err(ReferenceError::Path {
            path: shown(text),
            problem: PathProblem::Hyphen,
        });
    }
    let kind = ArchiveKind::of(text).map_or(LocalKind::Folder, LocalKind::Archive);
    Ok(Reference::Local(Local {
        path: PathBuf::from(text),
        kind,
    }))
}

fn address(scheme: &str, text: &str, context: &Context<'_>) -> Result<Reference, ReferenceError> {
    let lower = scheme.to_ascii_lowercase();
    let text = format!("{lower}{}", &text[scheme.len()..]);
    match lower.as_str() {
        "https" | "http" => web::parse(&text, context),
        "file" => file(&text),
        "ssh" | "git" => GitReference::parse_address(&text).map(Reference::Git),
        "git+https" | "git+http" | "git+ssh" | "git+file" => {
            GitReference::parse_address(&text["git+".len()..]).map(Reference::Git)
        }
        _ if scheme.contains("::") => Err(ReferenceError::Transport {
            transport: shown(&scheme[..scheme.find("::").unwrap_or_default() + 2]),
        }),
        _ => Err(unknown_scheme(scheme, context)),
    }
}

/// A file is a repository of git unless its name says archive.
fn file(text: &str) -> Result<Reference, ReferenceError> {
    let reference = GitReference::parse_address(text)?;
    let archive = match &reference.remote {
        Remote::Address(address) if reference.subdir.is_none() && reference.revision.is_none() => {
            address.url().to_file_path().ok()
        }
        _ => None,
    };
    match archive
        .as_ref()
        .and_then(|path| path.to_str())
        .map(|path| (path, ArchiveKind::of(path)))
    {
        Some((path, Some(_))) => {
            // What the address decodes to was not checked yet.
            check(path)?;
            local(path)
        }
        _ => Ok(Reference::Git(reference)),
    }
}

/// Reads `prefix:rest`.
fn prefixed(
    prefix: &str,
    rest: &str,
    text: &str,
    context: &Context<'_>,
) -> Result<Reference, ReferenceError> {
    let hosted = |host| Hosted::parse(host, rest).map(Reference::Hosted);
    match prefix {
        "github" | "gh" => return hosted(Host::GitHub),
        "gitlab" | "gl" => return hosted(Host::GitLab),
        "registry" => return registry(None, rest),
        _ => {}
    }
    let kind = match context.aliases {
        Aliases::Known(aliases) => aliases
            .iter()
            .find(|alias| alias.name == prefix)
            .map(|alias| Some(alias.kind)),
        Aliases::Any => (is_alias(prefix) && !rest.ends_with(".git")).then_some(None),
    };
    let Some(kind) = kind else {
        return match GitReference::parse_scp(text) {
            Some(reference) => reference.map(Reference::Git),
            None => Err(unknown_scheme(prefix, context)),
        };
    };
    let place = &rest[..rest.find(['@', '#']).unwrap_or(rest.len())];
    let form = |kind, form| ReferenceError::AliasForm {
        alias: prefix.to_owned(),
        kind,
        form,
    };
    match (kind, place.contains('/')) {
        (Some(AliasKind::Registry), true) => Err(form("a registry", "name")),
        (Some(AliasKind::GitHub | AliasKind::GitLab), false) => {
            Err(form("a forge", "owner/repository"))
        }
        (_, true) => hosted(Host::Alias(prefix.to_owned())),
        (_, false) => registry(Some(prefix), rest),
    }
}

fn registry(alias: Option<&str>, text: &str) -> Result<Reference, ReferenceError> {
    let (name, requirement) = match text.split_once('@') {
        Some((name, requirement)) if !name.is_empty() => (name, requirement.parse()?),
        _ => (text, Requirement::Latest),
    };
    Ok(Reference::Registry(RegistryReference {
        alias: alias.map(str::to_owned),
        name: parse_name(name)?,
        requirement,
    }))
}

/// Reads the name of a skill elsewhere, which must be ASCII: nobody can tell `а` from `a`.
fn parse_name(name: &str) -> Result<SkillName, ReferenceError> {
    if let Some(character) = name.chars().find(|c| !c.is_ascii()) {
        return Err(ReferenceError::NotAscii {
            text: shown(name),
            character: format!("`{character}` (U+{:04X})", u32::from(character)),
        });
    }
    SkillName::new(name).map_err(|problem| ReferenceError::Name {
        name: shown(name),
        problem,
    })
}

fn is_alias(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(plain)
        && text.len() <= 64
        && !SCHEMES.contains(&text)
}

fn unknown_scheme(scheme: &str, context: &Context<'_>) -> ReferenceError {
    let aliases = context
        .known_aliases()
        .iter()
        .map(|alias| alias.name.as_str());
    ReferenceError::UnknownScheme {
        nearest: nearest(scheme, SCHEMES.into_iter().chain(aliases)).map(str::to_owned),
        scheme: shown(scheme),
    }
}
