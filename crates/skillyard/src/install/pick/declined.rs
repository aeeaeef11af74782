//! What of a source could be a skill and cannot be loaded.

use skillyard_format::text::one_line;
use skillyard_install::material::Declined;

use super::Source;
use crate::closed;
use crate::error::install::InstallFailure;
use crate::printer::Printer;
use crate::report::counted;

/// Most that are named.
const MAX_NAMED: usize = 20;

/// Warns of what does not come along although all of a source is wanted.
pub(super) fn tell<'d>(
    printer: &Printer,
    source: &Source<'_>,
    declined: impl Iterator<Item = &'d Declined>,
) {
    let place = source.shown;
    let mut declined = declined;
    for each in declined.by_ref().take(MAX_NAMED) {
        let path = if each.path.is_empty() {
            "SKILL.md"
        } else {
            &each.path
        };
        // Names of a stranger's folders begin no line.
        let (path, reason) = (one_line(path), one_line(&each.reason));
        let remedy = opening(each, source).map(|hint| format!(" ({hint})"));
        let remedy = remedy.unwrap_or_default();
        printer.warn(&format!(
            "`{path}` of `{place}` is left out, because it cannot be loaded: {reason}{remedy}"
        ));
    }
    let more = declined.count();
    if more > 0 {
        let more = counted(more, "more skill");
        printer.warn(&format!(
            "{more} of `{place}` cannot be loaded; `-v` names all of them"
        ));
    }
}

/// Whether a word means something that cannot be loaded.
pub(super) fn is_meant(word: &str, each: &Declined, source: &Source<'_>) -> bool {
    each.path.rsplit('/').next() == Some(word)
        || word.contains('/') && source.is_folder(word, &each.path)
}

/// Why the skill that a word means cannot be had, if it is there and cannot be loaded.
pub(super) fn why(
    word: &str,
    declined: &[Declined],
    source: &Source<'_>,
) -> Option<InstallFailure> {
    let each = declined.iter().find(|each| is_meant(word, each, source))?;
    Some(InstallFailure::NotLoadable {
        place: source.shown.to_owned(),
        name: word.to_owned(),
        reason: each.reason.clone(),
        opening: opening(each, source),
    })
}

/// What opens it, where it is in a folder of this machine and closed to the user.
pub(super) fn opening(each: &Declined, source: &Source<'_>) -> Option<String> {
    closed::remedy(&source.folder?.join(&each.path).join("SKILL.md"))
}
