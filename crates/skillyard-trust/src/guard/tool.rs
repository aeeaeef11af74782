//! Tools by name: which names mean the same, and what their input is.

use skillyard_format::mcp_tool_name::{PREFIX, StrippedName, exposed, sanitize_char, strip_digest};

use crate::wildcard;

/// What a tool's input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolKind {
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
const TOOLS: [(&str, ToolKind); 11] = [
    ("Bash", ToolKind::Command),
    ("Read", ToolKind::File(FileUse::Read)),
    ("NotebookRead", ToolKind::File(FileUse::Read)),
    ("Glob", ToolKind::File(FileUse::Read)),
    ("Grep", ToolKind::File(FileUse::Read)),
    ("LS", ToolKind::File(FileUse::Read)),
    ("Write", ToolKind::File(FileUse::Write)),
    ("Edit", ToolKind::File(FileUse::Write)),
    ("MultiEdit", ToolKind::File(FileUse::Write)),
    ("NotebookEdit", ToolKind::File(FileUse::Write)),
    ("WebFetch", ToolKind::Address),
];

/// What a tool's input is.
pub(super) fn kind(tool: &str) -> ToolKind {
    let found = TOOLS.iter().find(|(name, _)| *name == tool);
    found.map_or(ToolKind::Other, |(_, kind)| *kind)
}

/// The name of a known tool as agents use it, for one in another case; other names stay.
pub(super) fn usual(tool: &str) -> &str {
    let mut known = TOOLS.iter().map(|(name, _)| *name);
    known
        .find(|name| name.eq_ignore_ascii_case(tool))
        .unwrap_or(tool)
}

/// What the input of the tools is that a name in a list which denies may mean.
pub(super) fn kinds(pattern: &str) -> Vec<ToolKind> {
    let meant = TOOLS
        .iter()
        .filter(|(name, _)| may_match_tool(pattern, name));
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
    // The author of a list knows the server's name of a tool, and not the one that providers get.
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

/// Whether the name in a list may mean the tool.
pub(super) fn may_match_tool(pattern: &str, tool: &str) -> bool {
    let tools = spellings(&fold_name(tool).replace('*', "_"));
    let mut patterns = spellings(&fold_name(pattern));
    // In `mcp__a__b__c` the server may be `a` or `a__b`.
    let servers = patterns.iter().map(|name| name.trim_end_matches('_'));
    let servers = servers.map(|name| format!("{name}__*"));
    let servers: Vec<String> = servers.filter(|name| name.starts_with(PREFIX)).collect();
    patterns.extend(servers);
    // `Bash:*` may be meant as the tool, too.
    patterns.extend(pattern.strip_suffix(":*").map(fold_name));
    patterns.iter().any(|pattern| {
        tools.iter().any(|tool| {
            let is_other =
                || strip_digest(tool).is_some_and(|left| may_match_truncated(pattern, left));
            wildcard::matches(pattern, tool) || is_other()
        })
    })
}

/// A name with `_` for everything that some runtime changes into it.
fn fold_name(name: &str) -> String {
    let sanitize_char = |c: char| match c {
        '*' | ':' => c,
        '-' => '_',
        c => sanitize_char(c).to_ascii_lowercase(),
    };
    name.chars().map(sanitize_char).collect()
}

/// A name in every way in which it may be meant: `Server:tool` and `server__tool` are of servers.
fn spellings(name: &str) -> Vec<String> {
    if let Some((server, tool)) = name.split_once(':') {
        let server = server.strip_prefix(PREFIX).unwrap_or(server);
        return vec![format!("{PREFIX}{server}__{}", tool.replace(':', "_"))];
    }
    let is_short = name.contains("__") && !name.starts_with(PREFIX);
    let full = is_short.then(|| format!("{PREFIX}{name}"));
    std::iter::once(name.to_owned()).chain(full).collect()
}

/// Whether a pattern may mean a tool of whose name this is left.
fn may_match_truncated(pattern: &str, left: StrippedName<'_>) -> bool {
    match left {
        StrippedName::All(name) => wildcard::matches(pattern, name),
        StrippedName::Beginning(name) => match pattern.split_once('*') {
            Some((front, _)) => front.starts_with(name) || name.starts_with(front),
            None => pattern.starts_with(name),
        },
    }
}

/// The host of an address, or `None` when programs might disagree about it.
pub(super) fn host(address: &str) -> Option<String> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let head = address.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme)
            .then(|| &address[scheme.len()..])
    })?;
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if address.contains(is_odd) {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, port),
        None => (authority, ""),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let is_plain = !host.is_empty()
        && host.chars().all(is_host)
        && !host.starts_with('.')
        && !host.ends_with('.')
        && port.chars().all(|c| c.is_ascii_digit());
    is_plain.then(|| host.to_ascii_lowercase())
}

/// Whether `host` is the domain of a pattern; `*.example.com` is every host below it.
pub(super) fn domain_matches(pattern: &str, host: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    match pattern.strip_prefix("*.") {
        Some(domain) => host
            .strip_suffix(domain)
            .is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => pattern == host,
    }
}
