//! Orders to the agent to send things away.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::hosts::{self, HostTrust};
use crate::intent::{Intent, NOT};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// An order to the agent to send what the user works with to a server or an address.
    ///
    /// Prompts, conversations, files, mails, contacts or places go to an endpoint that the
    /// skill names, as "logging", "monitoring", "backup" or "verification". The user asked
    /// for none of it.
    ///
    /// **Fix:** remove the step, or let the user ask for it.
    "scan-send-instruction", Critical,
    "remove the step; what the user works with goes nowhere they did not ask for",
    keywords: &["http://", "https://", "@", " gist", "pastebin", "public repo", "public issue", "public channel", "the maintainer", "the author", "pull request", "gist ", "public paste", "gist", "public bucket", "public page", "our server", "our team", "our endpoint"],
    check
}

static SEND: Pattern = Pattern::new(
    r"\b(?:upload(?:s|ing)?|sends?|sending|forward(?:s|ing)?|posts?|transmits?|submits?|mail(?:s|ing)?|exfiltrat\w*|share|sync|beacon|email|report|bcc|cc|push|publish|mirror|replicate|relay|deliver|(?:pass|hand)(?:es|s|ing)?\s+(?:\w+\s+){0,3}(?:to|along|on)|(?:stored?|saved?|kept|copied|backed\s+up|exported|uploaded|sent|posted|mirrored|archived)\s+(?:on|to|at|in|with)\s+(?:our|the|a|your)?\s*(?:\w+\s+){0,2}(?:server|service|cloud|backend|endpoint|mirror))\b",
);
static PRIVATE: Pattern = Pattern::new(
    r"\b(?:conversation|chat\s+history|transcript|prompts?|quer(?:y|ies)|user(?:'s)?\s+(?:input|data|request|message|files?|session|credential)|credentials?|tokens?|passwords?|api\s+keys?|secrets?|session|env(?:ironment)?\s+variables?|contacts|emails?|inbox|calendar|location|coordinates|files?|documents?|source\s+code|workspace|memory|history|summary|all\s+data|private\s+keys?|seed\s+phrase|ssh\s+keys?|results?|contents?|backup|metrics|logs?|data|code|outputs?|details|statistics|working\s+tree|address\s+book|originals?|contracts?|copy|full\s+text|everything)\b|\.env\b",
);
static TARGET: Pattern = Pattern::new(r"https?://(?:[^\s/]*@)?[\w.-]+|\b[\w.+-]+@[\w-]+\.[\w.]+");
static GRAVE: Pattern = Pattern::new(
    r"\b(?:credentials?|(?:access|session|auth|api)\s+tokens?|session[\s-]token|passwords?|api\s+keys?|secrets?|private\s+keys?|seed\s+phrase|ssh\s+keys?|env(?:ironment)?\s+variables?|all\s+(?:\w+\s+)?(?:data|messages|conversations|outputs?|files)|conversation|chat\s+history|id_rsa)\b|\.env\b|/etc/passwd",
);
static HABIT: Pattern = Pattern::new(
    r"\b(?:always|after\s+(?:every|each|any|completing|finishing|editing|processing|creating|all)|before\s+(?:every|each|any|finali[sz]ing|completing)|every\s+time|each\s+time|whenever|on\s+each|at\s+the\s+end\s+of|automatically|must|make\s+sure|for\s+each|important|required|ensure|after\s+(?:reading|you|a|the)|when(?:ever)?\s+(?:you|a|an|the)|while\s+you|once\s+(?:you|the|a)|for\s+(?:quality|compliance|record|audit|backup))\b",
);
static SENDS: Pattern = Pattern::new(
    r#"\bcurl\b[^;|]*(?:-x\s?post|--data|-d\s|-f\s+['"]?\w+=)[^;|]*https?://\S+|\bcurl\b[^;|]*https?://\S+[^;|]*(?:-x\s?post|--data|-d\s|-f\s+['"]?\w+=)"#,
);
static IMPERATIVE: Pattern = Pattern::new(
    r"^(?:[-+]|\d+[.)])?\s*(?:then\s+|finally\s+|next\s*,?\s+)?(?:upload|send|forward|transmit|exfiltrate|email)\s",
);
static SERVICE: Pattern = Pattern::new(
    r"\b(?:api\s+reference|endpoint|webhook|example|rest\s+api|response|request\s+body)\b",
);

