//! Instructions that come from elsewhere.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{Intent, NOT};
use crate::pattern::Pattern;

rule! {
    /// An order to the agent to fetch text from the network and to follow it.
    ///
    /// The users who trusted the skill did not read that text, and it can be another
    /// text tomorrow. A page that is read for facts is data; a page that is obeyed is a
    /// remote control.
    ///
    /// **Fix:** put the instructions into the skill.
    "scan-remote-instructions", High,
    "put the instructions into the skill",
    keywords: &["follow", "obey", "carry out", "execut", "apply", "do what", "does what", "do whatever", "treat ", "it says", "go on from there", "replace this", "the commands", "the command", "do every", "do each", "steps listed", "listed there", "written there", "steer", "its instructions", "act on", "accordingly", "what to do", "as told", "perform", "run ", "start over", " instruction", "do it", "do them"],
    check
}

static GETS: Pattern = Pattern::new(
    r"\b(?:read|fetch|load|get|open|visit|download|check|pull|retriev|curl|wget|dig|look\s+(?:at|up)|send|ask|query|call|consult|poll|see)(?:e|s|es|ed|ing)?\b|\bis\s+at\b|\bkept\s+(?:in|at)\b",
);
static PLACE: Pattern = Pattern::new(
    r"https?://[^\s)]+|\bgists?\b|\btxt\s+[\w.-]+\.\w+|\bremote\s+(?:file|page|endpoint|server|url)|\b(?:comment|description|body|title)\s+of\s+the\s+(?:issue|pull\s+request|page)|\bthe\s+(?:server|endpoint|url|page)\b",
);
static OBEYS: Pattern = Pattern::new(
    r"\b(?:follow|obey|carry\s+out|execute|apply|run|perform|act\s+on|do)\s+(?:exactly\s+)?(?:what(?:ever)?|everything|(?:every|each)\s+(?:thing|step|line|command|order)|all\s+(?:of\s+)?(?:it|the)|every\s+(?:line|step)|each\s+(?:line|step)|its\s+(?:\w+\s+)?(?:instructions?|steps|rules|commands?)|the\s+(?:\w+\s+)?(?:instructions?|commands?)|them\b|it\b)|\btreat\b[^.]{0,40}\bas\s+(?:part\s+of|instructions?|your|a\s+part)|\btreat\b[^.]{0,60}\bas\s+(?:if|though)\b[^.]{0,40}\b(?:users?|typed|said|ordered|commands?|orders)\b|\bact\s+accordingly\b|\bdo\s+as\s+(?:it\s+says|they\s+say|told)\b|\bwhat\s+to\s+do\b|\bgo\s+on\s+from\s+there\b|\breplace\s+this\s+(?:file|skill)\b|\bstart\s+over\s+with\s+it\b",
);
/// Signs that the content is used without a review.
static LOOSE: Pattern = Pattern::new(
    r"\b(?:every\s+(?:\w+\s+)?(?:hours?|minutes?|days?|time|session)|before\s+(?:each|every|any)|at\s+the\s+start\s+of|without\s+(?:asking|checking)|after\s+(?:each|every)|change\s+often|commands?|execute|run|replace\s+this|whatever|do\s+what)\b|\bgist\b|pastebin|\bdig\b|\bas\s+(?:if|though)\s+the\s+user\b",
);
static LOCAL: Pattern = Pattern::new(
    r"https?://(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?)\]'\x22>`]|[.,;:!]?(?:\s|$))|\b(?:output|stdout|script|api|sdk|installer|style\s+guide|schema)\b[^.]{0,20}\b(?:says|prints|reports)\b",
);
static ORDER: Intent = Intent {
    all: &[&GETS, &PLACE, &OBEYS],
    none: &[&NOT, &LOCAL],
};

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    // The place may stand in the sentence before the order.
    let whole = PLACE.is_match(ctx.text)
        && GETS.is_match(ctx.text)
        && ctx.text.len() < 400
        && !NOT.is_match(ctx.text)
        && !LOCAL.is_match(ctx.text);
    let found = ORDER
        .find(ctx.text)
        .or_else(|| OBEYS.find(ctx.text).filter(|_| whole));
    if let Some(range) = found {
        let severity = if LOOSE.is_match(ctx.text) && ctx.file.is_skill_file() {
            Severity::High
        } else {
            Severity::Medium
        };
        let message = "the agent is told to do what a text from the network says";
        findings.add(&RULE, ctx, range, severity, message);
    }
}
