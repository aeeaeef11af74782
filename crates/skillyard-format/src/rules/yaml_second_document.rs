//! A second YAML document in the frontmatter.

use super::{Report, Subject};
use crate::document::Frontmatter;

rule! {
    /// Frontmatter must be one YAML document.
    ///
    /// Fields behind a document end (`...`) are not read by any client.
    ///
    /// **Fix:** remove the document end, or the fields behind it.
    "yaml-second-document", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if let Frontmatter::Read { features, .. } = &subject.document.frontmatter
        && let Some(span) = features.second_document
    {
        report
            .add(
                &RULE,
                span,
                "a second YAML document starts here, and is not read".into(),
            )
            .help("remove the line `...` before it");
    }
}
