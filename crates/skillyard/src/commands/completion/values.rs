//! What the arguments of commands can be, for completions.
//!
//! A shell puts these on its command line, so only what has no character that means something to
//! a shell is told. Whatever cannot be read is left out; the
//! command itself will say why.

use std::collections::BTreeSet;

use clap_complete::engine::CompletionCandidate;
use skillyard_agent::agent::AgentStore;
use skillyard_audit::EventKind;
use skillyard_catalog::agents::AGENTS;
use skillyard_catalog::source::SourceKind;
use skillyard_format::SkillName;

use crate::agent;
use crate::commands::completion::CompletedFiles;
use crate::config::keys::entries;
use crate::config::{Config, PROVENANCES};
use crate::context::Context;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::report::RuleNote;
use crate::scope;

/// Most sessions that are told.
const MAX_SESSIONS: usize = 20;

/// A kind of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// Names of skills.
    Skills,
    /// Of those that were installed.
    InstalledSkills,
    /// The same, and of those that were written into folders of skills.
    RemovableSkills,
    /// The same, and folders.
    SkillsAndFolders,
    /// The same, and files.
    SkillsAndPaths,
    /// Files and folders.
    Paths,
    /// Files of the skill that stands before them.
    Files(CompletedFiles),
    /// Agents of this user.
    Agents,
    /// Sessions, the last used first.
    Sessions,
    /// Models.
    Models,
    /// MCP servers of the configuration.
    McpServers,
    /// Keys of the configuration.
    Keys,
    /// Rules of `validate` and `scan`.
    Rules,
    /// Programs that read skills.
    Clients,
    /// Kinds of events, and groups of them.
    Events,
    /// Nothing but these words.
    Words(&'static [&'static str]),
}

impl Values {
    /// What an argument of a command can be, where that is known.
    pub(crate) fn of(path: &str, argument: &str) -> Option<Self> {
        Some(match (path, argument) {
            ("why", "name") | ("update" | "outdated", "names") => Self::InstalledSkills,
            ("remove", "names") => Self::RemovableSkills,
            ("show" | "explain" | "export", "name")
            | ("enable" | "disable", "names")
            | (
                "agent create" | "agent edit" | "agent skill add" | "agent skill remove",
                "skills",
            )
            | ("audit log" | "audit export", "skill") => Self::Skills,
            ("read" | "verify" | "run", "skill")
            | ("guard check", "skills")
            | ("trust", "target" | "revoked") => Self::SkillsAndFolders,
            ("scan" | "validate", "paths") => Self::SkillsAndPaths,
            ("read", "resource") => Self::Files(CompletedFiles::All),
            ("run", "script") => Self::Files(CompletedFiles::Scripts),
            ("run", "backend") => Self::Words(&BACKENDS),
            ("audit log" | "audit export", "event") => Self::Events,
            ("audit log" | "audit export", "outcome") => Self::Words(&["ok", "denied", "failed"]),
            ("install", "references") | ("key trust", "what") => Self::Paths,
            ("agent create" | "agent import", "name") => return None,
            ("chat", "agent") => Self::Agents,
            (path, "name" | "agent") if path.starts_with("agent ") => Self::Agents,
            ("chat", "resume" | "export" | "delete")
            | ("audit replay" | "audit log" | "audit export", "session") => Self::Sessions,
            ("chat" | "agent create" | "agent edit", "model") => Self::Models,
            ("chat" | "agent create" | "agent edit", "mcp") | ("mcp test", "server") => {
                Self::McpServers
            }
            ("install" | "remove" | "export" | "doctor", "agent") => Self::Clients,
            ("explain", "code") => Self::Rules,
            (path, "key") if path.starts_with("config ") => Self::Keys,
            (_, "strategy") => Self::Words(&["tool", "router", "hybrid"]),
            (_, "tool_mode") => Self::Words(&["auto", "native", "json-schema", "text"]),
            (_, "workspace_tools") => Self::Words(&["all", "none"]),
            _ => return None,
        })
    }

    /// Those that there are now.
    pub(crate) fn found(self, context: &Context) -> Vec<CompletionCandidate> {
        match self {
            Self::Skills | Self::SkillsAndFolders | Self::SkillsAndPaths => {
                plain(skill_names(context, |_| true))
            }
            Self::InstalledSkills => plain(installed_names(context)),
            Self::RemovableSkills => {
                // `--force` removes what was written there.
                let mut names = skill_names(context, |kind| {
                    matches!(
                        kind,
                        SourceKind::Project | SourceKind::User | SourceKind::Plugin
                    )
                });
                names.extend(installed_names(context));
                plain(names)
            }
            Self::Agents => plain(AgentStore::new(&context.environment.agents_folder()).names()),
            Self::Sessions => sessions(context),
            Self::Models => models(context),
            Self::McpServers => {
                let names = context.config().map(|config| config.mcp_servers());
                plain(names.unwrap_or_default())
            }
            Self::Keys => keys(context),
            Self::Rules => {
                let rules = RuleNote::of_format().chain(RuleNote::of_scan());
                plain(rules.map(|rule| rule.code).chain(["skill"]))
            }
            Self::Clients => plain(
                AGENTS
                    .iter()
                    .map(|each| each.id.clone())
                    .chain(["all".into()]),
            ),
            Self::Events => {
                let kinds = EventKind::ALL.iter().map(|kind| kind.as_str());
                let mut groups: Vec<&str> = kinds
                    .clone()
                    .filter_map(|kind| Some(kind.split_once('.')?.0))
                    .collect();
                groups.sort_unstable();
                groups.dedup();
                plain(groups.into_iter().chain(kinds))
            }
            Self::Words(words) => plain(words.iter().copied()),
            // What a shell knows itself, and what hangs on other words.
            Self::Paths | Self::Files(_) => Vec::new(),
        }
    }
}

