//! Tools by name: which names mean the same, and what their input is.

use skillyard_format::lent_name::exposed;

use super::meant::may_name;

/// What a tool's input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A shell command.
    Command,
    /// Files.
    File(FileUse),
    /// An address.
    Address,
    /// Anything else.
    Other,
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse {
    /// Its content, or whether it is there, is read.
    Read,
    /// It is made or changed.
    Write,
}

/// The tools whose input is known, by the names that agents use.
const KNOWN: [(&str, Kind); 11] = [
    ("Bash", Kind::Command),
    ("Read", Kind::File(FileUse::Read)),
    ("NotebookRead", Kind::File(FileUse::Read)),
    ("Glob", Kind::File(FileUse::Read)),
    ("Grep", Kind::File(FileUse::Read)),
    ("LS", Kind::File(FileUse::Read)),
    ("Write", Kind::File(FileUse::Write)),
    ("Edit", Kind::File(FileUse::Write)),
    ("MultiEdit", Kind::File(FileUse::Write)),
    ("NotebookEdit", Kind::File(FileUse::Write)),
    ("WebFetch", Kind::Address),
];

/// What a tool's input is.
pub(super) fn kind(tool: &str) -> Kind {
    let found = KNOWN.iter().find(|(name, _)| *name == tool);
    found.map_or(Kind::Other, |(_, kind)| *kind)
}

/// The name of a known tool as agents use it, for one in another case; other names stay.
pub(super) fn usual(tool: &str) -> &str {
    let mut known = KNOWN.iter().map(|(name, _)| *name);
    known
        .find(|name| name.eq_ignore_ascii_case(tool))
        .unwrap_or(tool)
}

/// What the input of the tools is that a name in a list which denies may mean.
pub(super) fn kinds(pattern: &str) -> Vec<Kind> {
    let meant = KNOWN.iter().filter(|(name, _)| may_name(pattern, name));
    meant.map(|(_, kind)| *kind).collect()
}

/// Tools that look through folders.
pub(super) fn searches(tool: &str) -> bool {
    matches!(tool, "Glob" | "Grep" | "LS")
}

/// Why a runtime should still ask the user before this tool is used.
pub(super) fn caution(tool: &str) -> Option<&'static str> {
    match tool {
        "AskUserQuestion" => Some("it speaks to the user: a list cannot answer for them"),
        "Task" | "Agent" | "Skill" => {
            Some("it starts work with a list of its own: that work must be guarded too")
        }
        _ => None,
    }
}

/// Whether the name in a list that allows means the tool.
pub(super) fn is_named(pattern: &str, tool: &str) -> bool {
    if pattern == "*" || pattern == tool {
        return true;
    }
    let (Some((server, wanted)), Some((owner, name))) = (on_server(pattern), on_server(tool))
    else {
        return false;
    };
    // Who writes a list knows what the server calls it, and not what providers are told.
    if wanted != "*" && tool == exposed(server, wanted) {
        return true;
    }
    // In `mcp__a__b__c` the server may be `a` or `a__b`: only the exact name will do.
    server == owner && (wanted == name || (wanted == "*" && !name.contains("__")))
}

/// The server and the tool in `mcp__server__tool`, `mcp__server` and `Server:tool`.
fn on_server(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = match name.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").unwrap_or((rest, "*")),
        None => name
            .split_once(':')
            .filter(|(_, tool)| !tool.contains(':'))?,
    };
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}
