//! Files past the absolute size limit are not read.

use super::{Report, Subject};
use crate::document::{Frontmatter, MAX_BYTES};

rule! {
    /// A `SKILL.md` may be 10 MiB at most.
    ///
    /// The largest of 119,000 real files has 294 KB. A file this large is a mistake or an
    /// attack, so it is not even read.
    ///
    /// **Fix:** move data into `references/` or `assets/`.
    "file-too-large", Fatal, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if let Frontmatter::TooLarge(size) = subject.document.frontmatter {
        report
            .add(
                &RULE,
                None,
                format!("the file has {size} bytes, and at most {MAX_BYTES} are read"),
            )
            .help("move data into `references/` or `assets/`");
    }
}
