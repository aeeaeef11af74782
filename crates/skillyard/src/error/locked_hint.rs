//! Hints that say to set what the organisation has locked: they would only lead to a refusal.

use crate::commands::login::auth_key;
use crate::config::lock::Locks;
use crate::context::Context;

/// Commands that write the configuration, and the key that they write if they do not name it.
const WRITERS: [(&str, Option<&str>); 4] = [
    ("skillyard config set ", None),
    ("skillyard enable ", Some("skills.disabled")),
    ("skillyard disable ", Some("skills.disabled")),
    (LOGIN, Some("registry.auth")),
];

/// The command that writes the login of the registry it names, else of the usual one.
const LOGIN: &str = "skillyard login";

/// Flags that stand for a key, each with it and the value.
const FLAGS: [(&str, &str, &str); 3] = [
    ("`--scope user`", "install.scope", "user"),
    ("`--scope project`", "install.scope", "project"),
    ("`--allow-scripts`", "scripts.allow", "true"),
];

/// The hint, with what keeps the user from doing what it says.
pub(super) fn with_locks(hint: String, context: &Context) -> String {
    match locked(&hint, context) {
        None => hint,
        Some(locked) => format!("{hint}; but {locked}: ask whoever looks after that file"),
    }
}

/// What of the hint is locked, if anything is.
fn locked(hint: &str, context: &Context) -> Option<String> {
    let keys: Vec<String> = keys(hint).collect();
    if !keys.is_empty() {
        let locks = Locks::read(&context.environment);
        let mut locked = keys.into_iter().filter_map(|key| locks.refuse(&key).err());
        if let Some(locked) = locked.next() {
            return Some(locked.to_string());
        }
    }
    let mut flags = FLAGS.iter().filter(|(flag, ..)| hint.contains(flag));
    flags.find_map(|(flag, key, value)| {
        // What is locked to this very value may be said.
        let config = context.config().ok()?;
        let locked = config.keep_locked(key, *flag, value).err()?;
        Some(locked.to_string())
    })
}

/// The keys that the commands of a hint write; a place for a name, such as in `models.SERVER.key`, is as
/// good as any.
fn keys(hint: &str) -> impl Iterator<Item = String> {
    WRITERS.iter().flat_map(move |(command, key)| {
        hint.match_indices(command).filter_map(move |(at, _)| {
            let behind = &hint[at + command.len()..];
            let word = |text: &'_ str| text.split([' ', '`']).next().map(str::to_owned);
            match (behind.strip_prefix(" --registry "), key) {
                (Some(alias), _) if *command == LOGIN => Some(auth_key(word(alias).as_deref())),
                (_, Some(key)) => Some((*key).to_owned()),
                (_, None) => word(behind),
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_hint_are_found() {
        let check = |hint: &str, expected: &[&str]| {
            assert_eq!(keys(hint).collect::<Vec<_>>(), expected, "{hint}");
        };
        check(
            "Set one with `skillyard config set registry.url URL`; or not",
            &["registry.url"],
        );
        check("Set `KEY`, or `skillyard config set a.b`", &["a.b"]);
        check("Use `skillyard enable pdf`", &["skills.disabled"]);
        check("Log in with `skillyard login`", &["registry.auth"]);
        let hint = "Log in with `skillyard login --registry corp --token TOKEN`";
        check(hint, &["sources.corp.auth"]);
        check("See it with `skillyard config get a.b`", &[]);
    }
}
