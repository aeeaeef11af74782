//! Paths within a source, as text with `/`.

/// Folders that hold no skills of their own.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// Whether `path` is `folder` or lies in it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folders that a path lies in, the outermost first, which is the source itself.
pub(crate) fn around(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.match_indices('/').map(|(end, _)| &path[..end]);
    let root = Some("").filter(|root| *root != path);
    root.into_iter().chain(inner)
}

/// Whether nobody looks for skills there, such as in what a package manager of another kind fetched.
pub(crate) fn is_passed_over(folder: &str) -> bool {
    folder.split('/').any(|part| SKIPPED.contains(&part))
}

/// The last part of a path.
pub(crate) fn last_part(path: &str) -> Option<&str> {
    path.rsplit('/').next().filter(|part| !part.is_empty())
}
