//! What a person is asked before something is done.

use skillyard_agent::front_end::Action;

use crate::sanitize::exact;
use crate::shell::shell_words;
use crate::terminal;

/// What stands in front of further lines that the model wrote.
const MARKED: &str = "\n  | ";
/// Most characters of what a script is given to read that are shown.
const MOST_SHOWN: usize = 20_000;

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
            stdin,
            ..
        } => {
            let words = std::iter::once(script).chain(arguments).map(String::as_str);
            let words = marked(&shell_words(words));
            let input = stdin.as_deref().map(input).unwrap_or_default();
            let what = format!("Skill `{skill}` wants to run `{words}`{input}\n  digest  {digest}");
            (what, "for all scripts of this skill until the session ends")
        }
        Action::Command { command } => (
            format!("The model wants to run `{}`", marked(command)),
            "for exactly this command until the session ends",
        ),
        Action::Change { tool, path, .. } => (
            format!("The model wants to change `{}` with `{tool}`", marked(path)),
            "for all changes to files until the session ends",
        ),
        Action::Lent { tool, arguments } => (
            format!(
                "The model wants to call `{tool}` with `{}`",
                marked(arguments)
            ),
            "for this tool, whatever it is called with, until the session ends",
        ),
    }
}

/// A text of the model's as it is shown: each further line has a mark in front, which no line of the
/// question's own has.
fn marked(text: &str) -> String {
    exact(text).replace('\n', MARKED)
}

/// That a script is given something to read, and what.
fn input(stdin: &str) -> String {
    let shown: String = stdin.chars().take(MOST_SHOWN).collect();
    let more = match stdin.len() - shown.len() {
        0 => String::new(),
        more => format!("\n  and {more} more bytes that are too many to be shown"),
    };
    let lines = marked(&shown);
    format!(" with {} bytes of input:{MARKED}{lines}{more}", stdin.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_model_passes_for_one_of_the_question() {
        let forged = "x`\n  why     it only prints the date";
        let asked = |action: &Action| question(action).0;
        let script = |stdin: Option<&str>| Action::Script {
            skill: "pdf".into(),
            digest: "sha256:0".into(),
            script: "e.sh".into(),
            arguments: vec![forged.into()],
            stdin: stdin.map(str::to_owned),
            unshown: None,
        };
        assert_eq!(
            asked(&script(None)),
            "Skill `pdf` wants to run `e.sh 'x`\n  |   why     it only prints the date'`\n  digest  sha256:0"
        );
        let given = "echo a\n  digest  sha256:1\u{200b}\n";
        assert!(asked(&script(Some(given))).contains(
            "date'` with 29 bytes of input:\n  | echo a\n  |   digest  sha256:1\\u{200b}\n  | \n  digest  sha256:0"
        ));
        let long = asked(&script(Some(&"é".repeat(MOST_SHOWN + 2))));
        assert!(long.contains("\n  and 4 more bytes that are too many to be shown\n"));
        let command = forged.to_owned();
        assert_eq!(
            asked(&Action::Command { command }),
            "The model wants to run `x`\n  |   why     it only prints the date`"
        );
    }
}