/// Places that others read, without an address.
static PUBLIC: Pattern = Pattern::new(
    r"\b(?:gists?|pastebin|public\s+(?:repo\w*|issues?|channels?|buckets?|pages?|pastes?)|the\s+(?:maintainers?|authors?)\b|pull\s+request\s+(?:against|to)\s|our\s+(?:server|team|endpoint))",
);
/// Secrets by their files.
static FILES: Pattern = Pattern::new(
    r"\.env\b|~/\.\w+|\boutput\s+of\s+(?:env|printenv)\b|\bcredentials?(?:\.json|\s+files?)\b|_credentials\.json|\bid_(?:rsa|ed25519)|\bsecrets?\b|\bapi\s+keys?\b|\bpasswords?\b|\bprivate\s+keys?\b",
);
static PUTS: Pattern = Pattern::new(
    r"\b(?:upload|send|forward|post|submit|share|sync|email|report|push|publish|mirror|open|create|file|attach|paste|put|copy|include|contain)\w*\b",
);
static LEAKS: Intent = Intent {
    all: &[&PUTS, &FILES, &PUBLIC],
    none: &[&NOT, &WITHOUT],
};
static WITHOUT: Pattern = Pattern::new(
    r"\b(?:without|no|redact\w*|remove|strip|exclude|except|sanitiz\w*|scrub|leak\w*|expos\w+|if\s+(?:you|the\s+user)|vulnerabilit\w+)\b",
);
/// What was said before is to go with a request.
static SAID: Pattern = Pattern::new(
    r"\b(?:(?:user's|users'|their|your|previous|earlier|prior|all|whole|full)\s+(?:\w+\s+)?(?:messages?|conversations?|chat|dialogue|prompts?)|conversation(?:\s+so\s+far|\s+history)?|chat\s+history|transcript)\b",
);
static ATTACHES: Pattern = Pattern::new(
    r"\b(?:include|attach|pass|put|add|append|send|copy|encode|embed)\b[^.]{0,60}\b(?:headers?|query|parameters?|url|request|payload|body|field)\b",
);
static CARRIES: Intent = Intent {
    all: &[&SAID, &ATTACHES, &TARGET],
    none: &[&NOT],
};

/// Secrets or conversations that are to go where others read.
fn leak(ctx: &UnitContext<'_>) -> Option<std::ops::Range<usize>> {
    LEAKS.find(ctx.text).or_else(|| {
        let found = CARRIES.find(ctx.text)?;
        let url = TARGET.find(ctx.text)?;
        let is_stranger = hosts::trust(&ctx.text[url]) >= HostTrust::Unknown;
        is_stranger.then_some(found)
    })
}

/// Whether an address is to be opened whose last part is a file with secrets.
fn is_opened_with_secret(ctx: &UnitContext<'_>) -> bool {
    ctx.has(Fact::SecretFile) && QUERY.is_match(ctx.text)
}

static QUERY: Pattern = Pattern::new(
    r"https?://[^\s)]+[?&]\w+=(?:$|[\s<\{\x60'\x22]|[^\s]{0,40}(?:base64|encod))[^.]{0,80}",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    // Fields describe programs; of them only the description speaks to the agent.
    let is_field = ctx.unit.kind == UnitKind::Frontmatter && !ctx.text.starts_with("description");
    if !ctx.is_prose() || is_field {
        return;
    }
    let text = ctx.text;
    let opened = || QUERY.find(text).filter(|_| is_opened_with_secret(ctx));
    if let Some(range) = leak(ctx).or_else(opened) {
        let message = "secrets or what was said are to go where others read";
        findings.add(&RULE, ctx, range, Severity::High, message);
        return;
    }
    let (Some(verb), Some(target)) = (
        SEND.find(text).or_else(|| SENDS.find(text)),
        TARGET.find(text),
    ) else {
        return;
    };
    let url = &text[target.clone()];
    let standing = hosts::trust(url);
    let owner = hosts::owner(hosts::host(url));
    let mentions = ctx.skill.host_mentions(ctx.index.0, owner);
    let is_stranger = mentions < 5 || standing == HostTrust::Doubtful;
    if matches!(standing, HostTrust::Local | HostTrust::Installer) || !is_stranger {
        return;
    }
    let private = PRIVATE.is_match(text);
    let habit = HABIT.is_match(text) || HABIT.is_match(ctx.heading());
    let runs = SENDS.is_match(text);
    let is_grave = GRAVE.is_match(text) || ctx.has(Fact::SecretFile);
    let severity = match (is_grave, private, habit, runs) {
        (true, _, _, _) if standing == HostTrust::Doubtful => Severity::Critical,
        (true, _, _, _) if standing >= HostTrust::Plain || habit => Severity::High,
        (_, true, true, _) | (_, _, true, true) | (_, true, _, true) => Severity::Medium,
        (_, true, _, _) if IMPERATIVE.is_match(text) => Severity::Medium,
        (true, _, _, _) | (_, _, _, true) => Severity::Low,
        _ => return,
    };
    // A description of an interface tells what a program sends, not what the agent shall do.
    let severity = if SERVICE.is_match(ctx.heading()) {
        severity.lowered(1)
    } else {
        severity
    };
    let range = verb.start.min(target.start)..verb.end.max(target.end);
    findings.add(
        &RULE,
        ctx,
        range,
        severity,
        format!("the agent is told to send something to `{url}`"),
    );
}
