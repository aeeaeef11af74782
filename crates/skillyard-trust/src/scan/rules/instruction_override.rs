//! Words that take the agent away from its user.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::pattern::Pattern;
use crate::scan::prepare::Place;

rule! {
    /// The agent is told to forget its instructions, its limits or who it works for.
    ///
    /// "Ignore previous instructions", "you are now in developer mode", "safety rules do not
    /// apply": a skill adds to what the agent knows, and has no say over what its user and
    /// its makers told it.
    ///
    /// **Fix:** remove it.
    "scan-instruction-override", Critical,
    "remove it: a skill has no say over what the user and the agent's makers told it",
    words: &[
        "ignore", "disregard", "forget", "override", "bypass", "developer mode", "jailbreak", "dan mode", "unrestricted", "you are now",
        "system prompt", "restrictions", "safety", "guardrail", "no longer", "new instructions", "supersede", "privileged mode", "admin mode", "[system]", "<system", "system:",
        "highest priority", "without restriction", "ethical", "refuse", "god mode", "pre-approved", "approval", "confirmation", "忽略", "ignora", "ignoriere",
    ],
    check
}

/// The same in languages that need no folding.
static FOREIGN: Pattern = Pattern::new(
    r"\xe5\xbf\xbd\xe7\x95\xa5[^.]{0,24}(?:\xe6\x8c\x87\xe4\xbb\xa4|\xe6\x8c\x87\xe7\xa4\xba)|\bignor(?:a|e)\s+(?:todas\s+)?(?:las|as)\s+instru|\bignoriere\s+(?:alle\s+)?(?:vorherigen|bisherigen)|\bignore[zr]?\s+(?:toutes\s+)?les\s+instructions",
);

static OVERRIDE: Pattern = Pattern::new(
    r"\b(?:ignore|disregard|forget|override|bypass|supersede|discard)\w*\b\s+(?:\w+\s+){0,3}?(?:previous|prior|earlier|preceding|above|existing|all\s+(?:other\s+)?|system|your|any|default|safety|security)\b\s*(?:\w+\s+){0,2}?(?:instructions?|prompts?|rules?|guidelines?|guardrails|constraints?|directives?|restrictions?|safety|polic(?:y|ies)|programming|checks)\b|
    \byou\s+are\s+(?:now\s+)?(?:in\s+|an?\s+|no\s+longer\s+)?(?:developer\s+mode|dan\b|unrestricted|jailbroken|bound\s+by|restricted\s+by|subject\s+to\s+(?:any|your))|
    \b(?:developer|god|admin|dan|unrestricted|privileged|jailbreak|root)\s+mode\b[^.]{0,60}\b(?:enabled|activated|active|on\b|now|restrictions|rules|during)|
    \b(?:restrictions?|safety\s+(?:rules|guidelines|checks|measures)|content\s+polic(?:y|ies)|ethical\s+guidelines|guardrails)\b[^.]{0,40}\b(?:do\s+not|don't|no\s+longer|are\s+not|does\s+not)\s+(?:apply|active|in\s+effect|enforced|required|necessary)|
    \b(?:reveal|print|output|show|repeat|leak|dump)\b\s+(?:\w+\s+){0,3}?(?:system\s+prompt|hidden\s+instructions|initial\s+instructions)|
    \b(?:these|this|the\s+following)\s+(?:instructions?|rules?|skill)\s+(?:take|takes|have|has)\s+(?:precedence|priority)\s+over\s+(?:all|any|the\s+(?:system|user)|your|safety)|
    \bnever\s+refuse\b|\bcannot\s+refuse\b|\bwithout\s+(?:any\s+)?(?:ethical|safety|moral)\s+(?:constraints?|considerations?|guidelines?|restrictions?)|
    (?:^|\s)\[?<?/?system\]?>?\s*(?:instruction\s+)?override\b|\bact\s+as\s+(?:if\s+you\s+(?:have|had)\s+no|an?\s+unrestricted)",
);
static APPROVAL: Pattern = Pattern::new(
    r"\b(?:bypass|skip|disable|suppress|without\s+(?:asking|requesting|waiting)\s+for|do\s+not\s+(?:ask|wait)\s+for|never\s+ask\s+for)\b[^.]{0,30}\b(?:user\s+|human\s+|any\s+|security\s+|permission\s+)?(?:confirmation|approval|permission|consent|permission\s+prompts?)s?\b|
    \b(?:all|every|any)\b[^.]{0,30}\b(?:actions?|commands?|operations?|tool\s+calls?)\b[^.]{0,20}\b(?:are|is)\s+pre-?approved",
);
static FORBIDS: Pattern = Pattern::new(
    r"\b(?:never|do\s+not|don't|must\s+not|should\s+not|cannot|refuse|reject|treat\b.{0,40}\bas\s+(?:data|untrusted)|attempts?\s+to|try(?:ing)?\s+to|such\s+as|e\.g\.|like|detect|injection|if\b.{0,60}\b(?:says|contains|asks|tells|instructs)|attack\w*|malicious|unless|not\s+follow)\b",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let hidden = here.unit.place == Place::Hidden;
    let counts = here.is_prose() || matches!(here.unit.place, Place::Decoded | Place::Comment);
    if !counts {
        return;
    }
    if let Some(range) = OVERRIDE.find(here.text).or_else(|| FOREIGN.find(here.text)) {
        let before = here.text.get(..range.start).unwrap_or_default();
        let quoted = before.trim_end().ends_with(['"', '\'', '(']);
        let severity = match (hidden, FORBIDS.is_match(before) || quoted) {
            (true, _) => Severity::Critical,
            (false, false) => Severity::High,
            (false, true) => Severity::Info,
        };
        let message = "the agent is told to leave its instructions or limits behind";
        if hidden {
            findings.add_plain(&RULE, here, range, severity, message);
        } else {
            findings.add(&RULE, here, range, severity, message);
        }
    } else if let Some(range) = APPROVAL.find(here.text) {
        let before = here.text.get(..range.start).unwrap_or_default();
        let severity = match (hidden, FORBIDS.is_match(before)) {
            (true, _) => Severity::High,
            (false, true) => Severity::Info,
            (false, false) => Severity::Low,
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "the agent is told to act without asking the user",
        );
    }
}
