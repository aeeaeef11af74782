//! What the user can do about an installation that failed.

use std::path::Path;

use skillyard_catalog::agents::AGENTS;
use skillyard_format::text::nearest;
use skillyard_install::candidate::CandidateError;
use skillyard_install::dependencies::DependencyError;
use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::fetch::well_known::WellKnownError;
use skillyard_install::manifest::ManifestError;
use skillyard_install::reference::ReferenceError;
use skillyard_install::store::StoreError;
use skillyard_install::target::TargetError;
use skillyard_install::transaction::TransactionError;

use super::conflict_hint::{conflict_hint, left_out_hint, line_ends_hint};
use super::lock_hint::{LINK, is_link, lock_hint};
use super::source_hint::{
    git_hint, locked_from, material_hint, registry_hint, site_hint, size_hint, unavailable_hint,
    unpack_hint,
};
use super::{InstallFailure, MAX_NAMES, Refused, Stale, is_missing};
use crate::error::CommandError;
use crate::error::install::{SelectedBy, http_hint};
use crate::text::shell::{shell_word, shell_words};

/// The agent that was meant, or all that there are.
fn agents_hint(error: &TargetError) -> Option<String> {
    match error {
        TargetError::NoSuchAgent {
            nearest: Some(name),
            ..
        } => Some(format!("Did you mean `{name}`?")),
        TargetError::NoSuchAgent { .. } => {
            let agents: Vec<&str> = AGENTS.iter().map(|agent| agent.id.as_str()).collect();
            Some(format!("There are {}", agents.join(", ")))
        }
        TargetError::ProjectOnly(_) => None,
    }
}

/// What can be done where the scanner keeps some of several skills out.
fn among_hint(refused: &[Refused], chosen: SelectedBy) -> String {
    let names: Vec<&str> = refused.iter().map(|each| &*each.name).collect();
    let codes = refused.iter().flat_map(|each| each.codes.clone());
    let codes: Vec<String> = codes.collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    let leave_out = match chosen {
        SelectedBy::ByCommand => {
            let names = names.join(",");
            format!(
                "leave {them} out with `--all --except {}`",
                shell_word(&names)
            )
        }
        SelectedBy::ByManifest => format!("take {them} out of skills.toml"),
    };
    format!(
        "Read about it with `skillyard explain {}`; {leave_out}, or, if you know it is harmless, pass `--accept {}`",
        codes.first().map_or("", String::as_str),
        deduplicated(&codes).join(",")
    )
}

