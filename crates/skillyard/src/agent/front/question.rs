//! What a person is asked before something is done.

use skillyard_agent::front_end::Action;

use crate::sanitize::exact;
use crate::shell::shell_words;
use crate::terminal;

/// What will be other in a file that is to be changed.
pub(super) fn change(action: &Action) -> String {
    match action {
        Action::Change {
            difference: Some(difference),
            ..
        } if difference.lines.is_empty() => "  nothing in it will be other\n".into(),
        Action::Change {
            difference: Some(difference),
            ..
        } => terminal::painted(difference, "  "),
        Action::Change { .. } => {
            "  what will be other cannot be shown: it is no text, or the change does not fit\n"
                .into()
        }
        _ => String::new(),
    }
}

/// What is asked, and what a yes for the session is about.
pub(super) fn question(action: &Action) -> (String, &'static str) {
    match action {
        Action::Script {
            skill,
            digest,
            script,
            arguments,
            ..
        } => {
            let words = std::iter::once(script).chain(arguments).map(String::as_str);
            let words = shell_words(words);
            let words = exact(&words);
            let what = format!("Skill `{skill}` wants to run `{words}`\n  digest  {digest}");
            (what, "for all scripts of this skill until the session ends")
        }
        Action::Command { command } => (
            format!("The model wants to run `{}`", exact(command)),
            "for exactly this command until the session ends",
        ),
        Action::Change { tool, path, .. } => (
            format!("The model wants to change `{}` with `{tool}`", exact(path)),
            "for all changes to files until the session ends",
        ),
        Action::Lent { tool, arguments } => (
            format!(
                "The model wants to call `{tool}` with `{}`",
                exact(arguments)
            ),
            "for this tool, whatever it is called with, until the session ends",
        ),
    }
}