/// The sandboxes of `run`.
const BACKENDS: [&str; 5] = [
    "bubblewrap",
    "landlock",
    "container",
    "sandbox-exec",
    "none",
];

pub(crate) fn plain<T: Into<std::ffi::OsString>>(
    words: impl IntoIterator<Item = T>,
) -> Vec<CompletionCandidate> {
    words.into_iter().map(CompletionCandidate::new).collect()
}

/// Sessions that can be gone on with, and how each began.
fn sessions(context: &Context) -> Vec<CompletionCandidate> {
    let config = context.config();
    let address = config.map(|config| config.sessions_database());
    // Who presses a key does not wait for a server that may not answer.
    if !matches!(address, Ok(Ok(None))) {
        return plain(["last"]);
    }
    let list = agent::store_to_read(context).and_then(|store| {
        let list = store.list(MAX_SESSIONS);
        Ok(list.map_err(skillyard_agent::TurnError::from)?)
    });
    let list = list.unwrap_or_default().into_iter();
    let named = list.map(|each| CompletionCandidate::new(each.id).help(Some(each.title.into())));
    plain(["last"]).into_iter().chain(named).collect()
}

/// `offline`, the models that agents have, and servers whose models are not known.
fn models(context: &Context) -> Vec<CompletionCandidate> {
    let store = AgentStore::new(&context.environment.agents_folder());
    let agents = store.names().into_iter();
    let used = agents.filter_map(|name| Some(store.load(&name).ok()?.definition.model));
    let is_harmless = |each: char| each.is_ascii_alphanumeric() || "-_./:@".contains(each);
    let mut names: Vec<String> = used.filter(|name| name.chars().all(is_harmless)).collect();
    names.extend(KNOWN_MODELS.map(|server| format!("{server}/")));
    names.push("offline".into());
    names.sort_unstable();
    names.dedup();
    plain(names)
}

/// Servers of models that need no address.
const KNOWN_MODELS: [&str; 3] = ["anthropic", "openai", "ollama"];

/// The keys of the configuration, with those of the sources that are there.
fn keys(context: &Context) -> Vec<CompletionCandidate> {
    let config = context.config();
    let names = config.as_ref().map(Config::aliases);
    let names = names.unwrap_or_default();
    let servers = config.map(|config| config.mcp_servers());
    let servers = servers.unwrap_or_default();
    let candidate =
        |key: String, doc: &'static str| CompletionCandidate::new(key).help(Some(doc.into()));
    let mut found = Vec::new();
    for entry in entries() {
        if entry.key.contains("VARIABLE") || entry.key.contains("HEADER") {
            continue;
        }
        if entry.key.contains("SERVER") {
            let servers = if entry.key.starts_with("mcp.") {
                servers.clone()
            } else {
                KNOWN_MODELS.map(str::to_owned).into()
            };
            let keys = servers.iter().map(|name| entry.key.replace("SERVER", name));
            found.extend(keys.map(|key| candidate(key, entry.doc)));
        } else if entry.key.contains("NAME") {
            let keys = names.iter().map(|name| entry.key.replace("NAME", name));
            found.extend(keys.map(|key| candidate(key, entry.doc)));
        } else if entry.has_choice() {
            let rows = PROVENANCES.iter();
            let keys = rows.map(|row| entry.key.replace("PROVENANCE", row.name));
            found.extend(keys.map(|key| candidate(key, entry.doc)));
        } else {
            found.push(candidate(entry.key.to_owned(), entry.doc));
        }
    }
    found
}

/// The names of the skills that are here and come from certain places.
fn skill_names(context: &Context, is_meant: impl Fn(SourceKind) -> bool) -> BTreeSet<String> {
    // A configuration that is wrong is said by every command; here it would be in the way.
    let Ok(catalog) = library::load(context, IndexMode::Use, &NameFilter::default()) else {
        return BTreeSet::new();
    };
    let meant = catalog.skills.iter().filter(|skill| is_meant(skill.kind));
    let names = meant.map(|skill| skill.record.name.clone());
    names.filter(|name| is_harmless(name)).collect()
}

/// The names of the skills that are locked here.
fn installed_names(context: &Context) -> BTreeSet<String> {
    let places = scope::all(context).into_iter();
    let locks = places.filter_map(|(place, _)| place.lock().ok());
    let names = locks.flat_map(|lock| {
        let names = lock.skills().iter().map(|entry| entry.name.clone());
        names.collect::<Vec<_>>()
    });
    names.filter(|name| is_harmless(name)).collect()
}

/// Whether a shell may be handed a name.
fn is_harmless(name: &str) -> bool {
    SkillName::new(name).is_ok() || is_plain(name)
}

/// Whether a name against the rules has nothing in it that means something to a shell.
fn is_plain(name: &str) -> bool {
    let is_plain = |each: char| each.is_ascii_alphanumeric() || "-_.".contains(each);
    name.starts_with(|each: char| each.is_ascii_alphanumeric()) && name.chars().all(is_plain)
}