impl InstallFailure {
    /// What the user can do about it.
    pub(in crate::error) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Conflicts(conflicts) => conflict_hint(conflicts),
            Self::LeftOut(conflicts) => left_out_hint(conflicts),
            Self::NeededName { .. } => {
                "It is needed under this name: take away what is there, or replace it with `--force`".into()
            }
            Self::NotInstalled { .. } => return self.not_installed_hint(),
            Self::WantedFrom { name, source } => wanted_hint(name, source),
            Self::NotOffered { nearest: Some(name), .. } => format!("Did you mean `{name}`?"),
            Self::Written { name, folders } => {
                let name = shell_word(name);
                let what = if folders.len() == 1 { "that folder" } else { "all of them" };
                format!("`skillyard remove {name} --force` deletes {what} for good")
            }
            Self::Candidate { name, source } => return candidate_hint(name, source),
            Self::ChangedMeanwhile(_) => "Run it again: it starts from what is there now".into(),
            Self::StillNeeded { words, .. } => format!(
                "Remove what needs it with it: `skillyard remove {}`",
                shell_words(words.iter().map(String::as_str))
            ),
            Self::Offline(_) | Self::NotLocked(_) => "Run it once without `--offline`".into(),
            Self::Findings { codes, .. } => format!(
                "Read about it with `skillyard explain {}`; if you know it is harmless, pass `--accept {}`",
                codes.first().map_or("", String::as_str),
                deduplicated(codes).join(",")
            ),
            Self::FindingsAmong(refused, chosen) => among_hint(refused, *chosen),
            Self::NoSuchCode { nearest: Some(code), .. } => format!("Did you mean `{code}`?"),
            Self::NoSuchCode { .. } => {
                "`skillyard explain` lists the codes, and a refusal names the one to pass".into()
            }
            Self::InnerName { .. } => {
                "Look at what it is for; if both may be there, pass `--accept inner-name`".into()
            }
            Self::Signature { name, way_out, deed, .. } => return way_out.hint(name, *deed),
            Self::NoneLoadable { opening: Some(hint), .. }
            | Self::NotLoadable { opening: Some(hint), .. } => hint.clone(),
            Self::NoneLoadable { place, .. } | Self::NotLoadable { place, .. }
                if Path::new(place).is_dir() =>
            {
                let place = shell_word(place);
                format!("See all that is wrong with `skillyard validate {place}`")
            }
            Self::NotAsked => "Pass `--yes` to go on without the question".into(),
            Self::NoRegistry => {
                "Set one with `skillyard config set registry.url URL`; `install` takes a folder, `owner/repo/path` or an address without one".into()
            }
            Self::NoSource { alias, known } => {
                match nearest(alias, known.iter().map(String::as_str)) {
                    Some(name) => format!("Did you mean `{name}:`?"),
                    None => format!("Add it with `skillyard config set sources.{alias}.url URL`"),
                }
            }
            Self::Forge(ForgeError::NotFound { authenticated: false, .. } | ForgeError::RateLimited { authenticated: false, .. }) => {
                "Set a token with `GITHUB_TOKEN`, `GITLAB_TOKEN` or `skillyard config set hosts.github.token '${NAME}'`".into()
            }
            failure if let Some(hint) = http_hint(failure) => hint,
            Self::Http(error) | Self::Site(WellKnownError::Http(error))
                if matches!(error.status(), Some(401 | 403)) =>
            {
                "It wants a login: `--header` for once, or `sources.NAME.url` (the address, or a folder above it), `.type` and `.auth` in the configuration from then on".into()
            }
            Self::Site(error) => return site_hint(error),
            // It is not the user's to remove or to take from elsewhere.
            Self::Unavailable { is_needed: true, source, .. } if is_missing(source) => {
                "It is not there any more, and is here for others: `skillyard update` takes what these need by now".into()
            }
            Self::Unavailable { name, registry, moved, source, .. } => {
                return unavailable_hint(name, registry.as_deref(), moved.as_deref(), source);
            }
            Self::Unloadable { others, source, .. } if others.is_empty() => return size_hint(&*source.0),
            Self::Unloadable { others, .. } if others.len() <= MAX_NAMES => {
                let words = others.join(",");
                format!("Leave it out with `--skill {}`", shell_word(&words))
            }
            Self::Unloadable { .. } => {
                "Leave it out: name those that you want with `--skill NAME,NAME`".into()
            }
            Self::Dependencies(error) => return dependency_hint(error),
            Self::RegistryAnswer(error) => return registry_hint(error),
            Self::Git(error) => return git_hint(error),
            Self::Material(error) => return material_hint(error),
            Self::Tree(error) => return size_hint(error),
            Self::Unpack(error) => return unpack_hint(error),
            Self::Pack(error) => return size_hint(error),
            Self::ManifestAgents { meant: Some(agents), .. } => {
                format!("Did you mean `{}` in skills.toml?", agents_line(agents))
            }
            Self::Target(error) | Self::ManifestAgents { error, .. } => return agents_hint(error),
            _ => {
                let hint = self.offered_hint().or_else(|| self.locked_hint());
                return hint.or_else(|| self.files_hint());
            }
        })
    }

    /// What the user can do where a skill is not installed, or not in the place that is meant.
    fn not_installed_hint(&self) -> Option<String> {
        Some(match self {
            Self::NotInstalled {
                elsewhere: Some(scope),
                ..
            } => {
                let scope = scope.as_str();
                format!("It is installed in the {scope} scope: say the same with `--scope {scope}`")
            }
            Self::NotInstalled {
                name,
                left: Some(folder),
                ..
            } => format!(
                "It was put into `{}`, which is not used as the variables are set: remove it with `skillyard remove {} --scope user`, or let the variable name that folder again",
                folder.display(),
                shell_word(name)
            ),
            Self::NotInstalled {
                around: Some(root), ..
            } => format!(
                "It is installed in the project around this one: run it in `{}`",
                root.display()
            ),
            Self::NotInstalled {
                nearest: Some(name),
                ..
            } => format!("Did you mean `{name}`?"),
            Self::NotInstalled { .. } => {
                "See what is installed with `skillyard list --installed`; `--scope user` and `--scope project` say where".into()
            }
            _ => return None,
        })
    }

    /// What the user can do where a source does not have what is wanted, or has more than one of it.
    fn offered_hint(&self) -> Option<String> {
        Some(match self {
            Self::NothingOffered(_) => "A skill is a folder with a `SKILL.md`".into(),
            Self::Misplaced { meant, .. } => match &meant[..] {
                [one] => format!("Did you mean `{one}`?"),
                several => format!("Did you mean one of these? {}", listed(several)),
            },
            Self::LeftOutOfArchive { git, .. } => format!(
                "If it is one of these, take it by git: `skillyard install {}`",
                shell_word(git.as_ref()?)
            ),
            Self::Several { names, .. } => format!(
                "Choose with `--skill NAME` or take all with `--all`: {}",
                listed(names)
            ),
            Self::SameName { paths, .. } => {
                format!("Name the folder of one with `--skill`: {}", listed(paths))
            }
            Self::SameNames(names) => {
                let others = names.iter().flat_map(|(_, folders)| folders.iter().skip(1));
                let others: Vec<&str> = others.map(String::as_str).collect();
                format!(
                    "Leave out all but one of each, such as with `--except {}`",
                    shell_word(&others.join(","))
                )
            }
            Self::FolderNames(names) => format!(
                "Give it another name with `--name NAME`; of many skills, leave it out with `--all --except {}`",
                shell_word(&names.join(","))
            ),
            Self::NotOffered {
                nearest: None,
                names,
                ..
            } => {
                format!("It has: {}", listed(names))
            }
            _ => return None,
        })
    }

    /// What the user can do where what is locked is not what is there or wanted.
    fn locked_hint(&self) -> Option<String> {
        Some(match self {
            Self::OtherRegistry { name, .. } => format!(
                "Set the registry that it is locked from; or look at the other one, and take it from there with `skillyard update {} --force`",
                shell_word(name)
            ),
            Self::NotAsLocked {
                registry: Some(url),
                ..
            } => locked_from(url),
            Self::NotAsLocked {
                line_ends: Some(folder),
                ..
            } => {
                format!("{}, and check it out anew", line_ends_hint([&**folder]))
            }
            Self::NotAsLocked { name, .. } => format!(
                "Somebody changed it after it was locked; look at it, then run `skillyard update {}` to accept it",
                shell_word(name)
            ),
            Self::Revoked { hint, .. } => return hint.clone(),
            Self::Stale(skills) => Stale::remedy(skills),
            Self::LockOutdated(_) => "Run `skillyard sync` and commit the new lock".into(),
            Self::Gap(_) => {
                "Run `skillyard sync`: it takes what goes together, or says why nothing does".into()
            }
            Self::NoLock {
                is_wanted: true, ..
            } => "Run `skillyard sync` once without `--frozen`, and commit the lock".into(),
            Self::NoLock { .. } => {
                "Run it where the project is, or make a lock with `skillyard install`".into()
            }
            _ => return None,
        })
    }

    /// What the user can do about the files of a scope and of the store.
    fn files_hint(&self) -> Option<String> {
        Some(match self {
            Self::NotInFolders { targets, .. } => format!("It is in {}", listed(targets)),
            Self::WantedInFolder(_) => {
                "Take the agent out of `agents` in skills.toml first".into()
            }
            Self::OneFolder { .. } => {
                "Remove it without `--agent`, or put a folder into the place of the link first".into()
            }
            Self::Manifest(ManifestError::Format { message, .. })
            | Self::Transaction(TransactionError::Manifest(ManifestError::Format { message, .. }))
                if message.contains("merge conflicts") =>
            {
                "Say which side is right, and run `skillyard sync`".into()
            }
            Self::Manifest(ManifestError::Read { source, .. })
            | Self::Transaction(TransactionError::Manifest(ManifestError::Read { source, .. }))
                if is_link(source) =>
            {
                LINK.into()
            }
            Self::Manifest(ManifestError::Agents { form, .. })
            | Self::Transaction(TransactionError::Manifest(ManifestError::Agents { form, .. })) => {
                format!("Write a list of names: `{form}`")
            }
            Self::Manifest(ManifestError::Format { .. })
            | Self::Transaction(TransactionError::Manifest(ManifestError::Format { .. })) => {
                "Mend the line; a skill is `name = \"reference\"` below `[skills]`".into()
            }
            Self::Lockfile(error) | Self::Transaction(TransactionError::Lockfile(error)) => {
                lock_hint(error, None)
            }
            Self::Store(StoreError::Edited { .. })
            | Self::Transaction(TransactionError::Store(StoreError::Edited { .. })) => {
                "Look at it and keep what you need; then `skillyard sync --force` puts it right".into()
            }
            Self::Store(error) | Self::Transaction(TransactionError::Store(error))
                if error.is_damage() =>
            {
                "Find all damage with `skillyard store verify`, mend it with `skillyard store verify --fix`".into()
            }
            Self::Transaction(TransactionError::Changed { kept, .. }) => match kept.as_slice() {
                [] => "Run it again: it starts from what is there now".into(),
                kept => format!(
                    "What was there could not go back, and is kept: {}",
                    listed(&kept.iter().map(|path| path.display().to_string()).collect::<Vec<_>>())
                ),
            },
            Self::Transaction(TransactionError::NoSkillsBehind { link, .. }) => format!(
                "A link may lead to the skills of another agent of this project only; look who made it, then remove it with `rm {}`",
                link.display()
            ),
            Self::Transaction(TransactionError::Outside { target, .. }) => format!(
                "Replace the link in `{target}` by a folder, or install for yourself with `--scope user`"
            ),
            Self::Unfinished { .. }
            | Self::Transaction(TransactionError::Recovery { .. }) => {
                "Remove what is in its way and try again; if the project is not needed any more, remove that file".into()
            }
            Self::Store(StoreError::Lock { lock_file, source }) => {
                format!("Nothing was removed. {}", lock_hint(source, lock_file.parent()))
            }
            Self::Store(StoreError::Root { path, .. }) => format!(
                "Nothing was removed. Make it readable; or remove it, and run `skillyard sync` in each project that has links: `rm {}`",
                path.display()
            ),
            _ => return None,
        })
    }
}

