//! What differs between two texts, line by line and never without end.
//!
//! Texts of strangers are compared here: where too many lines differ to be compared in good time,
//! all of them are said to be gone and to be new, which is true, too.

use std::fmt;

use similar::{ChangeTag, TextDiff};

/// Most lines on one side that are compared one by one.
const MOST_COMPARED: usize = 2_000;
/// How many lines around a change are told.
const AROUND: usize = 2;
/// The longest part of a line that is told, in characters.
const WIDEST: usize = 500;

/// What differs between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// The changed lines, and a few around them.
    pub lines: Vec<Line>,
    /// How many changed lines are left out.
    pub hidden: usize,
}

/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Where the next lines are, such as `@@ -1,3 +1,4 @@`.
    Place(String),
    /// Is gone.
    Gone(String),
    /// Is new.
    New(String),
    /// Is in both.
    Same(String),
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(text) => formatter.write_str(text),
            Self::Gone(text) => write!(formatter, "-{text}"),
            Self::New(text) => write!(formatter, "+{text}"),
            Self::Same(text) => write!(formatter, " {text}"),
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
    /// What differs, in at most this many lines.
    pub fn between(before: &str, after: &str, most: usize) -> Self {
        let mut difference = Self::default();
        if before == after {
            return difference;
        }
        let count = before.lines().count().max(after.lines().count());
        if count > MOST_COMPARED {
            difference.replaced(before, after, most);
            return difference;
        }
        let diff = TextDiff::from_lines(before, after);
        for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
            let place = hunk.header().to_string().trim_end().to_owned();
            difference.push(Line::Place(place), most);
            for change in hunk.iter_changes() {
                let text = told(change.value());
                let line = match change.tag() {
                    ChangeTag::Delete => Line::Gone(text),
                    ChangeTag::Insert => Line::New(text),
                    ChangeTag::Equal => Line::Same(text),
                };
                difference.push(line, most);
            }
        }
        difference
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
            Line::Place(format!("@@ -{at},{gone} +{at},{come} @@")),
            most,
        );
        // Of both sides something is told.
        for line in old {
            self.push(Line::Gone(told(line)), most / 2);
        }
        for line in new {
            self.push(Line::New(told(line)), most);
        }
    }

    fn push(&mut self, line: Line, most: usize) {
        if self.lines.len() < most {
            self.lines.push(line);
        } else if matches!(line, Line::Gone(_) | Line::New(_)) {
            self.hidden += 1;
        }
    }
}

/// A line without its end, cut where it is too long.
fn told(line: &str) -> String {
    let line = line.trim_end_matches(['\n', '\r']);
    match line.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, most: usize, expected: &str) {
        let difference = Difference::between(before, after, most);
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
        let told = Difference::between("", &"x".repeat(9_000), 9).to_string();
        assert!(told.len() < 600, "{}", told.len());
    }

    #[test]
    fn very_many_lines_are_not_compared_one_by_one() {
        let text = |word: &str| {
            let lines: Vec<String> = (0..100_000).map(|at| format!("{word}{at}")).collect();
            lines.join("\n") + "\n"
        };
        let (before, after) = (format!("head\n{}tail\n", text("a")), text("b"));
        let difference = Difference::between(&before, &format!("head\n{after}tail\n"), 10);
        assert_eq!(difference.lines.len(), 10);
        assert_eq!(
            difference.lines[0],
            Line::Place("@@ -2,100000 +2,100000 @@".into())
        );
        assert_eq!(difference.lines[9], Line::New("b4".into()));
        assert_eq!(difference.hidden, 200_000 - 9);
    }
}
