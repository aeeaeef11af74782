//! Needed commands that are none.

use super::{Report, Subject};
use crate::requires::Requirements;

rule! {
    /// `metadata.requires` should name commands, as they are typed.
    ///
    /// A skill whose commands are not in `PATH` is unavailable. Versions behind a command are not looked
    /// at, `a|b` asks for one of the two, and an absolute path has to be there. What is no name of a
    /// command is asked of nobody.
    ///
    /// ```text
    /// metadata:
    ///   requires: gh jq
    ///   requires: {bins: [gh], anyBins: [rg, grep]}    # as some clients write it
    /// ```
    ///
    /// The same table is read below `metadata.openclaw`, `metadata.clawdbot`, `metadata.moltbot`,
    /// `metadata.clawdis` and `metadata.otto`, and as a field of its own. `env`, `config` and `os` in it
    /// are told by `show`, `list` and `doctor`, and keep nobody from the skill.
    "requires-unreadable", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(mapping) = subject.mapping() else {
        return;
    };
    for (span, word) in Requirements::of(mapping).unreadable {
        let message = format!("`{word}` in `requires` is no name of a command");
        report
            .add(&RULE, span, message)
            .help("name commands, separated by spaces, as they are typed");
    }
}
