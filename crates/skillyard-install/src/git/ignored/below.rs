//! What lies in a folder, as far as it could be delivered.

use std::path::Path;

use skillyard_format::package::archive::is_junk;

/// Most that is looked at in one folder; no skill has as much.
const MOST: usize = 100_000;

/// Goes through what is in a folder below a root, by the paths from the root, the outer first;
/// `visit` is told what is a folder, and says whether to look into it. What is never delivered is
/// passed over, and no link is followed.
pub(super) fn go_through(root: &Path, folder: &str, mut visit: impl FnMut(&str, bool) -> bool) {
    let mut open = vec![folder.to_owned()];
    let mut left = MOST;
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
                None => return,
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
}
