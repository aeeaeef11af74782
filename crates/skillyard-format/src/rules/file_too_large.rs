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
    if let Frontmatter::TooLarge = subject.document.frontmatter {
        report
            .add(
                &RULE,
                None,
                format!("the file is larger than {MAX_BYTES} bytes, which is the limit"),
            )
            .help("move data into `references/` or `assets/`");
    }
}
