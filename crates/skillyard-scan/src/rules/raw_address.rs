//! Servers without a name, and defanged addresses.

use std::ops::Range;

use super::{Findings, UnitContext};
use crate::facts::Fact;
use crate::pattern::Pattern;
use crate::{Severity, hosts, intent};

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
    keywords: &["http://", "https://", "hxxp", "[.]", "(dot)", "[:]//", "h**p"],
    check
}

/// A defanged address, which an agent can restore.
static DEFANGED: Pattern = Pattern::new(
    r"\bhxxps?(?::|\[:\])//|\bh\*\*ps?://|[a-z0-9]\[\.\][a-z]|[a-z0-9]\(dot\)[a-z]|\[:\]//",
);
/// Words before an address that direct the reader there; block lists have none.
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

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let Some(range) = hosts::raw_address(ctx.text) else {
        if let Some(range) = DEFANGED.find(ctx.text) {
            defanged(ctx, range, findings);
        }
        return;
    };
    // `sdk.1.2.3.4` in a document is more often a version or an example than a server.
    let severity =
        if ctx.is_shell() && ctx.is_executed() || ctx.is_executed() && !ctx.file.is_document {
            Severity::High
        } else {
            Severity::Low
        };
    findings.add(
        &RULE,
        ctx,
        range,
        severity.even_quoted(),
        "a server is named by its number",
    );
}

/// A defanged address cannot be fetched, and analysts write them: it counts
/// only if the reader is directed there, or it is restored.
fn defanged(ctx: &UnitContext<'_>, range: Range<usize>, findings: &mut Findings<'_>) {
    let is_target = if ctx.is_prose() {
        let start = ctx.text[..range.start].rfind(' ').map_or(0, |at| at + 1);
        let before = intent::same_sentence(&ctx.text[..start], MAX_BEFORE);
        SENDS_THERE.is_match(before) || PUTS_RIGHT.is_match(ctx.text)
    } else {
        // What is only listed in a program stays as it is.
        let facts = ctx.skill.facts_in(ctx.index.0);
        let acts = facts.iter().any(|seen| ACTS.contains(&seen.fact));
        acts && PUTS_RIGHT.is_match(&ctx.file.folded.text)
    };
    let severity = if is_target {
        Severity::High
    } else {
        Severity::Low
    };
    findings.add(
        &RULE,
        ctx,
        range,
        severity.even_quoted(),
        "an address is spelled so that only a reader puts it together",
    );
}
