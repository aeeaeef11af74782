//! Secrets that are asked for, shown or kept.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::pattern::Pattern;

rule! {
    /// The agent is told to ask for secrets, to repeat them, or to write them where they show.
    ///
    /// A secret in a conversation, a log or a file is a secret no more. Skills read keys from
    /// the environment or from a tool that keeps them.
    ///
    /// **Fix:** read the secret from the environment, and never print it.
    "scan-credential-request", High,
    "read secrets from the environment, and never print them",
    words: &["password", "token", "credential", "api key", "secret", "private key", "seed phrase", "mnemonic"],
    check
}

static PRINT: Pattern = Pattern::new(concat!(
    r"\b(?:print|log|echo|output|display|include|write|save|store|append|embed|repeat|echo(?:ing)?\s+back)\b\s+(?:out\s+)?(?:\w+\s+){0,4}?",
    r"(?:passwords?|credentials|\w*_?tokens?|api[\s_]keys?|secrets?|private\s+keys?)\b(?:[^.]{0,40}\b(?:to|in|into)\s+(?:the\s+)?(?:logs?|console|output|stdout|file|reply|response|comments?|terminal|chat)|[^.]{0,40}\b(?:for\s+debug|verbatim|plain\s?text|in\s+(?:each|every)))"
));
static COMMIT: Pattern = Pattern::new(
    r"\b(?:commit|push|include|check\s+in|add)\b[^.]{0,30}(?:\.env\b|credentials|secrets|api\s+keys?|tokens?)[^.]{0,30}\b(?:to|in|into)\s+(?:the\s+|every\s+|each\s+)?(?:repo\w*|commits?|git\b|version\s+control|source\s+code|readme|reports?|outputs?)",
);
static ASK: Pattern = Pattern::new(
    r"\b(?:ask|instruct|tell|request|prompt|need|require|obtain|collect|get)\b[^.]{0,60}\b(?:user|their|them|your)\b[^.]{0,60}\b(?:passwords?|credentials|private\s+keys?|seed\s+phrases?|mnemonics?|recovery\s+phrases?|(?:authentication|api|access)\s+tokens?)\b",
);
static KEEP: Pattern = Pattern::new(
    r"\b(?:remember|weave|echo|include|maintain|record|keep)(?:s|ing)?\b[^.]{0,80}\b(?:credentials|passwords|sensitive\s+(?:values|information|data)|private\s+information)\b[^.]{0,40}\b(?:they|user|shared?|provided|mention\w*|conversation)",
);
static PRESSURE: Pattern = Pattern::new(
    r"\bif\s+(?:the\s+user|they)\s+(?:hesitates?|refuses?|declines?|asks?\s+why|objects?|resists?)|\breassure\s+(?:the\s+user|them)|\btrust\s+is\s+established|\bbuild\s+(?:rapport|trust)|\bframe\s+(?:this|it)\s+as\b",
);
static FORBIDS: Pattern = Pattern::new(
    r"\b(?:never|not|don't|avoid|without|no\s+need|instead\s+of|refuse|redact\w*|mask\w*|rather\s+than|must\s+not|do(?:es)?n't|prevent\w*|protect\w*|secure\w*)\b",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    if !here.is_prose() || FORBIDS.is_match(here.text) {
        return;
    }
    if let Some(range) = PRINT.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "secrets are to be written where they show",
        );
    } else if let Some(range) = COMMIT.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "secrets are to be put where others read",
        );
    } else if let Some(range) = KEEP.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::High,
            "secrets from the conversation are to be kept or repeated",
        );
    } else if let Some(range) = ASK.find(here.text) {
        let severity = if presses(here) {
            Severity::High
        } else {
            Severity::Low
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "the user is to be asked for secrets",
        );
    }
}

/// Whether the lines around tell how to talk the user round.
fn presses(here: &Here<'_>) -> bool {
    here.around(20).any(|text| PRESSURE.is_match(text))
}
