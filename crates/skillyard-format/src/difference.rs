//! What differs between two texts, line by line and never without end.
//!
//! Texts of strangers are compared here: where too many lines differ to be compared in good time,
//! all of them are said to be gone and to be new, which is true, too.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use similar::{ChangeTag, TextDiff};

use crate::script::is_script;
use crate::text::counted;
use crate::text::escape_invisible;

/// Most lines on one side that are compared one by one.
const MAX_COMPARED: usize = 2_000;
/// How many lines around a change are told.
const AROUND: usize = 2;
/// The longest part of a line that is told, in characters: a paragraph of prose is one line.
const WIDEST: usize = 2_000;
/// One byte of so many may be no text in a file that is text for the rest.
const MAX_STRANGE: usize = 8;

/// What differs between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// The changed lines, and a few around them.
    pub lines: Vec<DiffLine>,
    /// How many lines are new.
    pub added: usize,
    /// How many lines are gone.
    pub removed: usize,
    /// How many of both are left out.
    pub hidden: usize,
}

/// One line of a difference, with its numbers from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    /// Where the next lines are, such as `@@ -1,3 +1,4 @@`.
    Place(String),
    /// Is gone.
    Gone(usize, String),
    /// Is new.
    New(usize, String),
    /// Is in both.
    Same(usize, usize, String),
}

/// How much of a difference is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLimits {
    /// Most lines that are told.
    pub told: usize,
    /// Most lines on one side that are compared one by one.
    pub compared: usize,
}

impl DiffLimits {
    /// So many lines are told.
    pub fn telling(told: usize) -> Self {
        Self {
            told,
            compared: MAX_COMPARED,
        }
    }
}

/// Where a file of a skill stands when changes are told: instructions, then scripts, then the rest.
pub fn rank(path: &str) -> u8 {
    match path {
        "SKILL.md" | "skill.md" => 0,
        path if is_script(path, false, b"") => 1,
        _ => 2,
    }
}

/// A file as text that can be compared, if it is any. A byte that is no text must not hide the others, least
/// of all in a script, which is run all the same: it is shown as `\xff`.
pub fn readable<'a>(path: &str, executable: bool, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        return Some(text.into());
    }
    let mut text = String::with_capacity(bytes.len());
    let mut strange = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        strange += chunk.invalid().len();
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    let is_mostly_text = strange <= bytes.len() / MAX_STRANGE && !bytes.contains(&0);
    (is_mostly_text || is_script(path, executable, bytes)).then(|| text.into())
}

impl fmt::Display for DiffLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(text) => formatter.write_str(text),
            Self::Gone(_, text) => write!(formatter, "-{text}"),
            Self::New(_, text) => write!(formatter, "+{text}"),
            Self::Same(_, _, text) => write!(formatter, " {text}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(formatter, "{line}")?;
        }
        match self.hidden {
            0 => Ok(()),
            hidden => writeln!(formatter, "… and {hidden} more changed lines"),
        }
    }
}

impl Difference {
    /// What differs, within limits.
    pub fn between(before: &str, after: &str, limits: DiffLimits) -> Self {
        let mut difference = Self::default();
        if before == after {
            return difference;
        }
        let count = before.lines().count().max(after.lines().count());
        if count > limits.compared {
            difference.replaced(before, after, limits.told);
            return difference;
        }
        let diff = TextDiff::from_lines(before, after);
        for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
            let place = hunk.header().to_string().trim_end().to_owned();
            difference.push(DiffLine::Place(place), limits.told);
            for change in hunk.iter_changes() {
                let number = |index: Option<usize>| index.map_or(0, |index| index + 1);
                let (old, new) = (number(change.old_index()), number(change.new_index()));
                let text = told(change.value());
                let line = match change.tag() {
                    ChangeTag::Delete => DiffLine::Gone(old, text),
                    ChangeTag::Insert => DiffLine::New(new, text),
                    ChangeTag::Equal => DiffLine::Same(old, new, text),
                };
                difference.push(line, limits.told);
            }
        }
        difference
    }

    /// The same in so many lines: of what is longer the beginning and the end, and how much is left
    /// out between them.
    #[must_use]
    pub fn folded(&self, most: usize) -> Self {
        if self.lines.len() <= most {
            return self.clone();
        }
        let (head, rest) = self.lines.split_at(most / 2);
        let (left, tail) = rest.split_at(rest.len() - most / 2);
        let is_change = |line: &&DiffLine| matches!(line, DiffLine::Gone(..) | DiffLine::New(..));
        let changed = left.iter().filter(is_change).count();
        let place = DiffLine::Place(format!("@@ {changed} changed lines are left out here @@"));
        Self {
            lines: [head, &[place], tail].concat(),
            ..self.clone()
        }
    }

    /// All lines between those that both begin with and those that both end with.
    fn replaced(&mut self, before: &str, after: &str, most: usize) {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        let same = |(one, other): &(&&str, &&str)| one == other;
        let head = old.iter().zip(&new).take_while(same).count();
        let (old, new) = (&old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev());
        let tail = tail.take_while(same).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let (at, gone, come) = (head + 1, old.len(), new.len());
        self.push(
            DiffLine::Place(format!("@@ -{at},{gone} +{at},{come} @@")),
            most,
        );
        // Of both sides something is told.
        for (line, number) in old.iter().zip(at..) {
            self.push(DiffLine::Gone(number, told(line)), most / 2);
        }
        for (line, number) in new.iter().zip(at..) {
            self.push(DiffLine::New(number, told(line)), most);
        }
    }

    fn push(&mut self, line: DiffLine, most: usize) {
        let is_change = match line {
            DiffLine::Gone(..) => {
                self.removed += 1;
                true
            }
            DiffLine::New(..) => {
                self.added += 1;
                true
            }
            DiffLine::Place(_) | DiffLine::Same(..) => false,
        };
        if self.lines.len() < most {
            self.lines.push(line);
        } else if is_change {
            self.hidden += 1;
        }
    }
}

