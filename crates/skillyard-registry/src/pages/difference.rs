//! What changed between the files of two versions, as lines.

use std::collections::BTreeMap;

use skillyard_format::difference::{DiffLimits, Difference, rank, readable};
use skillyard_format::text::counted;

use crate::package::Unpacked;

/// Longer files are said to have changed, and not shown.
const MAX_FILE_BYTES: usize = 256 * 1024;
/// Most lines of one file, and of all.
const MAX_OF_FILE: usize = 1_000;
const MAX_LINES: usize = 4_000;
/// Most lines of all files that are compared one by one, so that no two versions take long.
const MAX_COMPARED: usize = 8_000;

/// A file that changed.
#[derive(Debug)]
pub(super) struct FileChange {
    pub(super) path: String,
    /// What became of the file, in a word.
    pub(super) what: &'static str,
    /// What else is to be said.
    pub(super) notes: Vec<String>,
    pub(super) lines: Difference,
}

/// The files that differ: the instructions first, then scripts, then the rest.
pub(super) fn between(old: &[Unpacked], new: &[Unpacked]) -> Vec<FileChange> {
    let mut pairs: BTreeMap<(u8, &str), [Option<&Unpacked>; 2]> = BTreeMap::new();
    for (side, files) in [old, new].into_iter().enumerate() {
        for file in files {
            pairs.entry((rank(&file.path), &file.path)).or_default()[side] = Some(file);
        }
    }
    let mut left = DiffLimits {
        told: MAX_LINES,
        compared: MAX_COMPARED,
    };
    let differ = pairs.into_iter().filter(|(_, [old, new])| old != new);
    let changes = differ.map(|((_, path), [old, new])| {
        let usual = DiffLimits::telling(left.told.min(MAX_OF_FILE));
        let limits = DiffLimits {
            compared: left.compared.min(usual.compared),
            ..usual
        };
        let change = change(path, old, new, limits);
        left.told = left.told.saturating_sub(change.lines.lines.len());
        let count = |file| bytes(file).split(|byte| *byte == b'\n').count();
        left.compared = left.compared.saturating_sub(count(old).max(count(new)));
        change
    });
    changes.collect()
}

fn change(
    path: &str,
    old: Option<&Unpacked>,
    new: Option<&Unpacked>,
    limits: DiffLimits,
) -> FileChange {
    let mut change = FileChange {
        path: path.to_owned(),
        what: match (old, new) {
            (None, _) => "new",
            (_, None) => "removed",
            _ => "changed",
        },
        notes: Vec::new(),
        lines: Difference::default(),
    };
    match (
        old.is_some_and(|file| file.executable),
        new.is_some_and(|file| file.executable),
    ) {
        (false, true) => change.notes.push("It can be run now.".to_owned()),
        (true, false) if new.is_some() => {
            change.notes.push("It cannot be run any more.".to_owned());
        }
        _ => {}
    }
    let texts = [old, new].map(|file| match file {
        Some(file) => readable(&file.path, file.executable, &file.bytes),
        None => Some("".into()),
    });
    let (old, new) = (bytes(old), bytes(new));
    if old.len().max(new.len()) > MAX_FILE_BYTES {
        change
            .notes
            .push("It is too long to be compared here.".to_owned());
        return change;
    }
    match texts {
        [Some(old), Some(new)] => {
            change.lines = Difference::between(&old, &new, limits);
            let hidden = change.lines.hidden;
            if hidden > 0 {
                let verb = if hidden == 1 { "is" } else { "are" };
                let lines = counted(hidden, "more changed line");
                let note = format!("{lines} {verb} not shown.");
                change.notes.push(note);
            }
        }
        _ => change.notes.push(format!(
            "It is not text: {} before, {} now.",
            counted(old.len(), "byte"),
            new.len()
        )),
    }
    change
}

fn bytes(file: Option<&Unpacked>) -> &[u8] {
    file.map_or(&[], |file| &file.bytes)
}

#[cfg(test)]
mod tests {
    use skillyard_format::difference::DiffLine;

    use super::*;

    fn file(path: &str, text: &str) -> Unpacked {
        Unpacked {
            path: path.to_owned(),
            executable: false,
            bytes: text.as_bytes().to_vec(),
        }
    }

    fn numbered(numbers: impl Iterator<Item = usize>) -> String {
        let lines: Vec<String> = numbers.map(|number| number.to_string()).collect();
        lines.join("\n") + "\n"
    }

    #[test]
    fn instructions_come_first_then_scripts_and_what_is_the_same_is_left_out() {
        let old = [
            file("SKILL.md", "a\nb\n"),
            file("a.md", "x\n"),
            file("same", "s"),
        ];
        let new = [
            file("SKILL.md", "a\nc\n"),
            file("same", "s"),
            file("scripts/z.sh", "echo\n"),
        ];
        let changes = between(&old, &new);
        let told: Vec<_> = changes
            .iter()
            .map(|each| (&*each.path, each.what))
            .collect();
        assert_eq!(
            told,
            [
                ("SKILL.md", "changed"),
                ("scripts/z.sh", "new"),
                ("a.md", "removed")
            ]
        );
        assert_eq!(
            changes[0].lines.lines,
            [
                DiffLine::Place("@@ -1,2 +1,2 @@".to_owned()),
                DiffLine::Same(1, 1, "a".to_owned()),
                DiffLine::Gone(2, "b".to_owned()),
                DiffLine::New(2, "c".to_owned()),
            ]
        );
    }

    #[test]
    fn a_script_that_can_be_run_now_is_told() {
        let mut new = file("scripts/z.sh", "x");
        new.executable = true;
        let changes = between(&[file("scripts/z.sh", "x")], &[new]);
        assert_eq!(changes[0].notes, ["It can be run now."]);
        assert!(changes[0].lines.lines.is_empty());
    }

    #[test]
    fn what_is_long_or_no_text_is_told_and_not_shown() {
        let long = "x\n".repeat(MAX_FILE_BYTES);
        let changes = between(
            &[file("a", "x"), file("b", "x\0")],
            &[file("a", &long), file("b", "y")],
        );
        assert!(
            changes
                .iter()
                .all(|each| each.lines.lines.is_empty() && each.notes.len() == 1)
        );
        let many = numbered(0..3_000);
        let changes = between(&[], &[file("a", &many)]);
        assert_eq!(changes[0].lines.lines.len(), MAX_OF_FILE);
        assert_eq!(changes[0].notes, ["2001 more changed lines are not shown."]);
        assert_eq!(changes[0].lines.added, 3_000);
    }

    #[test]
    fn only_so_many_lines_are_compared_one_by_one() {
        // Every other line is the same, which a rough comparison does not see.
        let text = |own: usize| numbered((0..1_000).map(|line| line * (1 + line % 2 * own)));
        let all = |own| -> Vec<Unpacked> {
            let path = |number| format!("{number:02}.md");
            (0..12)
                .map(|number| file(&path(number), &text(own)))
                .collect()
        };
        let changes = between(&all(2), &all(3));
        let added: Vec<usize> = changes.iter().map(|each| each.lines.added).collect();
        assert_eq!(added[..7], [500; 7]);
        assert_eq!(added[7..], [999; 5]);
    }
}
