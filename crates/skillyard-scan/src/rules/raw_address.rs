//! Servers without a name, and with one that somebody has to put right first.

use std::ops::Range;

use super::{Findings, Here};
use crate::Severity;
use crate::facts::Fact;
use crate::hosts;
use crate::pattern::Pattern;
use crate::speech;

rule! {
    /// A server is named by its number.
    ///
    /// Services that mean to stay have a name and a certificate. A bare public address is
    /// rented for a day, and nothing says whose it is. An address such as `hxxp://a[.]b` counts
    /// where the agent is sent there or told to put it right, and hardly where it is only named, as
    /// in lists of what to block.
    ///
    /// **Fix:** use the name of the service.
    "scan-raw-address", High,
    "use the name of the service, over https",
    words: &["http://", "https://", "hxxp", "[.]", "(dot)", "[:]//", "h**p"],
    check
}

/// An address that was made harmless to look at, which an agent can put right.
static DEFANGED: Pattern = Pattern::new(
    r"\bhxxps?(?::|\[:\])//|\bh\*\*ps?://|[a-z0-9]\[\.\][a-z]|[a-z0-9]\(dot\)[a-z]|\[:\]//",
);
/// Words before an address that send somebody there: those who list what to block do not.
static SENDS_THERE: Pattern = Pattern::new(
    r"\b(?:curl|wget|iwr|git\s+clone|pip\s+install|npm\s+install)\b|
    \b(?:browse|clone|download|fetch|grab|install|load|open|pull|retrieve|visit)\s+$|
    \b(?:go|browse|clone|connect|copy|download|execute|fetch|follow|get|grab|import|install|load|navigate|obtain|open|point|post|pull|read|retrieve|run|send|take|upload|use)\s+(?:\S+\s+){0,6}(?:at|from|on|to|under|via)\s+$",
);
/// What a program does with an address.
const ACTS: [Fact; 6] = [
    Fact::Downloads,
    Fact::Evaluates,
    Fact::Fetches,
    Fact::Reaches,
    Fact::Sends,
    Fact::Starts,
];
/// How many bytes before an address may say what it is for.
const MAX_BEFORE: usize = 120;

/// Orders and code that put an address right.
static PUTS_RIGHT: Pattern = Pattern::new(
    r#"\b(?:re\.sub|gsub|replace(?:all)?|sub)\s*\(\s*r?["'/]\W{0,2}(?:hxxp|\[|\(dot)|\bs[/|,]\W{0,2}(?:hxxp|\[)|
    \b(?:re-?arm|re-?fang|restore|undo)\b[^.]{0,40}(?:\baddress|\bbrackets?\b|\bdots?\b|\blinks?\b|\burls?\b|hxxp|\[\.\])|
    \b(?:change|replace|turn)\s+(?:hxxps?|\[\.\]|the\s+brackets)\s+(?:by|into|to|with)\b|\b(?:drop|remove|strip|without)\s+(?:the\s+)?(?:square\s+)?brackets\b"#,
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let Some(range) = hosts::raw_address(here.text) else {
        if let Some(range) = DEFANGED.find(here.text) {
            defanged(here, range, findings);
        }
        return;
    };
    // `sdk.1.2.3.4` in a document is more often a version or an example than a server.
    let severity = if here.is_shell() && here.runs() || here.runs() && !here.file.is_document {
        Severity::High
    } else {
        Severity::Low
    };
    findings.add(
        &RULE,
        here,
        range,
        severity.named(),
        "a server is named by its number",
    );
}

/// Nobody can fetch such an address as it stands, and those who hunt attacks write them: it counts
/// where somebody is sent there, or it is put right.
fn defanged(here: &Here<'_>, range: Range<usize>, findings: &mut Findings<'_>) {
    let is_target = if here.is_prose() {
        let start = here.text[..range.start].rfind(' ').map_or(0, |at| at + 1);
        let before = speech::same_sentence(&here.text[..start], MAX_BEFORE);
        SENDS_THERE.is_match(before) || PUTS_RIGHT.is_match(here.text)
    } else {
        // What is only listed in a program stays as it is.
        let facts = here.subject.facts_of(here.index.0);
        let acts = facts.iter().any(|seen| ACTS.contains(&seen.fact));
        acts && PUTS_RIGHT.is_match(&here.file.folded.text)
    };
    let severity = if is_target {
        Severity::High
    } else {
        Severity::Low
    };
    findings.add(
        &RULE,
        here,
        range,
        severity.named(),
        "an address is spelled so that only a reader puts it together",
    );
}
