//! A path inside an archive that is safe to join to a folder on every system.

use std::collections::HashMap;
use std::fmt;

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::confusable_detection::skeleton;

use crate::package::archive::error::EntryProblem;
use crate::text::is_invisible;

/// A relative path of plain names separated by `/`: nothing in it leads out, hides or deceives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArchivePath(String);

impl ArchivePath {
    /// Checks `text`; lengths are for [`Limits`](super::Limits) to judge.
    pub fn new(text: &str) -> Result<Self, EntryProblem> {
        check_ways_out(text)?;
        text.split('/').try_for_each(check_component)?;
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names from the root down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last name.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it lies in; `None` at the archive's root.
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        Some(Self(parent.to_owned()))
    }

    /// The first name.
    pub fn root(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// What is left below `folder`; `None` when it lies elsewhere or is the folder itself.
    pub fn below(&self, folder: &str) -> Option<Self> {
        let rest = self.0.strip_prefix(folder)?.strip_prefix('/')?;
        Some(Self(rest.to_owned()))
    }
}

impl fmt::Display for ArchivePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ArchivePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Everything by which a path can lead out of a folder.
pub(crate) fn check_ways_out(text: &str) -> Result<(), EntryProblem> {
    check_whole(text)?;
    check_steps(text)
}

/// The outright ways out, before the path is taken apart.
fn check_whole(text: &str) -> Result<(), EntryProblem> {
    let bytes = text.as_bytes();
    match bytes {
        [] => Err(EntryProblem::EmptyName),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Err(EntryProblem::Drive),
        [b'\\', b'\\', ..] | [b'/', b'/', ..] => Err(EntryProblem::Drive),
        [b'/' | b'\\', ..] => Err(EntryProblem::Absolute),
        _ => Ok(()),
    }
}

/// `..`, `.` and empty names. A backslash is taken for a separator here, so that
/// `..\..\x` is called what it is.
fn check_steps(text: &str) -> Result<(), EntryProblem> {
    let mut depth = 0_i64;
    let mut plain = true;
    for step in text.split(['/', '\\']) {
        match step {
            ".." => {
                depth -= 1;
                plain = false;
            }
            "." | "" => plain = false,
            _ => depth += 1,
        }
        if depth < 0 {
            return Err(EntryProblem::Escapes);
        }
    }
    if text.contains('\\') {
        return Err(EntryProblem::Backslash);
    }
    if plain {
        Ok(())
    } else {
        Err(EntryProblem::NotCanonical)
    }
}

/// Device names that Windows sees in every folder, with any extension.
const DEVICES: [&str; 7] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// Checks one name of a path, which holds no separator and is not `.` or `..`.
pub(crate) fn check_component(component: &str) -> Result<(), EntryProblem> {
    for character in component.chars() {
        match character {
            _ if character.is_control() => return Err(EntryProblem::ControlCharacter),
            ':' => return Err(EntryProblem::AlternateStream),
            '<' | '>' | '"' | '|' | '?' | '*' => {
                return Err(EntryProblem::ReservedCharacter(character));
            }
            _ if is_invisible(character) => {
                return Err(EntryProblem::InvisibleCharacter(character));
            }
            _ => {}
        }
    }
    if component.ends_with(['.', ' ']) {
        return Err(EntryProblem::TrailingDotOrSpace);
    }
    if is_device(component) {
        return Err(EntryProblem::ReservedName);
    }
    check_lookalike(component)
}

/// What is left of a name where neither case nor Unicode form counts.
///
/// Upper case first: it is what makes `ß` and `ss` one, as some file systems do.
pub(crate) fn fold(component: &str) -> String {
    if component.is_ascii() {
        return component.to_ascii_lowercase();
    }
    component
        .nfkc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect()
}

/// Whether Windows takes a file or folder of this name for a device.
pub fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default();
    let stem = fold(stem.trim_end_matches(' '));
    if DEVICES.contains(&stem.as_str()) {
        return true;
    }
    // Superscript digits count too; folding has made them plain ones.
    let port = stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"));
    port.is_some_and(|digit| digit.len() == 1 && digit.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_lookalike(component: &str) -> Result<(), EntryProblem> {
    let folded = fold(component);
    // Git itself takes these spellings for its own folder on some systems.
    if component != ".git" && (folded == ".git" || folded == "git~1") {
        return Err(EntryProblem::Lookalike(".git"));
    }
    if component.is_ascii() {
        // `SKlLL.md` is caught by the skeleton below, and has no other reason to be looked at.
        if component.len() != "SKILL.md".len() {
            return Ok(());
        }
    } else if folded == "." || folded == ".." {
        return Err(EntryProblem::Lookalike(".."));
    } else if folded.contains(['/', '\\', ':'])
        || component.contains(['\u{2044}', '\u{2215}', '\u{29f8}', '\u{29f5}', '\u{2216}'])
    {
        return Err(EntryProblem::Lookalike("/"));
    }
    if component.eq_ignore_ascii_case("SKILL.md") {
        return Ok(());
    }
    let same = |wanted: &str| skeleton(component).eq(skeleton(wanted));
    if same("SKILL.md") || same("skill.md") || same("Skill.md") || folded == "skill.md" {
        return Err(EntryProblem::Lookalike("SKILL.md"));
    }
    Ok(())
}

/// A tree of the names seen so far. Every folder on the way counts, so `A/x` and `a/y` collide too.
#[derive(Debug, Default)]
pub(crate) struct NameTree {
    nodes: Vec<Node>,
    /// From a folder and a folded name to the node of that name.
    children: HashMap<(usize, String), usize>,
}

/// What takes the place at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// A file, or a link that is left out.
    File,
    /// A folder with an entry of its own.
    Folder,
    /// A folder that only paths below it tell of.
    ImpliedFolder,
}

#[derive(Debug)]
struct Node {
    name: String,
    parent: usize,
    place: NodeKind,
}

/// Stands for the archive's root, which has no node.
const ROOT: usize = usize::MAX;

impl NameTree {
    /// Adds `path`, or says with what it clashes.
    pub(crate) fn add(&mut self, path: &ArchivePath, place: NodeKind) -> Result<(), EntryProblem> {
        let mut parent = ROOT;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let wanted = if components.peek().is_some() {
                NodeKind::ImpliedFolder
            } else {
                place
            };
            let key = (parent, fold(component));
            let Some(&found) = self.children.get(&key) else {
                let new = self.nodes.len();
                self.nodes.push(Node {
                    name: component.to_owned(),
                    parent,
                    place: wanted,
                });
                self.children.insert(key, new);
                parent = new;
                continue;
            };
            if self.nodes[found].name != component {
                return Err(EntryProblem::Collision(self.path_of(found)));
            }
            self.nodes[found].place = meet(self.nodes[found].place, wanted)?;
            parent = found;
        }
        Ok(())
    }

