//! The paths that the files of a skill may have together.

use skillyard_catalog::resource::MAX_FOLDERS;
use skillyard_format::name::normalise;
use skillyard_format::package::archive::{ArchivePath, Limits, is_junk};

use super::TreeError;

/// Whether sorted paths are those of a skill, wherever it comes from.
pub(super) fn check(paths: &[&str]) -> Result<(), TreeError> {
    if folders(paths) > MAX_FOLDERS {
        return Err(TreeError::Folders(MAX_FOLDERS));
    }
    let limits = Limits::skill();
    // What no source delivers need not have a good name either.
    let is_delivered = |path: &&&str| !path.split('/').any(is_junk);
    for path in paths.iter().filter(is_delivered) {
        let checked = ArchivePath::new(path);
        let checked = checked.and_then(|path| limits.check_path(&path));
        checked.map_err(|problem| TreeError::Path {
            path: shortened(path),
            problem,
        })?;
    }
    Ok(())
}

/// How many folders files with sorted paths lie in.
fn folders(paths: &[&str]) -> usize {
    let mut before: &[u8] = &[];
    let new = paths.iter().map(|path| {
        let path = path.as_bytes();
        let shared = before.iter().zip(path).take_while(|(a, b)| a == b).count();
        before = path;
        let new = path.iter().skip(shared);
        new.filter(|byte| **byte == b'/').count()
    });
    new.sum()
}

/// A path that may be too long to be shown.
fn shortened(path: &str) -> String {
    const MOST: usize = 80;
    match path.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

/// Names that differ only in case or in form would overwrite each other elsewhere.
pub(super) fn same_names(sorted: &[&str]) -> Result<(), TreeError> {
    let same = |one: &str, other: &str| TreeError::SameName(one.to_owned(), other.to_owned());
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(same(pair[0], pair[1]));
    }
    let is_plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if sorted.iter().all(|path| path.bytes().all(is_plain)) {
        return Ok(());
    }
    let folded = sorted.iter().map(|path| {
        let name = normalise(path).to_lowercase();
        (name, *path)
    });
    let mut folded: Vec<(String, &str)> = folded.collect();
    folded.sort_unstable();
    match folded.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(same(pair[0].1, pair[1].1)),
        None => Ok(()),
    }
}

/// Whether a path stays below the folder it is joined to; a commit of git can hold any name.
pub(super) fn is_inside(path: &str) -> bool {
    path.split('/')
        .all(|part| !matches!(part, "" | "." | "..") && is_plain(part))
}

/// Whether a name is harmless on a terminal, in a digest's lines and on other systems.
pub(super) fn is_plain(name: &str) -> bool {
    !name.chars().any(|c| c.is_control() || c == '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_counted_once_each() {
        for (paths, expected) in [
            (&["SKILL.md"][..], 0),
            (&["SKILL.md", "a/b/c", "a/b/d", "a/bc/d", "a/e"], 3),
            (&["a-b/x", "a/x", "a/y", "ab/c/x"], 4),
        ] {
            assert_eq!(folders(paths), expected, "{paths:?}");
        }
        let many =
            |count: usize| -> Vec<String> { (0..count).map(|at| format!("{at}/x")).collect() };
        let checked = |paths: &[String]| {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            check(&paths)
        };
        assert!(checked(&many(MAX_FOLDERS)).is_ok());
        let refused = checked(&many(MAX_FOLDERS + 1));
        assert!(matches!(refused, Err(TreeError::Folders(MAX_FOLDERS))));
    }
}
