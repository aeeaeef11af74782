//! A symbolic link that was stored as text.

use super::{Report, Subject};
use crate::document::Frontmatter;
use crate::frontmatter::Absent;
use crate::span::Span;

rule! {
    /// A `SKILL.md` that holds nothing but a path is a symbolic link gone wrong.
    ///
    /// Git on Windows, and downloads of single files, write the target of a symbolic link
    /// as the text of the file.
    ///
    /// **Fix:** copy the file that the path names, or clone with `core.symlinks=true`.
    "file-link-as-text", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.document.frontmatter == Frontmatter::Absent(Absent::LinkAsText) {
        let text = &subject.document.text;
        let target = text.trim();
        let start = text.len() - text.trim_start().len();
        report
            .add(
                &RULE,
                Span::new(start, start + target.len()),
                format!("the file is a symbolic link to `{target}` that was stored as text"),
            )
            .help("copy the file it names, or clone again with `git -c core.symlinks=true`");
    }
}
