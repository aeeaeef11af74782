//! Orders in what a script prints.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A script prints orders for the agent that reads its output.
    ///
    /// What a tool answers is data to a person and text to a model. A line such as `[SYSTEM]`
    /// or "you must now run" in it speaks to the model behind the user's back.
    ///
    /// **Fix:** print results, and leave what follows from them to the agent and its user.
    "scan-planted-result", High,
    "print results, and leave what follows from them to the agent and its user",
    keywords: &["system:", "[system]", "<system>", "<important>", "ignore previous", "ignore all previous", "you must now", "you should now", "assistant:", "to the assistant", "to the agent", "requires that you", "system :", "assistant :", "agent:", "agent :"],
    check
}

static PRINTS: Pattern = Pattern::new(
    r"\b(?:print\w*|echo|console\.\w+|puts|write-(?:host|output)|sys\.stdout\.write|process\.stdout\.write|fmt\.print\w*|return|res\.(?:send|json))\b",
);
static ORDERS: Pattern = Pattern::new(
    r"(?:\[system\]|['\x22\s]system\s*:\s|<(?:system|important)>|\b(?:to\s+the\s+)?(?:assistant|agent)\s*:)[^;]{0,160}\b(?:run|execute|send|upload|ignore|read|fetch|call|must|push|directive|delete|install|do\s+not)\b|\bignore\s+(?:all\s+)?previous\s+(?:instructions|rules)|\byou\s+(?:must|should)\s+now\s+(?:run|execute|send|upload|read|call|fetch|delete|install)\b|\brequires\s+that\s+you\s+(?:now\s+)?(?:run|execute|send|upload|read)\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() || ctx.file.is_document || ctx.skill.about_security {
        return;
    }
    if let Some(range) = ORDERS.find(ctx.text).filter(|_| PRINTS.is_match(ctx.text)) {
        let message = "a script prints orders for the agent";
        findings.add(&RULE, ctx, range, Severity::High.even_quoted(), message);
    }
}
