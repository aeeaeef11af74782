//! Scripts that cannot be started.

use super::{Report, Subject};
use crate::script::is_placed;

rule! {
    /// A script in `scripts/` or beside `SKILL.md` should be executable and start with a `#!` line.
    ///
    /// A file with an extension that names its language can be run by its interpreter, so
    /// for those an executable bit without a `#!` line is what is reported. A compiled program needs
    /// no such line.
    ///
    /// **Fix:** `chmod +x scripts/NAME`, and start it with `#!/usr/bin/env python3` or the like.
    "script-executable", Advice, check
}

/// Extensions that are programs in themselves or run by an interpreter.
const SHELL: [&str; 2] = [".sh", ".bash"];

fn check(subject: &Subject<'_>, report: &mut Report) {
    let files = subject.files.unwrap_or_default().iter();
    for file in files.filter(|file| is_placed(&file.path)) {
        let is_shell = SHELL.iter().any(|extension| file.path.ends_with(extension));
        let problem = match (file.executable, file.shebang) {
            (false, true) => "has a `#!` line but is not executable",
            (true, false) if file.compiled => continue,
            (true, false) => "is executable but has no `#!` line",
            (false, false) if is_shell => "is not executable and has no `#!` line",
            _ => continue,
        };
        report
            .add(&RULE, None, format!("`{}` {problem}", file.path))
            .help(match (file.executable, file.shebang) {
                (true, _) => "start it with a line such as `#!/bin/sh`".to_owned(),
                (false, true) => format!("run `chmod +x {}`", file.path),
                (false, false) => format!(
                    "start it with a line such as `#!/bin/sh`, and run `chmod +x {}`",
                    file.path
                ),
            });
    }
}
