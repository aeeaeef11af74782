//! What lies in a folder, as far as it could be delivered.

use std::path::Path;

use skillyard_format::package::archive::is_junk;

/// Most that is looked at in one folder; no skill has as much.
pub(super) const MOST: usize = 100_000;

/// Goes through what is in a folder below a root, by the paths from the root, the outer first;
/// `visit` is told what is a folder, and says whether to look into it. What is never delivered is
/// passed over, and no link is followed. Whether all of it was seen.
#[must_use]
pub(super) fn go_through(root: &Path, folder: &str, visit: impl FnMut(&str, bool) -> bool) -> bool {
    go_as_far(root, folder, MOST, visit)
}

fn go_as_far(
    root: &Path,
    folder: &str,
    most: usize,
    mut visit: impl FnMut(&str, bool) -> bool,
) -> bool {
    let mut open = vec![folder.to_owned()];
    let mut left = most;
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(root.join(&folder)).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name();
            // A name that is no text is none that a skill could have.
            let Some(name) = name.to_str().filter(|name| !is_junk(name)) else {
                continue;
            };
            left = match left.checked_sub(1) {
                Some(left) => left,
                None => return false,
            };
            let path = match folder.as_str() {
                "" => name.to_owned(),
                folder => format!("{folder}/{name}"),
            };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if visit(&path, is_folder) && is_folder {
                open.push(path);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_does_not_see_all_knows() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/b/c", "d/e", "node_modules/f"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let seen = |most, is_entered: fn(&str) -> bool| {
            let mut seen = 0;
            let is_whole = go_as_far(folder.path(), "", most, |path, _| {
                seen += 1;
                is_entered(path)
            });
            (seen, is_whole)
        };
        assert_eq!(seen(5, |_| true), (5, true));
        assert_eq!(seen(4, |_| true), (4, false));
        // What is passed over as a whole takes no room.
        assert_eq!(seen(3, |path| path != "a"), (3, true));
    }
}
