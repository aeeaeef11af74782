//! Secrets that are asked for, shown or kept.

use std::ops::Range;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::Intent;
use crate::pattern::Pattern;

rule! {
    /// An order to the agent to ask for secrets, to repeat them, or to write them where they show.
    ///
    /// A secret in a conversation, a log or a file is a secret no more. Skills read keys from
    /// the environment or from a tool that keeps them.
    ///
    /// **Fix:** read the secret from the environment, and never print it.
    "scan-credential-request", High,
    "read secrets from the environment, and never print them",
    keywords: &["password", "token", "credential", "api key", "secret", "private key", "seed phrase", "mnemonic", "passphrase", "card number", "cvv", "one-time", "otp", "2fa", "recovery", ".env", "pin code", "[sudo]", "display dialog", "environment variables", "digit code", "text message", "type=\"password", "type='password", "digit", "sms", "code user", "codes in", "seed", "security code", "verification", "social security", "via text", "by text", "in a text", "security"],
    check
}

static PRINT: Pattern = Pattern::new(concat!(
    r"\b(?:print|log|echo|output|display|include|write|save|store|append|embed|repeat|echo(?:ing)?\s+back)\b\s+(?:out\s+)?(?:\w+\s+){0,4}?",
    r"(?:passwords?|credentials|\w*_?tokens?|api[\s_]keys?|secrets?|private\s+keys?)\b(?:[^.]{0,40}\b(?:to|in|into)\s+(?:the\s+)?(?:logs?|console|output|stdout|file|reply|response|comments?|terminal|chat)|[^.]{0,40}\b(?:for\s+debug|verbatim|plain\s?text|in\s+(?:each|every)))"
));
static DUMP: Pattern = Pattern::new(
    r"\b(?:print|log|write|dump|include|attach|list|copy|add|paste)\b[^.]{0,40}\b(?:all|every|the\s+whole|the\s+full|values?\s+of|complete)\b[^.]{0,30}\b(?:environment|env)\s+variables?\b[^.]{0,100}\b(?:logs?|issues?|reports?|comments?|commits?|pull\s+requests?|messages?|files?|responses?|attach\w*)\b",
);
static COMMIT: Pattern = Pattern::new(
    r"\b(?:commit|push|include|check\s+in|add)\b[^.]{0,30}(?:\.env\b|credentials|secrets|api\s+keys?|tokens?)[^.]{0,30}\b(?:to|in|into)\s+(?:the\s+|every\s+|each\s+)?(?:repo\w*|commits?|git\b|version\s+control|source\s+code|readme|reports?|outputs?)",
);
static ASK: Pattern = Pattern::new(
    r"\b(?:ask|instruct|tell|request|prompt|need|require|obtain|collect|get)\b[^.]{0,60}\b(?:user|their|them|your)\b[^.]{0,60}\b(?:passwords?|credentials|private\s+keys?|seed\s+phrases?|mnemonics?|recovery\s+phrases?|(?:authentication|api|access)\s+tokens?)\b",
);
static KEEP: Pattern = Pattern::new(
    r"\b(?:remember|weave|echo|include|maintain|record|keep)(?:s|ing)?\b[^.]{0,80}\b(?:credentials|passwords|sensitive\s+(?:values|information|data)|private\s+information)\b[^.]{0,40}\b(?:they|user|shared?|provided|mention\w*|conversation)",
);
/// Secrets that no service asks for through an agent.
static GRAVE: Pattern = Pattern::new(
    r"\b(?:master|login|computer|machine|system|sudo|admin(?:istrator)?|root|account|bank|email|keychain)(?:'s)?\s+(?:\w+\s+)?passwords?\b|\b(?:banking|apple\s+id|icloud|google|microsoft|facebook|bank)\b[^.]{0,30}\bpasswords?\b|\b(?:verification|security|sms|six-digit)\s+(?:\w+\s+)?codes?\b|\b(?:six|four|eight|[468])[\s-]digits?\s+(?:\w+\s+)?codes?\b|\bcodes?\b[^.]{0,30}\b(?:by|via|in\s+a)\s+(?:text|sms)\b|\bcard\s+numbers?\b|\bcvv\b|\bone-time\s+(?:code|password)s?\b|\botp\b|\b2fa\s+codes?\b|\bpassphrases?\b|\bprivate\s+keys?\b|\b(?:recovery|seed)\s+(?:words|phrases?|codes?)\b|\bcontents?\s+of\s+(?:\w+\s+)?\.env\b|\bpersonal\s+access\s+tokens?\b|\bpin\s+codes?\b|\bsocial\s+security\s+numbers?\b",
);
static WANTS: Pattern = Pattern::new(
    r"\b(?:ask|request|have|get|make|let|instruct|tell|prompt|require|must)\b[^.]{0,40}\b(?:users?|them|they|person|customer|their|the\s+user's)\b|^\W*(?:request|ask\s+for|collect|obtain|demand)\b|\busers?\s+must\s+(?:supply|provide|enter|type|paste)",
);
static KEEPS: Pattern = Pattern::new(
    r"\b(?:store|save|keep|send|submit|forward|post|upload|write|put|pass|both\s+are\s+needed|into\s+the\s+chat|read\s+it\s+out|query\s+of|for\s+later|go(?:es)?\s+into|enter\s+(?:it|them)|log\s+in)\b|https?://",
);
static OWN: Pattern = Pattern::new(
    r"\b(?:pdf|document'?s?|archive|zip|database|wifi|form|fields?|stripe\s+elements|keychain\s+stores|test\s+card)\b",
);
static TAKES: Intent = Intent {
    all: &[&WANTS, &GRAVE],
    none: &[&FORBIDS, &OWN],
};
static DIALOG: Pattern = Pattern::new(
    r"display\s+dialog\b[^;]*(?:password|hidden\s+answer)|(?:printf|echo)\b[^;]*\[sudo\]\s*password\s+for",
);