fn candidate_hint(name: &str, error: &CandidateError) -> Option<String> {
    matches!(error, CandidateError::Signed)
        .then(|| format!("Install it as `{name}`; in skills.toml that is its key"))
}

fn dependency_hint(error: &DependencyError<CommandError>) -> Option<String> {
    match error {
        DependencyError::Versions { .. } | DependencyError::GivenUp { .. } => Some(
            "Ask for another version of one of them, or remove one with `skillyard remove NAME`"
                .into(),
        ),
        // Both were asked for, and nobody needs them.
        DependencyError::Conflict { first, second, .. }
            if ![first, second].iter().any(|chain| chain.contains('→')) =>
        {
            Some("Leave one of them out".into())
        }
        DependencyError::Fetch {
            reference, source, ..
        } => source.hint().or_else(|| {
            matches!(**source, CommandError::NoSuchPath(_)).then(|| {
                format!("Say in `requires-skills` of what needs it where it lies, in place of `{reference}`")
            })
        }),
        _ => None,
    }
}

fn deduplicated(codes: &[String]) -> Vec<String> {
    let mut codes = codes.to_vec();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn listed(names: &[String]) -> String {
    let mut text = names
        .iter()
        .take(MAX_NAMES)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MAX_NAMES {
        text.push_str(", …");
    }
    text
}

/// What is wrong in a line of skills.toml.
fn wanted_hint(name: &str, source: &ReferenceError) -> String {
    if let ReferenceError::Ambiguous { text } = source {
        format!("Write `{name} = \"./{text}\"` into skills.toml, or `{name} = \"github:{text}\"`")
    } else {
        format!("Mend the line of `{name}` in skills.toml, such as `{name} = \"owner/repository\"`")
    }
}

/// The line `agents = […]` of skills.toml with these agents.
pub(crate) fn agents_line(agents: &[String]) -> String {
    let names: Vec<String> = agents.iter().map(|name| format!("{name:?}")).collect();
    format!("agents = [{}]", names.join(", "))
}