    fn path_of(&self, mut node: usize) -> String {
        let mut names = Vec::new();
        while node != ROOT {
            names.push(self.nodes[node].name.as_str());
            node = self.nodes[node].parent;
        }
        names.reverse();
        names.join("/")
    }
}

/// What a path is when it was `old` and is met again as `new`.
fn meet(old: NodeKind, new: NodeKind) -> Result<NodeKind, EntryProblem> {
    match (old, new) {
        (NodeKind::ImpliedFolder, NodeKind::Folder)
        | (NodeKind::Folder, NodeKind::ImpliedFolder) => Ok(NodeKind::Folder),
        (NodeKind::ImpliedFolder, NodeKind::ImpliedFolder) => Ok(NodeKind::ImpliedFolder),
        (NodeKind::File, NodeKind::File) | (NodeKind::Folder, NodeKind::Folder) => {
            Err(EntryProblem::Duplicate)
        }
        (NodeKind::File, _) | (_, NodeKind::File) => Err(EntryProblem::FileAndFolder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_plain_are_refused() {
        for (text, code) in [
            ("", "entry-empty-name"),
            ("../x", "entry-escapes"),
            ("a/../../x", "entry-escapes"),
            ("..\\..\\x", "entry-escapes"),
            ("a\\b", "entry-backslash"),
            ("/etc/passwd", "entry-absolute"),
            ("\\windows", "entry-absolute"),
            ("C:\\x", "entry-drive"),
            ("c:x", "entry-drive"),
            ("\\\\srv\\share", "entry-drive"),
            ("//srv/share", "entry-drive"),
            ("a/../b", "entry-not-canonical"),
            ("a/./b", "entry-not-canonical"),
            ("./a", "entry-not-canonical"),
            ("a//b", "entry-not-canonical"),
            ("a/", "entry-not-canonical"),
            (".", "entry-not-canonical"),
            ("a/b/..", "entry-not-canonical"),
        ] {
            assert_eq!(
                ArchivePath::new(text).expect_err(text).code(),
                code,
                "{text}"
            );
        }
    }

    #[test]
    fn parts_of_a_path() {
        let path = ArchivePath::new("pdf/scripts/run.py").expect("plain");
        assert_eq!(path.root(), "pdf");
        assert_eq!(path.file_name(), "run.py");
        assert_eq!(path.below("pdf").expect("below").as_str(), "scripts/run.py");
        assert_eq!(path.below("pd"), None);
        assert_eq!(path.parent().expect("parent").as_str(), "pdf/scripts");
    }
}

#[cfg(test)]
mod characters_tests {
    use super::*;

    #[test]
    fn ordinary_names_pass() {
        for name in [
            "SKILL.md",
            "skill.md",
            "a b.txt",
            "café.md",
            "日本語.md",
            ".gitignore",
            "console.txt",
            "nul1",
            "com10",
            "v1.2",
            "...rest",
            "résumé (1).pdf",
            "данные.csv",
            "git~2",
        ] {
            assert_eq!(check_component(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn names_that_deceive_are_told_apart() {
        for (name, code) in [
            ("NUL", "entry-reserved-name"),
            ("nul.txt", "entry-reserved-name"),
            ("aux .md", "entry-reserved-name"),
            ("COM¹.log", "entry-reserved-name"),
            ("a:b", "entry-alternate-stream"),
            ("what?", "entry-reserved-character"),
            ("x.", "entry-trailing-dot-or-space"),
            ("x ", "entry-trailing-dot-or-space"),
            ("a\nb", "entry-control-character"),
            ("a\u{9b}b", "entry-control-character"),
            ("SKILL\u{200b}.md", "entry-invisible-character"),
            ("a\u{202e}b", "entry-invisible-character"),
            ("a\u{e0041}", "entry-invisible-character"),
            ("a\u{a0}b", "entry-invisible-character"),
            ("\u{ff0e}\u{ff0e}", "entry-lookalike"),
            ("\u{2025}", "entry-lookalike"),
            ("a\u{ff0f}b", "entry-lookalike"),
            ("a\u{2215}b", "entry-lookalike"),
            (".GIT", "entry-lookalike"),
            ("GIT~1", "entry-lookalike"),
            ("ЅКІLL.md", "entry-lookalike"),
            ("SKlLL.md", "entry-lookalike"),
            ("ＳＫＩＬＬ.md", "entry-lookalike"),
        ] {
            let problem = check_component(name).expect_err(name);
            assert_eq!(problem.code(), code, "{name:?}");
        }
    }

    #[test]
    fn folding_makes_one_what_some_file_systems_make_one() {
        assert_eq!(fold("straße"), fold("STRASSE"));
        assert_eq!(fold("cafe\u{301}"), fold("CAFÉ"));
        assert_eq!(fold("ﬁle"), fold("file"));
        assert_ne!(fold("a-b"), fold("a_b"));
    }
}

#[cfg(test)]
mod names_tests {
    use super::*;

    fn clash(paths: &[(&str, NodeKind)]) -> Option<&'static str> {
        let mut names = NameTree::default();
        let added = paths
            .iter()
            .try_for_each(|(path, place)| names.add(&ArchivePath::new(path).expect(path), *place));
        added.err().map(|problem| problem.code())
    }

    #[test]
    fn clashes_are_found_at_every_level() {
        use NodeKind::{File, Folder};
        assert_eq!(
            clash(&[("a", Folder), ("a/b", File), ("c/d", File), ("c", Folder)]),
            None
        );
        assert_eq!(clash(&[("a", File), ("a", File)]), Some("entry-duplicate"));
        assert_eq!(
            clash(&[("a", Folder), ("a", Folder)]),
            Some("entry-duplicate")
        );
        assert_eq!(clash(&[("a", File), ("A", File)]), Some("entry-collision"));
        assert_eq!(
            clash(&[("A/x", File), ("a/y", File)]),
            Some("entry-collision")
        );
        assert_eq!(
            clash(&[("é", File), ("e\u{301}", File)]),
            Some("entry-collision")
        );
        assert_eq!(
            clash(&[("a", File), ("a/b", File)]),
            Some("entry-file-and-folder")
        );
        assert_eq!(
            clash(&[("a/b", File), ("a", File)]),
            Some("entry-file-and-folder")
        );
    }
}
