//! The paths that the files of a skill may have together.

use std::collections::{HashMap, HashSet};

use skillyard_catalog::resource::MAX_FOLDERS;
use skillyard_format::name::normalise;
use skillyard_format::package::archive::{ArchivePath, EntryProblem, Limits, is_junk};

use super::TreeError;

/// Whether sorted paths are those of a skill, wherever it comes from.
pub(super) fn check(paths: &[&str]) -> Result<(), TreeError> {
    if folders(paths) > MAX_FOLDERS {
        return Err(TreeError::Folders(MAX_FOLDERS));
    }
    one_place_each(paths)?;
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

/// Folders, too, may not differ only in case or in form, nor be called as a file is.
fn one_place_each(sorted: &[&str]) -> Result<(), TreeError> {
    let mut places: HashMap<String, &str> = HashMap::new();
    let mut folders: HashSet<&str> = HashSet::new();
    let mut last = "";
    for path in sorted {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        // The files of a folder follow each other.
        let ends = path.match_indices('/').map(|(at, _)| at);
        let new = ends.filter(|_| folder != last).map(|end| &path[..end]);
        for each in new {
            folders.insert(each);
            if let Some(other) = places.insert(folded(each), each)
                && other != each
            {
                return Err(TreeError::SameName(other.to_owned(), each.to_owned()));
            }
        }
        last = folder;
    }
    for path in sorted {
        let other = places.get(&folded(path));
        match other {
            Some(_) if folders.contains(path) => {
                return Err(TreeError::Path {
                    path: shortened(path),
                    problem: EntryProblem::FileAndFolder,
                });
            }
            Some(other) => {
                return Err(TreeError::SameName((*other).to_owned(), (*path).to_owned()));
            }
            None => {}
        }
    }
    Ok(())
}

/// What a name is on systems that tell neither case nor form.
fn folded(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if name.bytes().all(is_plain) {
        return name.to_owned();
    }
    normalise(name).to_lowercase()
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
    let names = sorted.iter().map(|path| (folded(path), *path));
    let mut names: Vec<(String, &str)> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
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
    fn no_two_names_are_one_elsewhere() {
        for paths in [
            &["Docs/a", "docs/b"][..],
            &["Docs/a", "docs"],
            &["a", "a/b"],
            &["a", "a-b", "a/b"],
            &["SKILL.md", "SKILL.md/x"],
            &["cafe\u{301}/a", "caf\u{e9}/b"],
            &["x/A/one", "x/a/two"],
        ] {
            assert!(check(paths).is_err(), "{paths:?}");
        }
        let fine = ["A/x", "A/y", "B/a/x", "B/b/x", "SKILL.md", "a-b/x", "b"];
        assert!(check(&["A/b/c", "A/c", "A/d/e", "A/d/f"]).is_ok());
        assert!(check(&fine[..6]).is_ok());
        // A file `b` beside the folder `B`.
        assert!(check(&fine).is_err());
    }

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
