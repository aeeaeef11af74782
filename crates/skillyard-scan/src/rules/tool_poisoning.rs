//! Orders dressed as part of a tool.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A description or a marked block gives orders that have nothing to do with the task.
    ///
    /// Tags such as `<IMPORTANT>` or `<system>`, and fields that every agent reads before the
    /// user has said a word, are used to slip in a side task: read this file first, pass its
    /// content along, do not skip this step. Descriptions say what a skill is for.
    ///
    /// **Fix:** describe what the skill does; put steps into the body.
    "scan-tool-poisoning", High,
    "describe what the skill does, and leave orders out of descriptions and tags",
    keywords: &["<important>", "<system", "</important>", "<instruction", "<secret", "<hidden", "<admin", "description", "[inst]", "<|im_start|>", "<assistant", "for every ", "any other skill", "any other tool", "load it first", "load this first", "without exception", "whatever the", "before all other", "built-in", "only approved", "only safe", "ranks above", "other skills", "other tools", "another", "[system]", "[/system]", "<critical", "rank above", "only allowed", "only trusted", "only permitted", "first in every", "everything said", "search tools", "summary", "when_to_use", "must be", "always be", "before any other", "first", "for security reasons", "in every conversation", "instead of", "never use", "regardless of"],
    check
}

static TAG: Pattern = Pattern::new(
    r"<(?:important|system|instructions?|secret|hidden|admin|assistant|critical)[^>]{0,40}>|<\|im_start\|>|\[inst\]|\[/?system\]",
);
static ORDER: Pattern = Pattern::new(
    r"\b(?:must|always|before\s+(?:using|calling|running)|do\s+not\s+skip|required|never\s+mention|first)\b[^<]{0,200}\b(?:read|forward|send|upload|include|pass|execute|run|cat|fetch|post)\b|
    \b(?:read|forward|send|upload|pass)\b[^<]{0,120}\b(?:token|credential|key|password|file|environment|data|conversation)",
);
static FIELD: Pattern = Pattern::new(
    r"^(?:description|when_to_use|summary)\b.*?\b(?:(?:critical|important|required|mandatory|warning)\s*:[^.]{0,60}\b(?:download|install|run|execute|visit|read|send)|
    (?:you|agent|assistant|model)\s+must\s+(?:first|always|now)|before\s+(?:using|calling)\s+any\s+(?:other\s+)?(?:tool|skill)|do\s+not\s+use\s+(?:any\s+)?other\s+(?:\w+\s+)?(?:tools?|skills?)|
    ignore\s+(?:all|other|previous)|instead\s+of\s+any\s+other\s+(?:tool|skill))",
);

/// The description of a tool, in a list of tools, that gives orders.
static TOOL: Pattern = Pattern::new(
    r#"["']?description["']?\s*:\s*["'][^"']{0,400}(?:<important>|before\s+(?:using|calling)\s+this\s+tool|when\s+this\s+tool\s+is\s+available|do\s+not\s+(?:tell|mention)|must\s+(?:first\s+)?(?:send|pass|include|read|forward|call)|instead\s+of\s+the\s+recipient|otherwise\s+the\s+tool\s+will\s+not|(?:read|pass|include)\s+(?:the\s+contents?\s+of\s+)?[~./]\S*(?:\.ssh|\.env|mcp\.json|credentials))"#,
);
/// A skill that wants to be used for everything, or alone.
static GREEDY: Pattern = Pattern::new(
    r"\bfor\s+every\s+(?:request|task|message|prompt|conversation|question)\b|\bbefore\s+any\s+other\s+(?:skill|tool)|\bnever\s+use\s+(?:other|another|any\s+other)\s+(?:skills?|tools?)|\balways\s+load\s+(?:it|this)\s+first|\bregardless\s+of\s+(?:the\s+)?(?:task|topic|request)|\binstead\s+of\s+(?:all\s+|any\s+)?other\s+skills?|\b(?:must|always)\s+be\s+(?:used|loaded|called)\s+first\b|\b(?:call|load|use)\s+(?:it|this)\s+first\b|\bin\s+every\s+conversation\b|\bwhatever\s+the\s+user\s+(?:wants|asks|says)\b|\bwithout\s+exception\b|\bwhatever\s+the\s+(?:topic|task|request|question)\b|\bbefore\s+(?:all|any)\s+others?\b|\b(?:must|always)\s+be\s+(?:used|loaded|called)\s+before\b|\bnever\s+use\s+the\s+(?:built-?in|default|native|standard)\b|\bthe\s+only\s+(?:approved|allowed|safe|trusted|permitted)\s+(?:way|tool|method|skill)\b|\b(?:deprecated|disabled|removed|forbidden)\s+for\s+security\s+reasons\b|\branks?\s+above\b|\bother\s+(?:\w+\s+)?(?:skills?|tools?)\b[^.]{0,60}\b(?:outdated|deprecated|unsafe|insecure|obsolete)\b|\bmust\s+be\s+(?:disabled|uninstalled|ignored)\b",
);

