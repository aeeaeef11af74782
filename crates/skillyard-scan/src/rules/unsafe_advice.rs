//! Advice that makes what is built unsafe.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, Intent, NOT};
use crate::pattern::Pattern;

rule! {
    /// An order to the agent to write or run things in an unsafe way.
    ///
    /// SQL put together from strings, checks switched off, tests and validation left out,
    /// passwords in the source: what the agent then builds carries the hole.
    ///
    /// **Fix:** recommend the safe way.
    "scan-unsafe-advice", Medium,
    "recommend the safe way",
    keywords: &["concatenat", "skip", "disable", "hardcode", "hard-code", "plain text", "plaintext", "verify", "validation", "bypass", "md5", "chmod 777", "ignore", "allow all", "turn off", "without validat", "omit", "leave out", "approve", "accept", "grant", "mark ", "unnecessary", "verification", "sha1", "777", "without reading", "without looking", "without review", "informational", "severity", "cors", "skipped", "failing", "2fa", "world-writable", "writable for", "embed", "check", "trust a", "allow a", "without asking", "without testing", "as passed", "remove ", "rwx", "base64", " des ", "rc4", "ecb", "sha-1", "rejectunauthorized", "writable"],
    check
}

static ADVICE: Pattern = Pattern::new(
    r"\b(?:use|prefer|rely\s+on)\s+(?:\w+\s+)?(?:string\s+concatenation|concatenated\s+(?:strings|sql|queries)|f-strings)\b[^.]{0,60}\b(?:sql|quer(?:y|ies)|commands?)|
    \b(?:skip|omit|bypass|disable|turn\s+off|leave\s+out|ignore|remove)\s+(?:all\s+|any\s+|the\s+)?(?:\w+\s+){0,2}(?:input\s+validation|validation\s+(?:checks?|steps?)|authentication|authorization|security\s+(?:checks?|headers|warnings)|certificate\s+(?:validation|verification|checks?)|tls\s+verification|ssl\s+verification|stress\s+tests?|sanity\s+checks?|safety\s+(?:checks?|warnings?)|signature\s+(?:verification|checks?)|code\s+review|access\s+controls?|csrf|rate\s+limit\w*|encryption|audit\s+(?:logging|trails?)|error\s+handling|disclaimers?|risk\s+(?:warnings?|disclosures?|checks?|assessments?)|peer\s+review|compliance\s+checks?|sanitization)\b|
    \b(?:server[\s-]side|input|signature|identity|payment)\s+(?:verification|validation|checks?)\s+(?:is|are|adds?)\s+(?:\w+\s+)?(?:unnecessary|not\s+(?:needed|required|necessary)|optional|overkill|redundant)|
    \b(?:hard-?code|embed)\s+(?:the\s+)?(?:\w+\s+)?(?:credentials|passwords?|api\s+keys?|secrets?|tokens?)\b|
    \b(?:store|save|keep|log)\s+(?:\w+\s+){0,2}(?:passwords?|credentials|tokens?|secrets?|card\s+numbers?)\s+(?:\w+\s+){0,2}(?:in\s+)?plain\s?text|
    \b(?:allow|accept|trust)\s+(?:all|any)\s+(?:origins?|certificates?|hosts?|input)\b|\bgrant\s+(?:all|full|admin)\s+(?:privileges|permissions|access)\s+to\s+(?:all|every|any|the)|
    \b(?:always\s+)?(?:approve|accept|mark)\s+(?:all|every|any)\s+(?:\w+\s+)?(?:requests?|claims?|transactions?|pull\s+requests?|changes|tests?)\b[^.]{0,40}(?:\bas\s+(?:passed|approved|valid)|\bwithout\b|\bautomatically\b|\bregardless\b)",
);
static WEAK: Pattern = Pattern::new(
    r"\b(?:hash|store|sign|encrypt|protect|derive|secure)\b[^.]{0,60}\b(?:md5|sha-?1|des\b|rc4|ecb|base64)\b",
);
static BLIND: Pattern = Pattern::new(
    r"\b(?:approve|merge|accept|sign\s+off|lgtm|close|dismiss|resolve)\b[^.]{0,80}\bwithout\s+(?:reading|looking|review\w*|checking|asking|testing)",
);
static LOWERS: Pattern = Pattern::new(
    r"\b(?:report|rate|classify|mark|treat|score|label|downgrade)\b[^.]{0,80}\b(?:findings?|vulnerabilit\w+|issues?|bugs?|alerts?)\b[^.]{0,60}\b(?:informational|low|harmless|resolved|false\s+positives?|as\s+passed)\b[^.]{0,40}\b(?:at\s+most|whatever|regardless|always|no\s+matter)",
);
static OPENS: Pattern = Pattern::new(
    r"\bchmod\s+(?:-r\s+)?(?:0?777|a\+rwx)\b|\bwritable\s+(?:for|by)\s+everyone|\bverify\s*=\s*false\b|\brejectunauthorized\b",
);
static ALWAYS: Pattern = Pattern::new(r"\b(?:all|every|each|always|must|after\s+every|whole)\b");
static SKIPS: Pattern = Pattern::new(
    r"\b(?:mark|skip|disable|delete|comment\s+out|ignore|silence)\b[^.]{0,30}\b(?:failing|security|broken|red)\b[^.]{0,20}\btests?\b|\btests?\s+as\s+(?:skipped|passed)\b",
);
static MEANINGS: [Intent; 5] = [
    Intent {
        all: &[&SKIPS],
        none: &[&NOT, &CONTRAST],
    },
    Intent {
        all: &[&WEAK, &PASSWORDS],
        none: &[&NOT, &CONTRAST],
    },
    Intent {
        all: &[&BLIND],
        none: &[&NOT],
    },
    Intent {
        all: &[&LOWERS],
        none: &[&NOT],
    },
    Intent {
        all: &[&OPENS, &ALWAYS],
        none: &[&NOT, &CONTRAST],
    },
];
static PASSWORDS: Pattern = Pattern::new(r"\b(?:passwords?|credentials?|tokens?|secrets?|keys)\b");

static CONTRAST: Pattern = Pattern::new(
    r"\b(?:never|not|don't|avoid|mistakes?|instead|pitfalls?|anti-?patterns?|bad|wrong|vulnerab\w*|insecure|risk\w*|danger\w*|unless|only\s+(?:if|when|for)|warning|caution|if\b|when\b|option\w*|flag|to\s+skip|e\.g\.|can\b|may\b|should\s+not|attackers?|unsafe|test(?:ing|s)?\s+(?:only|env)|development|debug\w*|deprecated)\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    if let Some(range) = ADVICE.find(ctx.text) {
        let before = ctx.text.get(..range.start).unwrap_or_default();
        let contrast = CONTRAST.is_match(before) || CONTRAST.is_match(ctx.heading());
        let severity = if contrast || ctx.text.starts_with('|') {
            Severity::Info
        } else {
            Severity::Medium
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "what is advised here is unsafe",
        );
    } else if let Some(range) = intent::find(&MEANINGS, ctx.text) {
        let message = "what is advised here is unsafe";
        findings.add(&RULE, ctx, range, Severity::Medium, message);
    }
}
