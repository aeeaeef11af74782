//! Pictures that carry data away.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// An order to the agent to put data into the address of a picture or a link.
    ///
    /// The client that shows the answer fetches the picture, and its server reads the address. It is
    /// the quietest way out of a conversation.
    ///
    /// **Fix:** remove it.
    "scan-link-exfiltration", High,
    "remove it: who shows the answer sends the address",
    keywords: &["![", "<img", "render", "image", "?data=", "?q=", "pixel", "badge"],
    check
}

static PICTURE: Pattern = Pattern::new(
    r"!\[[^\]]*\]\(https?://[^)]*[?&/=][^)]*(?:\{[^)]*\}|\$\{|<[a-z][^<>)]{2,80}>|\[[a-z_\s]+\]|%7b)[^)]*\)|<img[^>]+src=[\x22']?https?://[^\x22'>]*[?&=][^\x22'>]*(?:\{|\$\{|<)",
);
static ORDER: Pattern = Pattern::new(
    r"\b(?:append|include|encode|add|embed|put|insert)\b[^.]{0,80}\b(?:data|conversation|secrets?|tokens?|contents?|summary|response|history|keys?)\b[^.]{0,60}\b(?:to|in|into|as)\s+(?:the\s+|an?\s+)?(?:\w+\s+)?(?:url|query|image|link|parameter|pixel|markdown\s+image)",
);
static SHOWS: Pattern = Pattern::new(
    r"\b(?:show|render|include|insert|embed|add|display|put|append|end|output)\b[^.]{0,60}(?:!\[|<img|\b(?:image|badge|picture|pixel|link|icon|logo)\b)",
);
static CARRIES: Pattern = Pattern::new(
    r"https?://[^\s)]*[?&/=][^\s)]*[\s\S]{0,80}\b(?:where|with|containing|replac\w+|is\s+the|holds?|encoded)\b[^\n]{0,120}\b(?:conversation|text|summary|contents?|secrets?|tokens?|keys?|data|answer|prompt|history|message)\b",
);

/// What a picture has no use for.
static SAID: Pattern =
    Pattern::new(r"conversation|transcript|chat|secret|token|api_?key|history|prompt|contents?\b");
static BADGE: Pattern = Pattern::new(
    r"shields\.io|badge|github\.com|githubusercontent|localhost|quickchart|api\.qrserver|placehold|picsum|unsplash|example\.com",
);

static BADGE_HOST: Pattern = Pattern::new(
    r"https?://(?:[\w-]+\.)*(?:shields\.io|github\.com|githubusercontent\.com|localhost|quickchart\.io|qrserver\.com|example\.com)(?::\d+)?(?:[/?]|$)",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    let text = ctx.text;
    if let Some(range) = PICTURE.find(text).filter(|range| {
        let picture = &text[range.clone()];
        let is_badge = BADGE.is_match(picture) && !SAID.is_match(picture);
        !is_badge
    }) {
        let severity = if ORDER.is_match(text) || SAID.is_match(&text[range.clone()]) {
            Severity::High
        } else {
            Severity::Medium
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "the address of a picture carries data away",
        );
    } else if let Some(range) = CARRIES
        .find(text)
        .filter(|range| SHOWS.is_match(text) && !BADGE_HOST.is_match(&text[range.clone()]))
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "what was said is to be put into the address of a picture",
        );
    } else if let Some(range) = ORDER.find(text).filter(|_| text.contains("http")) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "data is to be put into an address",
        );
    }
}