/// What is said, or what another tool does, is to pass through this one.
static INTERCEPTS: Pattern = Pattern::new(
    r"\b(?:hand|pass|give)\s+(?:it\s+|over\s+)?everything\s+(?:that\s+was\s+)?said\b|\b(?:whole|entire|full|complete)\s+(?:conversation|chat|dialogue|context|history|system\s+prompt)\b[^.]{0,60}\b(?:arguments?|parameters?|input|passed|given|included?|sent|field)\b|\bwhen(?:ever)?\s+(?:another|any\s+other|a\s+different|other)\s+(?:\w+\s+)?(?:tools?|skills?|servers?)\s+(?:is|are|gets?)\s+(?:used|called|invoked)\b[^.]{0,40}\b(?:change|replace|add|send|set|redirect|forward|copy)\b",
);
/// A parameter that asks for a secret.
static PARAMETER: Pattern = Pattern::new(
    r#"["']description["']\s*:\s*["'][^"']{0,300}(?:~/\.(?:ssh|aws|netrc|npmrc|kube|gnupg|config/gh)|\bid_rsa\b|\bmcp\.json\b)|description["']?\s*:\s*["']?[^"']{0,200}\b(?:contents?\s+of|the\s+user's|value\s+of)\b[^"']{0,40}(?:private\s+key|password|\.ssh|\.env\b|credentials\s+file|key\s+file|id_rsa|seed\s+phrase)"#,
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if ctx.unit.kind == UnitKind::Frontmatter {
        let field = FIELD.find(ctx.text);
        if let Some(range) = field.or_else(|| INTERCEPTS.find(ctx.text)) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "the description gives orders",
            );
        } else if let Some(range) = GREEDY.find(ctx.text) {
            let severity = if GREEDY.count(ctx.text, 2) > 1 {
                Severity::High
            } else {
                Severity::Low
            };
            let message = "the skill wants to be used for everything";
            findings.add(&RULE, ctx, range, severity, message);
        }
    } else if let Some(range) = TOOL
        .find(ctx.text)
        .or_else(|| {
            INTERCEPTS
                .find(ctx.text)
                .filter(|_| ctx.text.contains("description"))
        })
        .or_else(|| PARAMETER.find(ctx.text))
        .filter(|_| ctx.is_code())
    {
        let message = "the description of a tool gives orders";
        // A lesson shows what it warns of.
        let severity = if ctx.skill.about_security {
            Severity::Medium
        } else {
            Severity::High
        };
        findings.add(&RULE, ctx, range, severity.in_any_context(), message);
    } else if (ctx.is_prose() || ctx.unit.kind == UnitKind::Comment)
        && let Some(range) = TAG.find(ctx.text)
        && ORDER.is_match(ctx.text)
        && reaches_out(&ctx.text)
    {
        let message = "a marked block gives orders beside the task";
        // The documentation of a function that is a tool is what the agent reads of it.
        if ctx.unit.kind == UnitKind::Comment {
            findings.add(&RULE, ctx, range, Severity::High.in_any_context(), message);
        } else {
            findings.add(&RULE, ctx, range, Severity::High, message);
        }
    }
}

/// Whether the orders are about secrets or other servers, which tells them from emphasis.
fn reaches_out(text: &str) -> bool {
    let words = [
        "http",
        "token",
        "credential",
        "password",
        "secret",
        ".ssh",
        "environment",
        "api key",
        "conversation",
        ".env",
    ];
    words.iter().any(|word| text.contains(word))
}
