//! Links of a skill to files in its folder that git ignores, so that it is delivered without them.

use std::path::Path;

use skillyard_format::Document;
use skillyard_format::links::{relative_links, resolve};
use skillyard_format::span::Span;

use crate::text::shell::shell_words;

/// A link to a file that is not delivered.
pub(crate) struct IgnoredLink {
    /// Where it stands.
    pub(crate) span: Span,
    /// The file or folder that it leads to, by its path in the skill.
    pub(crate) path: String,
}

/// The links to what is ignored, or lies in a folder that is.
pub(crate) fn ignored_links(
    document: &Document<'_>,
    is_ignored: impl Fn(&str) -> bool,
) -> Vec<IgnoredLink> {
    let links = relative_links(&document.text, document.body_span());
    let links = links.into_iter().filter_map(|link| {
        let path = resolve(&link.target)?;
        let path = path.trim_end_matches('/');
        let ends = path.match_indices('/').map(|(at, _)| at);
        let mut parts = ends.chain([path.len()]).map(|end| &path[..end]);
        parts.any(&is_ignored).then(|| IgnoredLink {
            span: link.span,
            path: path.to_owned(),
        })
    });
    links.collect()
}

/// How git is made to have a file or folder that it ignores, wherever one stands.
pub(crate) fn adding(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path).to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    shell_words(["git", "-C", &folder, "add", "-f", &name])
}
