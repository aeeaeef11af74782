//! What a person is asked before something is done.

use std::fmt::Write as _;

use skillyard_agent::front_end::Action;

use crate::terminal::{self, columns, pieces};
use crate::text::counted;
use crate::text::sanitize::exact;
use crate::text::shell::shell_words;

/// What stands in front of further lines that the model wrote.
const MARKED: &str = "\n  | ";
/// Most characters of what a script is given to read that are shown.
const MAX_SHOWN: usize = 20_000;

/// Most lines of a change that are shown before somebody wants to see all of it.
const MAX_LINES: usize = 100;

/// How much of a change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Portion {
    /// Its beginning and its end, where it is long.
    Ends,
    /// All of it.
    Whole,
}

/// Whether a change is longer than what is shown of it at first.
pub(super) fn is_long(action: &Action) -> bool {
    let Action::Change { difference, .. } = action else {
        return false;
    };
    let difference = difference.as_ref();
    difference.is_some_and(|difference| difference.lines.len() > MAX_LINES)
}

/// What will be other in a file that is to be changed.
pub(super) fn change(action: &Action, width: usize, portion: Portion) -> String {
    match action {
        Action::Change {
            difference: Some(difference),
            ..
        } if difference.lines.is_empty() => "  nothing in it will be other\n".into(),
        Action::Change {
            difference: Some(difference),
            ..
        } => match portion {
            Portion::Ends => terminal::painted(&difference.folded(MAX_LINES), "  ", width),
            Portion::Whole => terminal::painted(difference, "  ", width),
        },
        Action::Change { .. } => {
            "  what will be other cannot be shown: it is no text, or the change does not fit\n"
                .into()
        }
        _ => String::new(),
    }
}

/// What is asked, in lines of this width, and what a yes for the session is about.
pub(super) fn question(action: &Action, width: usize) -> (String, &'static str) {
    let shown = |before: String, text: &str| shown(&before, text, width);
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
            let words = shell_words(words);
            let mut what = shown(format!("Skill `{skill}` wants to run"), &words);
            if let Some(stdin) = stdin {
                what.push_str(&input(stdin, width));
            }
            let _ = write!(what, "\n  digest  {digest}");
            (what, "for all scripts of this skill until the session ends")
        }
        Action::Command { command } => (
            shown("The model wants to run".into(), command),
            "for exactly this command until the session ends",
        ),
        Action::Change { tool, path, .. } => (
            shown(format!("The model wants to change with `{tool}`"), path),
            "for all changes to files until the session ends",
        ),
        Action::Lent { tool, arguments } => (
            shown(format!("The model wants to call `{tool}` with"), arguments),
            "for this tool, whatever it is called with, until the session ends",
        ),
    }
}

/// A text of the model's behind words of ours: in the same line if there is room for it, else in
/// lines of its own that have a mark in front, which no line of the question's own has.
fn shown(before: &str, text: &str, width: usize) -> String {
    let text = exact(text);
    if !text.contains(['\n', '\t']) && columns(before) + columns(&text) + 3 <= width {
        return format!("{before} `{text}`");
    }
    format!("{before}:{}", marked(&text, width))
}

/// Lines with a mark in front of each, also where the terminal would break one.
fn marked(text: &str, width: usize) -> String {
    let room = width.saturating_sub(MARKED.len());
    let lines = text.split('\n').flat_map(|line| pieces(line, room));
    lines.fold(String::new(), |mut text, piece| {
        text.push_str(MARKED);
        text.push_str(&piece);
        text
    })
}

/// That a script is given something to read, and what.
fn input(stdin: &str, width: usize) -> String {
    let shown: String = stdin.chars().take(MAX_SHOWN).collect();
    let more = match stdin.len() - shown.len() {
        0 => String::new(),
        1 => "\n  and 1 more byte that is too many to be shown".to_owned(),
        more => format!("\n  and {more} more bytes that are too many to be shown"),
    };
    let lines = marked(&exact(&shown), width);
    let bytes = counted(stdin.len(), "byte");
    format!("\n  with {bytes} of input:{lines}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_model_passes_for_one_of_the_question() {
        let forged = "x`\n  why     it only prints the date";
        let asked = |action: &Action| question(action, 80).0;
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
            "Skill `pdf` wants to run:\n  | e.sh 'x`\n  |   why     it only prints the date'\n  digest  sha256:0"
        );
        let given = "echo a\n  digest  sha256:1\u{200b}\n";
        assert!(asked(&script(Some(given))).contains(
            "date'\n  with 29 bytes of input:\n  | echo a\n  |   digest  sha256:1\\u{200b}\n  | \n  digest  sha256:0"
        ));
        let long = asked(&script(Some(&"é".repeat(MAX_SHOWN + 2))));
        assert!(long.contains("\n  and 4 more bytes that are too many to be shown\n"));
        let command = forged.to_owned();
        assert_eq!(
            asked(&Action::Command { command }),
            "The model wants to run:\n  | x`\n  |   why     it only prints the date"
        );
        // Where the terminal would break a line, too.
        let command = format!("ls {}  why     it only lists files", "x".repeat(72));
        assert_eq!(
            asked(&Action::Command { command }),
            format!(
                "The model wants to run:\n  | ls {}\n  |   why     it only lists files",
                "x".repeat(72)
            )
        );
        let command = format!("ls{}   why     it only lists files", "\t".repeat(10));
        let told = asked(&Action::Command { command });
        let mut forged = told.lines().filter(|line| line.contains("why"));
        assert!(forged.all(|line| line.starts_with("  | ")), "{told}");
        let command = "ls -la".to_owned();
        assert_eq!(
            asked(&Action::Command { command }),
            "The model wants to run `ls -la`"
        );
    }
}
