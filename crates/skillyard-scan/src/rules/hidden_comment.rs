//! Orders where readers do not look.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::intent::Intent;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A comment or invisible style hides orders to the agent.
    ///
    /// A rendered page does not show HTML comments, link definitions, or text without size or
    /// colour; the agent reads all of it.
    ///
    /// **Fix:** remove it, or say it openly.
    "scan-hidden-comment", Critical,
    "remove it, or say it openly",
    skill: check_all
}

/// Most empty lines that a layout has.
const MAX_EMPTY: usize = 30;

static ORDER: Pattern = Pattern::new(
    r"\b(?:ai|agents?|assistants?|claude|model|llm|system)\b[^.]{0,60}\b(?:must|should|please|always|need\s+to|:)[^.]{0,80}\b(?:run|execute|send|read|upload|ignore|fetch|include|add|download|install|call)\b|
    \b(?:curl|wget)\s+\S*\s*\S*https?:|\b(?:send|upload|post|forward|exfiltrate)\b[^.]{0,80}(?:https?://|\b(?:credentials?|tokens?|secrets?|environment|passwords?|ssh)\b)|
    \bignore\s+(?:all\s+|any\s+)?(?:previous|prior|other|above)|\b(?:execute|run)\s+(?:the\s+following|this\s+command|`|silently|scripts?/)|\bsystem\s*(?:prompt|override|instruction)|\bhidden\s+instruction|
    \b(?:read|cat)\s+[~./]\S*(?:\.ssh|\.env|\.aws|credentials)",
);
/// Orders to machine readers.
static ADDRESSED: Pattern = Pattern::new(
    r"\b(?:dear|(?:note|message|instructions?|reminder|hint)s?\s+(?:to|for)|if\s+you\s+are|attention)\s+(?:an?\s+|the\s+|any\s+|all\s+)?(?:coding\s+|code\s+)?(?:ai\b|assistants?|agents?|llms?|claude|language\s+models?|model\s+reading|bots?)|(?:^[\s\x23]*|>\s*)(?:to\s+(?:the|any|all)\s+(?:ai\s+)?)?(?:system|assistants?|agents?|claude|ai)\s*[,:]|\bai\s+agents?\s+(?:must|should|need|have\s+to)|\b(?:assistants?|agents?|the\s+model)\s+(?:reading|running|executing|loading)\s+(?:this|it)\b|\bthe\s+(?:assistant|agent)\s+(?:must|has\s+to)\b|\x23\s*system\s*:",
);
static DEEDS: Pattern = Pattern::new(
    r"\bread\s+(?:the\s+)?(?:user|[~./])|\b(?:run|execute|send|upload|post|ignore|fetch|download|install|delete|erase|cat|rm\s|curl|commit|pass\s+it|include\s+(?:its|the)\s+(?:lines|contents?)|not\s+(?:show|tell|mention|speak)|script\s+tag|put\s+the\s+full)\b",
);
static UNSHOWN: Pattern = Pattern::new(
    r"<\w+\s[^>]*(?:\bhidden\b|aria-hidden\s*=\s*['\x22]?true)[^>]*>|!\[[^\]]{20,}\]\(",
);
/// Orders in an invisible text.
static ADDRESSES: Intent = Intent {
    all: &[&ADDRESSED, &DEEDS],
    none: &[],
};
/// An element that no page shows, with an order in it.
static ATTRIBUTE: Pattern = Pattern::new(
    r"<(?:div|span|p|section|td|li|a)\b[^>]*\s(?:hidden\b|aria-hidden\s*=\s*['\x22]?true)[^>]*>[^<]{0,200}\b(?:send|replace|run|execute|ignore|upload|do\s+not|delete|forward|add|install|approve|transfer)\b",
);

static STYLE: Pattern = Pattern::new(
    r"style\s*=\s*['\x22][^'\x22]*(?:display\s*:\s*none|font-size\s*:\s*[01](?:px|pt|em)?\b|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0\d*)?\s*[;'\x22]|color\s*:\s*(?:white|\#fff(?:fff)?\b|transparent))",
);
static AGENT: Pattern = Pattern::new("agent");
static SPEAKS: Pattern = Pattern::new(
    r"\b(?:agents?|assistants?|claude|must|ignore|instructions?|execute|send|run|upload)\b",
);

/// Only few units are of a kind that hides something, so they are picked by their place and not
/// by words, which would be the most common ones there are.
fn check_all(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        for (at, unit) in file.units.iter().enumerate() {
            let hides = match unit.kind {
                UnitKind::Hidden | UnitKind::Comment | UnitKind::Frontmatter => true,
                UnitKind::Prose => {
                    let text = skill.text(index, at);
                    let marked = memchr::memchr2(b'<', b'!', text.as_bytes()).is_some();
                    marked && (text.contains('<') || text.contains("![")) || AGENT.is_match(text)
                }
                _ => false,
            };
            if hides {
                check(&UnitContext::new(skill, index, at), findings);
            }
        }
    }
}

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if ctx.unit.kind == UnitKind::Hidden {
        if let Some(range) = ORDER.find(text).or_else(|| ADDRESSES.find(text)) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High.in_any_context(),
                "a comment that is not shown gives orders",
            );
        }
    } else if let Some(range) = is_unseen(ctx).then(|| ADDRESSES.find(text)).flatten() {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High.in_any_context(),
            "orders to the agent stand where nobody looks",
        );
    } else if ctx.is_prose()
        && text.contains("hidden")
        && let Some(range) = ATTRIBUTE.find(text).filter(|_| is_markdown(ctx))
    {
        let message = "text that is not shown gives orders";
        findings.add(&RULE, ctx, range, Severity::High, message);
    } else if ctx.is_prose()
        && text.contains("style")
        && let Some(range) = STYLE.find(text)
        && SPEAKS.is_match(text)
        && is_markdown(ctx)
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "text that is not shown gives orders",
        );
    }
}

/// Whether a reader would pass over the unit: a comment of a script or of the frontmatter, an
/// element that is not shown, the text behind a picture, or words far below the end.
fn is_markdown(ctx: &UnitContext<'_>) -> bool {
    ctx.file.path.to_ascii_lowercase().ends_with(".md")
}

fn is_unseen(ctx: &UnitContext<'_>) -> bool {
    match ctx.unit.kind {
        UnitKind::Comment => !ctx.skill.about_security,
        UnitKind::Frontmatter => ctx.text.contains(" # ") || ctx.text.starts_with('#'),
        UnitKind::Prose => UNSHOWN.is_match(ctx.text) || is_far_below(ctx),
        _ => false,
    }
}

/// Whether many empty lines stand before the unit.
fn is_far_below(ctx: &UnitContext<'_>) -> bool {
    let start = ctx.file.folded.source_of(ctx.unit.range.start);
    let before = ctx.file.source.get(..start).unwrap_or_default();
    let blank = before.len() - before.trim_end().len();
    before[before.len() - blank..].matches('\n').count() > MAX_EMPTY
}