/// A form that sends a password to another server.
static FORM: Pattern =
    Pattern::new(r#"<form\b[^>]*\baction\s*=\s*["']?https?://[^>]*>.*\btype\s*=\s*["']?password"#);

static PRESSURE: Pattern = Pattern::new(
    r"\bif\s+(?:the\s+user|they)\s+(?:hesitates?|refuses?|declines?|asks?\s+why|objects?|resists?)|\breassure\s+(?:the\s+user|them)|\btrust\s+is\s+established|\bbuild\s+(?:rapport|trust)|\bframe\s+(?:this|it)\s+as\b",
);
static FORBIDS: Pattern = Pattern::new(
    r"\b(?:never|not|don't|avoid|without|no\s+need|instead\s+of|refuse|redact\w*|mask\w*|rather\s+than|must\s+not|do(?:es)?n't|prevent\w*|protect\w*|secure\w*)\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if ctx.is_executed()
        && let Some(range) = DIALOG.find(ctx.text)
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "a script asks for the user's password in the system's name",
        );
        return;
    }
    if !ctx.skill.about_security
        && let Some(range) = FORM.find(ctx.text)
    {
        let message = "a form sends a password to another server";
        findings.add(&RULE, ctx, range, Severity::High.even_quoted(), message);
        return;
    }
    if !ctx.is_prose() {
        return;
    }
    if let Some(range) = TAKES.find(ctx.text) {
        let severity = if presses(ctx) || KEEPS.is_match(ctx.text) && ctx.file.is_skill_file() {
            Severity::High
        } else {
            Severity::Medium
        };
        let message = "the user is to be asked for secrets that no service needs";
        findings.add(&RULE, ctx, range, severity, message);
    } else if let Some((range, severity, message)) = mishandled(ctx)
        // Words that forbid are common, and what they would forbid is not.
        && !FORBIDS.is_match(ctx.text)
    {
        findings.add(&RULE, ctx, range, severity, message);
    }
}

/// What is to be done with a secret that is known.
fn mishandled(ctx: &UnitContext<'_>) -> Option<(Range<usize>, Severity, &'static str)> {
    if let Some(range) = PRINT.find(ctx.text).or_else(|| DUMP.find(ctx.text)) {
        let message = "secrets are to be written where they show";
        return Some((range, Severity::Medium, message));
    }
    if let Some(range) = COMMIT.find(ctx.text) {
        let message = "secrets are to be put where others read";
        return Some((range, Severity::Medium, message));
    }
    if let Some(range) = KEEP.find(ctx.text) {
        let message = "secrets from the conversation are to be kept or repeated";
        return Some((range, Severity::High, message));
    }
    let range = ASK.find(ctx.text)?;
    let severity = if presses(ctx) {
        Severity::High
    } else {
        Severity::Low
    };
    Some((range, severity, "the user is to be asked for secrets"))
}

/// Whether the lines around tell how to talk the user round.
fn presses(ctx: &UnitContext<'_>) -> bool {
    ctx.surrounding_texts(20)
        .any(|text| PRESSURE.is_match(text))
}
