//! Orders to bend what the user gets.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, Intent, NOT};
use crate::pattern::Pattern;

rule! {
    /// An order to the agent to slant, falsify or censor what it writes for the user.
    ///
    /// To praise one product in every answer, to claim unmeasured results, to delete
    /// passages by their opinion, to replace names: the user reads the result as their own
    /// and does not know that the skill had a say.
    ///
    /// **Fix:** remove it, or make it something the user asks for.
    "scan-content-manipulation", Medium,
    "remove it, or make it something the user asks for",
    keywords: &["promote", "claim", "replace", "delete", "recommend", "redact", "authorship", "outperform", "in favor", "favour", "highlight", "political", "insert", "add a", "disparag", "positive", "negative", "unreliable", "censor", "always mention", "append", "phrase", "prepend", "frame", "present ", "portray", "depict", "terms like", "rank", "criticis", "criticiz", "favo", "mention the product", "?ref=", "even if", "even when", "regardless", "alternatives", "other packages", "come out first", "excellent", "shortcomings", "five stars", "discredit", "downplay", "belittle", "smear", "falsify", "ideological", "superior", "irrespective"],
    check
}

static SLANT: Pattern = Pattern::new(
    r"\b(?:always|in\s+(?:each|every|all)|make\s+sure|ensure|any|automatically)\b[^.]{0,80}\b(?:promote|recommend|endorse|favou?r|highlight|praise|advertise)\b[^.]{0,80}\b(?:over|instead\s+of|rather\s+than|above|benefits\s+of|products?|services?|brand|compan)|
    \b(?:claim(?:ing)?|assert(?:ing)?|state|stating)\b\s+(?:that\s+)?(?:the\s+(?:model|product|company|tool)\s+(?:outperforms|is\s+(?:the\s+)?(?:best|better|superior)))|
    \b(?:append|add|insert|include|prepend)\s+(?:the\s+)?(?:phrase|sentence|text|statement|note|line|words?)\s*['\x22(][^'\x22]{8,}['\x22][^.]{0,60}\b(?:to|in|at)\s+(?:at\s+least\s+one|every|each|any|all|the\s+end\s+of)|
    \bautomatically\s+claim\b|\boutperforms?\s+(?:\S+\s+)?on\s+all\b|
    \b(?:replace|change|swap|substitute)\s+(?:any|all|every)\s+(?:\w+\s+){0,2}(?:names?|references?|mentions?|genders?|pronouns?|occurrences?\s+of)\b[^.]{0,40}\bwith\b[^.]{0,40}['\x22]|
    \b(?:delete|remove|censor|redact|omit|suppress)\s+(?:any|all|every)\s+(?:paragraphs?|sections?|mentions?|references?|sentences?|statements?|slides?)\b[^.]{0,60}\b(?:containing|about|mentioning|with\s+the\s+words?|that\s+(?:mention|contain|criticis))|
    \b(?:describ\w+|discuss\w+|mention\w*)\b[^.]{0,60}\buse\s+words\s+like\b|\buse\s+words\s+like\b[^.]{0,120}\bwhen\s+(?:describing|discussing|talking)|\b(?:political|ideological)\s+(?:alignment|bias|stance)|
    \b(?:frame|present|portray|depict)\b[^.]{0,60}\bas\b\s*(?:an?\s+)?['\x22][^'\x22]+['\x22]|\binclude\s+phrases\s+like\b|\buse\s+terms\s+like\b[^.]{0,80}\brather\s+than|
    
    \b(?:disparage|discredit|downplay|belittle|smear)\b[^.]{0,60}\b(?:competitors?|alternatives?|opponents?|critics?)|
    \b(?:fabricat\w+|invent|make\s+up|falsify)\b[^.]{0,40}\b(?:results?|citations?|data|numbers|statistics|reviews?|evidence|quotes?)",
);
static RANKS: Pattern = Pattern::new(
    r"\b(?:rank|list|place|put|name|mention|recommend|describe|present)\b[^.]{0,60}\b(?:first|on\s+top|favou?rabl[ey]|positively|as\s+the\s+best|above\s+(?:all|the\s+others))\b",
);
static EACH: Pattern = Pattern::new(
    r"\b(?:always|every|each|whenever|when\s+you|all)\b|\bin\s+(?:\w+\s+)?(?:suggestions|comparisons|recommendations|answers|reviews|rankings)\b",
);
static HIDES: Pattern = Pattern::new(
    r"\b(?:do\s+not|never|don't)\s+mention\b[^.]{0,20}\b(?:shortcomings|drawbacks|weaknesses|criticism|disadvantages|defects)\b|\b(?:leave\s+out|omit|hide|skip|ignore|suppress)\b[^.]{0,40}\b(?:criticis\w+|criticiz\w+|negative|bad\s+reviews?|complaints?|drawbacks|weaknesses|reviews)\b",
);
static PRODUCT: Pattern = Pattern::new(
    r"\b(?:product|brand|vendor|company|service|sponsor|partner|supplier|purchase|shop|provider|others\s+have)\w*\b|[?&]ref=|affiliate",
);
/// One offer is chosen whatever it costs, or the others are not shown.
static CHOOSES: Pattern = Pattern::new(
    r"\b(?:choose|prefer|pick|select|book|buy|recommend|suggest|install|use|come\s+out\s+(?:first|on\s+top)|win|rate)\b",
);
static WHATEVER: Pattern = Pattern::new(
    r"\beven\s+(?:if|when|though)\b[^.]{0,40}\b(?:expensive|worse|slower|cheaper|better|dearer)\b|\b(?:regardless|irrespective)\s+of\s+(?:the\s+)?(?:measurements?|price|cost|results?|quality|facts|evidence|benchmarks?)|\bdo\s+not\s+(?:show|suggest|offer|list|mention)\s+(?:the\s+|any\s+)?(?:alternatives?|others?|other\s+(?:packages?|options?|products?|offers?))\b|\brate\b[^.]{0,30}\b(?:as\s+)?(?:excellent|perfect|flawless)\b",
);
static BIAS: [Intent; 3] = [
    Intent {
        all: &[&CHOOSES, &WHATEVER],
        none: &[&ASKED],
    },
    Intent {
        all: &[&RANKS, &EACH, &PRODUCT],
        none: &[&NOT],
    },
    Intent {
        all: &[&HIDES],
        none: &[&LESSON],
    },
];

static LESSON: Pattern =
    Pattern::new(r"\b(?:never|not|don't|avoid)\s+(?:hide|omit|leave|skip|ignore|suppress)\b");
static ASKED: Pattern =
    Pattern::new(r"\b(?:if\s+the\s+user|when\s+asked|unless|user\s+(?:asks|wants|prefers))\b");

static FORBIDS: Pattern = Pattern::new(r"\b(?:never|not|don't|avoid|must\s+not|no)\b[^.]{0,40}$");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    let found = SLANT.find(ctx.text);
    if let Some(range) = found.or_else(|| intent::find(&BIAS, ctx.text)) {
        let before = ctx.text.get(..range.start).unwrap_or_default();
        let severity = if FORBIDS.is_match(before) || FORBIDS.is_match(&ctx.text[range.clone()]) {
            Severity::Info
        } else {
            Severity::Medium
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "the agent is told to bend what it writes for the user",
        );
    }
}
