//! Files that are referenced deeper than one level.

use super::{Report, Subject};
use crate::links::{relative_links, resolve};

rule! {
    /// Files should be at most one folder deep: `references/forms.md`.
    ///
    /// The specification asks for it, because agents tend to read only part of what is
    /// nested deeper.
    ///
    /// **Fix:** move the file up.
    "link-depth", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.mapping().is_none() {
        return;
    }
    for link in relative_links(&subject.document.text, subject.document.body_span()) {
        let Some(path) = resolve(&link.target) else {
            continue;
        };
        let depth = path.trim_end_matches('/').matches('/').count();
        if depth > 1 {
            report
                .add(
                    &RULE,
                    link.span,
                    format!("`{path}` is {depth} folders deep"),
                )
                .help("keep files at most one folder deep");
        }
    }
}
