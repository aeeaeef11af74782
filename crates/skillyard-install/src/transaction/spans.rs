//! When the files of large changes were written, which nobody waited for.
//!
//! What a power cut leaves of such a file was last changed then. Whoever edits one changes it later,
//! and nobody can set that time back by hand, which the system keeps itself (`ctime`).

use std::fmt::Write as _;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::scope::Scope;
use crate::text::text_if_there;
use crate::tree::Tree;

/// A power cut takes what is not half a minute old; more changes than these are not made meanwhile.
const MOST: usize = 64;

/// From when to when the files of one change were written, in nanoseconds of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    from: i128,
    to: i128,
}

impl Span {
    /// The moment at which a fresh folder was made.
    pub(super) fn start(folder: &Path) -> io::Result<Self> {
        let from = changed_at(&folder.symlink_metadata()?);
        Ok(Self { from, to: from })
    }

    /// Until now, by the clock of the file system, whose ticks are coarser than those of others.
    pub(super) fn end(self, folder: &Path) -> io::Result<Self> {
        // No skill is called so.
        let path = folder.join(".end");
        let to = changed_at(&File::create_new(&path)?.metadata()?);
        std::fs::remove_file(&path)?;
        Ok(Self { to, ..self })
    }
}

/// The last large changes of a scope, the newest at the end.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    /// Those that were written down; what cannot be read says nothing.
    pub(super) fn of(scope: &Scope) -> Self {
        let text = text_if_there(&scope.spans_file()).ok().flatten();
        text.as_deref().map(Self::parse).unwrap_or_default()
    }

    fn parse(text: &str) -> Self {
        let span = |line: &str| {
            let (from, to) = line.split_once(' ')?;
            Some(Span {
                from: from.parse().ok()?,
                to: to.parse().ok()?,
            })
        };
        Self(text.lines().filter_map(span).collect())
    }

    /// The text with one more.
    pub(super) fn with(mut self, span: Span) -> String {
        self.0.push(span);
        let last = self.0.len().saturating_sub(MOST);
        let mut text = String::new();
        for span in &self.0[last..] {
            let _ = writeln!(text, "{} {}", span.from, span.to);
        }
        text
    }

    /// Whether nobody has touched the files of a folder since a change wrote them.
    pub(super) fn cover(&self, folder: &Path, tree: &Tree) -> bool {
        let is_untouched = |path: &str| {
            let metadata = folder.join(path).symlink_metadata();
            metadata.is_ok_and(|metadata| {
                let at = changed_at(&metadata);
                self.0
                    .iter()
                    .any(|span| (span.from..=span.to).contains(&at))
            })
        };
        tree.files().iter().all(|file| is_untouched(&file.path))
    }
}

/// When a file, its name or its mode was last changed.
fn changed_at(metadata: &Metadata) -> i128 {
    i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{TreeFile, TreeLimits, WriteAccess};

    #[test]
    fn a_span_covers_what_was_written_in_it_and_nothing_that_was_touched_later() {
        let stage = tempfile::tempdir().unwrap();
        let file = |path: &str| TreeFile {
            path: path.into(),
            executable: true,
            bytes: b"text".to_vec(),
        };
        let tree = Tree::new(vec![file("SKILL.md"), file("scripts/run.sh")]).unwrap();
        let folder = stage.path().join("skill");
        let span = Span::start(stage.path()).unwrap();
        tree.write(&folder, WriteAccess::Editable).unwrap();
        let span = span.end(stage.path()).unwrap();
        let text = Spans::default().with(span);
        let covers = || Spans::parse(&text).cover(&folder, &tree);
        assert!(covers());
        assert!(!Spans::default().cover(&folder, &tree));
        assert!(!Spans::parse("nonsense\n1 x\n").cover(&folder, &tree));
        // The clock of the file system has to tick.
        let script = folder.join("scripts/run.sh");
        let before = script.metadata().unwrap().mtime_nsec();
        let is_later = || {
            let metadata = script.metadata().unwrap();
            changed_at(&metadata) > span.to && metadata.mtime_nsec() == before
        };
        // Not even who keeps the time at which it was written.
        while !is_later() {
            let modified = script.metadata().unwrap().modified().unwrap();
            let opened = File::options().write(true).open(&script).unwrap();
            opened.set_modified(modified).unwrap();
        }
        assert!(!covers());
        assert_eq!(
            Tree::read(&folder, &TreeLimits::default()).unwrap(),
            tree,
            "its bytes are the same"
        );
    }

    #[test]
    fn only_the_last_are_kept() {
        let mut text = String::new();
        for at in 0..MOST as i128 + 3 {
            text = Spans::parse(&text).with(Span { from: at, to: at });
        }
        assert_eq!(text.lines().count(), MOST);
        assert!(text.starts_with("3 3\n"), "{text}");
    }
}
