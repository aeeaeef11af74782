//! Names of tools in lists that deny: a name means a tool already when it might.
//!
//! Case, and characters that runtimes change in names, make no difference; `*` stands for anything.
//! A server chooses what its tools are called, so whoever denies the server means all of them.

use skillyard_format::lent_name::{Left, PREFIX, fitting, left};

use crate::wildcard;

/// Whether the name in a list may mean the tool.
pub(super) fn may_name(pattern: &str, tool: &str) -> bool {
    let tools = forms(&plain(tool).replace('*', "_"));
    let mut patterns = forms(&plain(pattern));
    // In `mcp__a__b__c` the server may be `a` or `a__b`.
    let servers = patterns.iter().map(|name| name.trim_end_matches('_'));
    let servers = servers.map(|name| format!("{name}__*"));
    let servers: Vec<String> = servers.filter(|name| name.starts_with(PREFIX)).collect();
    patterns.extend(servers);
    // `Bash:*` may be meant as the tool, too.
    patterns.extend(pattern.strip_suffix(":*").map(plain));
    patterns.iter().any(|pattern| {
        tools.iter().any(|tool| {
            let is_other = || left(tool).is_some_and(|left| may_be_left(pattern, left));
            wildcard::matches(pattern, tool) || is_other()
        })
    })
}

/// A name with `_` for everything that some runtime changes into it.
fn plain(name: &str) -> String {
    let fitting = |c: char| match c {
        '*' | ':' => c,
        '-' => '_',
        c => fitting(c).to_ascii_lowercase(),
    };
    name.chars().map(fitting).collect()
}

/// A name in every way in which it may be meant: `Server:tool` and `server__tool` are of servers.
fn forms(name: &str) -> Vec<String> {
    if let Some((server, tool)) = name.split_once(':') {
        let server = server.strip_prefix(PREFIX).unwrap_or(server);
        return vec![format!("{PREFIX}{server}__{}", tool.replace(':', "_"))];
    }
    let is_short = name.contains("__") && !name.starts_with(PREFIX);
    let full = is_short.then(|| format!("{PREFIX}{name}"));
    std::iter::once(name.to_owned()).chain(full).collect()
}

/// Whether a pattern may mean a tool of whose name this is left.
fn may_be_left(pattern: &str, left: Left<'_>) -> bool {
    match left {
        Left::All(name) => wildcard::matches(pattern, name),
        Left::Beginning(name) => match pattern.split_once('*') {
            Some((front, _)) => front.starts_with(name) || name.starts_with(front),
            None => pattern.starts_with(name),
        },
    }
}
