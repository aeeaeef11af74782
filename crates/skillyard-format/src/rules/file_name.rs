//! The spelling of the file's own name.

use super::{Report, Subject};

rule! {
    /// The file should be called `SKILL.md`, in this spelling.
    ///
    /// `skill.md` is found by Skillyard and by the reference implementation, other
    /// spellings by nearly no client on a case-sensitive file system.
    ///
    /// **Fix:** rename the file to `SKILL.md`.
    "file-name", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let name = subject.file_name;
    if name != "SKILL.md" {
        report
            .add(&RULE, None, format!("the file is called `{name}`"))
            .help("rename it to `SKILL.md`");
    }
}
