//! Telling the forms of references apart.

use std::path::PathBuf;

use skillyard_format::text::nearest;

use super::error::{PathProblem, ReferenceError};
use super::shown::{is_invisible, shown};
use super::{
    AliasKind, Aliases, ArchiveKind, GitReference, Host, Hosted, LocalKind, LocalReference,
    Reference, ReferenceContext, RegistryReference, Remote, git, web,
};

/// The longest reference, in bytes.
const MAX_LENGTH: usize = 2048;
/// What may stand before a colon without being configured.
pub const SCHEMES: [&str; 13] = [
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

impl Reference {
    /// Whether a reference is a folder or an archive of this machine.
    pub fn is_local(text: &str) -> bool {
        let reference = Self::parse(text, &ReferenceContext::default());
        matches!(reference, Ok(Self::Local(_)))
    }

    /// Reads a reference.
    pub fn parse(text: &str, context: &ReferenceContext<'_>) -> Result<Self, ReferenceError> {
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
        // Nothing else begins so: `@owner/name` is a name in a registry.
        if text.starts_with('@') {
            return registry(None, text);
        }
        if let Some(reference) = GitReference::parse_scp(text) {
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
    Ok(Reference::Local(LocalReference {
        path: PathBuf::from(text),
        kind,
    }))
}

fn address(
    scheme: &str,
    text: &str,
    context: &ReferenceContext<'_>,
) -> Result<Reference, ReferenceError> {
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
    context: &ReferenceContext<'_>,
) -> Result<Reference, ReferenceError> {
    let hosted = |host| Hosted::parse(host, rest).map(Reference::Hosted);
    match prefix {
        "github" | "gh" => return hosted(Host::GitHub),
        "gitlab" | "gl" => return hosted(Host::GitLab),
        "registry" => return registry(None, rest),
        _ => {}
    }
    let place = &rest[..rest.find(['@', '#']).unwrap_or(rest.len())];
    let kind = match context.aliases {
        Aliases::Known(aliases) => aliases
            .iter()
            .find(|alias| alias.name == prefix)
            .map(|alias| Some(alias.kind)),
        Aliases::Any => is_alias(prefix).then_some(None),
    };
    let Some(kind) = kind else {
        return Err(if SCHEMES.contains(&prefix) {
            ReferenceError::Address {
                text: shown(text),
                problem: format!("`{prefix}:` is followed by two slashes"),
            }
        } else if git::names_repository(place) {
            ReferenceError::Address {
                text: shown(text),
                problem: format!("a repository over ssh is written `git@{}`", shown(text)),
            }
        } else {
            unknown_scheme(prefix, context)
        });
    };
    let form = |kind, form| ReferenceError::AliasForm {
        alias: prefix.to_owned(),
        kind,
        form,
    };
    match (kind, place.contains('/')) {
        (Some(AliasKind::Registry), true) => Err(form("a registry", "name` or `@namespace/name")),
        (Some(AliasKind::GitHub | AliasKind::GitLab), false) => {
            Err(form("a forge", "owner/repository"))
        }
        (_, true) => hosted(Host::Alias(prefix.to_owned())),
        (_, false) => registry(Some(prefix), rest),
    }
}

fn registry(alias: Option<&str>, text: &str) -> Result<Reference, ReferenceError> {
    RegistryReference::parse(alias, text).map(Reference::Registry)
}

fn is_alias(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(plain)
        && text.len() <= 64
        && !SCHEMES.contains(&text)
}

fn unknown_scheme(scheme: &str, context: &ReferenceContext<'_>) -> ReferenceError {
    let aliases = context
        .known_aliases()
        .iter()
        .map(|alias| alias.name.as_str());
    ReferenceError::UnknownScheme {
        nearest: nearest(scheme, SCHEMES.into_iter().chain(aliases)).map(str::to_owned),
        scheme: shown(scheme),
    }
}