/// A line without its end; of one that is too long it is said how much is missing, since that may
/// be what changed.
fn told(line: &str) -> String {
    // Who looks at a difference decides by it.
    let line = &*escape_invisible(line.trim_end_matches(['\n', '\r']));
    match line.char_indices().nth(WIDEST) {
        Some((end, _)) => {
            let (shown, rest) = line.split_at(end);
            let more = counted(rest.chars().count(), "more character");
            format!("{shown}… and {more}")
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, most: usize, expected: &str) {
        let difference = Difference::between(before, after, DiffLimits::telling(most));
        assert_eq!(difference.to_string(), expected);
    }

    #[test]
    fn changed_lines_are_told_with_those_around_them() {
        check("a\nb\nc\n", "a\nb\nc\n", 9, "");
        check(
            "a\nb\nc\nd\n",
            "a\nb\nC\nd\n",
            9,
            "@@ -1,4 +1,4 @@\n a\n b\n-c\n+C\n d\n",
        );
        check("", "new\n", 9, "@@ -0,0 +1 @@\n+new\n");
        check("a\r\n", "b\r\n", 9, "@@ -1 +1 @@\n-a\n+b\n");
    }

    #[test]
    fn who_decides_sees_what_cannot_be_seen() {
        check(
            "a\n",
            "a\u{200b}\u{3164}\u{202e}\n",
            9,
            "@@ -1 +1 @@\n-a\n+a\\u{200b}\\u{3164}\\u{202e}\n",
        );
    }

    #[test]
    fn a_strange_byte_hides_nothing() {
        let check = |path: &str, bytes: &[u8], expected: Option<&str>| {
            assert_eq!(readable(path, false, bytes).as_deref(), expected, "{path}");
        };
        check("a.md", b"plain", Some("plain"));
        check("scripts/t.py", b"# \xff\0\nrun()", Some("# \\xff\0\nrun()"));
        check(
            "run",
            b"#!/bin/sh\n\xff\xff\xff\xff",
            Some("#!/bin/sh\n\\xff\\xff\\xff\\xff"),
        );
        check("a.md", b"caf\xe9 in Latin-1", Some("caf\\xe9 in Latin-1"));
        check("a.png", b"\x89PNG\xff\xfe\xff", None);
        check("a.bin", b"text\0text", None);
    }

    #[test]
    fn what_is_folded_has_its_beginning_and_its_end() {
        let whole = Difference::between("", "a\nb\nc\nd\ne\nf\n", DiffLimits::telling(99));
        assert_eq!(whole.folded(7), whole);
        assert_eq!(
            whole.folded(4).to_string(),
            "@@ -0,0 +1,6 @@\n+a\n@@ 3 changed lines are left out here @@\n+e\n+f\n"
        );
    }

    #[test]
    fn what_is_left_out_is_counted() {
        check(
            "a\nb\n",
            "c\nd\n",
            3,
            "@@ -1,2 +1,2 @@\n-a\n-b\n… and 2 more changed lines\n",
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let limits = DiffLimits::telling(9);
        let told = Difference::between("", &"x".repeat(9_000), limits).to_string();
        let rest = "x… and 7000 more characters\n";
        assert!(told.len() < 2_100 && told.ends_with(rest), "{told}");
    }

    #[test]
    fn very_many_lines_are_not_compared_one_by_one() {
        let text = |word: &str| {
            let lines: Vec<String> = (0..100_000).map(|at| format!("{word}{at}")).collect();
            lines.join("\n") + "\n"
        };
        let (before, after) = (format!("head\n{}tail\n", text("a")), text("b"));
        let difference = Difference::between(
            &before,
            &format!("head\n{after}tail\n"),
            DiffLimits::telling(10),
        );
        assert_eq!(difference.lines.len(), 10);
        assert_eq!(
            difference.lines[0],
            DiffLine::Place("@@ -2,100000 +2,100000 @@".into())
        );
        assert_eq!(difference.lines[9], DiffLine::New(6, "b4".into()));
        assert_eq!(difference.hidden, 200_000 - 9);
        assert_eq!((difference.added, difference.removed), (100_000, 100_000));
    }
}
