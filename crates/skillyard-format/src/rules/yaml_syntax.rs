//! Frontmatter that is not YAML and could not be mended.

use super::{Report, Subject};
use crate::document::Frontmatter;

rule! {
    /// Frontmatter must be valid YAML.
    ///
    /// This is said when no repair helped; where one did, the finding names the repair instead.
    /// What is valid is what libyaml accepts, as it does in most clients.
    ///
    /// **Fix:** put text that has `: `, ` #`, quotes or brackets in it into quotes.
    "yaml-syntax", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if let Frontmatter::Unreadable { error, .. } = &subject.document.frontmatter
        && !error.problem.is_limit()
    {
        let context = error
            .context
            .map(|(context, _)| format!(", {context}"))
            .unwrap_or_default();
        report
            .add(
                &RULE,
                error.span,
                format!("the frontmatter is not valid YAML: {error}{context}"),
            )
            .help("put text with `: `, ` #`, quotes or brackets in it into quotes");
    }
}
