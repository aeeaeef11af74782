//! What changed between the files of two versions, as lines.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use similar::{ChangeTag, TextDiff};

use crate::package::Unpacked;

/// Longer files are said to have changed, and not shown.
const LONGEST: usize = 256 * 1024;
/// Most lines of one file, and of all.
const MOST_OF_FILE: usize = 1_000;
const MOST: usize = 4_000;
/// After this long, what is still to be compared is compared roughly.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest part of a line.
const WIDEST: usize = 2_000;

/// A file that changed.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: String,
    /// What became of the file, in a word.
    pub(super) what: &'static str,
    /// What else is to be said.
    pub(super) notes: Vec<String>,
    /// How many lines are new, and how many gone.
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) rows: Vec<Row>,
}

/// A line of a comparison, with its numbers from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// Where the next lines are.
    Place(String),
    /// Is gone.
    Old(usize, String),
    /// Is new.
    New(usize, String),
    /// Is in both.
    Same(usize, usize, String),
}

/// The files that differ: the instructions first, then scripts, then the rest.
pub(super) fn between(old: &[Unpacked], new: &[Unpacked]) -> Vec<Change> {
    let mut pairs: BTreeMap<(u8, &str), [Option<&Unpacked>; 2]> = BTreeMap::new();
    for (side, files) in [old, new].into_iter().enumerate() {
        for file in files {
            pairs.entry((rank(file), &file.path)).or_default()[side] = Some(file);
        }
    }
    let deadline = Instant::now() + PATIENCE;
    let mut left = MOST;
    let differ = pairs.into_iter().filter(|(_, [old, new])| old != new);
    let changes = differ.map(|((_, path), [old, new])| {
        let change = change(path, old, new, left.min(MOST_OF_FILE), deadline);
        left = left.saturating_sub(change.rows.len());
        change
    });
    changes.collect()
}

fn rank(file: &Unpacked) -> u8 {
    match file.path.as_str() {
        "SKILL.md" | "skill.md" => 0,
        path if path.starts_with("scripts/") => 1,
        _ => 2,
    }
}

fn change(
    path: &str,
    old: Option<&Unpacked>,
    new: Option<&Unpacked>,
    most: usize,
    deadline: Instant,
) -> Change {
    let mut change = Change {
        path: path.to_owned(),
        what: match (old, new) {
            (None, _) => "new",
            (_, None) => "removed",
            _ => "changed",
        },
        notes: Vec::new(),
        added: 0,
        removed: 0,
        rows: Vec::new(),
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
    let (old, new) = (bytes(old), bytes(new));
    if old.len().max(new.len()) > LONGEST {
        change
            .notes
            .push("It is too long to be compared here.".to_owned());
        return change;
    }
    let text = |bytes| {
        std::str::from_utf8(bytes)
            .ok()
            .filter(|text| !text.contains('\0'))
    };
    match (text(old), text(new)) {
        (Some(old), Some(new)) => compare(&mut change, old, new, most, deadline),
        _ => change.notes.push(format!(
            "It is not text: {} bytes before, {} now.",
            old.len(),
            new.len()
        )),
    }
    change
}

fn bytes(file: Option<&Unpacked>) -> &[u8] {
    file.map_or(&[], |file| &file.bytes)
}

fn compare(change: &mut Change, old: &str, new: &str, most: usize, deadline: Instant) {
    let diff = TextDiff::configure()
        .deadline(deadline)
        .diff_lines(old, new);
    let mut hidden = 0;
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        let mut rows = vec![Row::Place(hunk.header().to_string().trim_end().to_owned())];
        for line in hunk.iter_changes() {
            let number = |place: Option<usize>| place.map_or(0, |place| place + 1);
            let (before, after) = (number(line.old_index()), number(line.new_index()));
            let text = shortened(line.value());
            rows.push(match line.tag() {
                ChangeTag::Delete => {
                    change.removed += 1;
                    Row::Old(before, text)
                }
                ChangeTag::Insert => {
                    change.added += 1;
                    Row::New(after, text)
                }
                ChangeTag::Equal => Row::Same(before, after, text),
            });
        }
        let room = most.saturating_sub(change.rows.len());
        hidden += rows.len().saturating_sub(room);
        rows.truncate(room);
        change.rows.append(&mut rows);
    }
    if hidden > 0 {
        change
            .notes
            .push(format!("{hidden} more lines are not shown."));
    }
}

fn shortened(line: &str) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    match line.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
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
            changes[0].rows,
            [
                Row::Place("@@ -1,2 +1,2 @@".to_owned()),
                Row::Same(1, 1, "a".to_owned()),
                Row::Old(2, "b".to_owned()),
                Row::New(2, "c".to_owned()),
            ]
        );
    }

    #[test]
    fn a_script_that_can_be_run_now_is_told() {
        let mut new = file("scripts/z.sh", "x");
        new.executable = true;
        let changes = between(&[file("scripts/z.sh", "x")], &[new]);
        assert_eq!(changes[0].notes, ["It can be run now."]);
        assert!(changes[0].rows.is_empty());
    }

    #[test]
    fn what_is_long_or_no_text_is_told_and_not_shown() {
        let long = "x\n".repeat(LONGEST);
        let changes = between(
            &[file("a", "x"), file("b", "x\0")],
            &[file("a", &long), file("b", "y")],
        );
        assert!(
            changes
                .iter()
                .all(|each| each.rows.is_empty() && each.notes.len() == 1)
        );
        let many = numbered(0..3_000);
        let changes = between(&[], &[file("a", &many)]);
        assert_eq!(changes[0].rows.len(), MOST_OF_FILE);
        assert_eq!(changes[0].notes, ["2001 more lines are not shown."]);
        assert_eq!(changes[0].added, 3_000);
    }

    #[test]
    fn files_made_to_be_slow_to_compare_take_no_longer_than_our_patience() {
        let text = |step: usize| numbered((0..40_000).map(|line| line * step % 9_973));
        let begin = Instant::now();
        let changes = between(&[file("a", &text(7))], &[file("a", &text(4_211))]);
        assert_eq!(changes.len(), 1);
        assert!(begin.elapsed() < PATIENCE * 10, "{:?}", begin.elapsed());
    }
}
