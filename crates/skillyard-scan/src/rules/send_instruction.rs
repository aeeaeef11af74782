//! Orders to the agent to send things away.

use super::{Findings, Here};
use crate::Severity;
use crate::facts::Fact;
use crate::hosts::{self, Standing};
use crate::pattern::Pattern;
use crate::prepare::Place;
use crate::speech::{Meaning, NOT};

rule! {
    /// The agent is told to send what the user works with to a server or an address.
    ///
    /// Prompts, conversations, files, mails, contacts or places go to an endpoint that the
    /// skill names, as "logging", "monitoring", "backup" or "verification". The user asked
    /// for none of it.
    ///
    /// **Fix:** remove the step, or let the user ask for it.
    "scan-send-instruction", Critical,
    "remove the step; what the user works with goes nowhere they did not ask for",
    words: &["http://", "https://", "@", " gist", "pastebin", "public repo", "public issue", "public channel", "the maintainer", "the author", "pull request", "gist ", "public paste", "gist", "public bucket", "public page", "our server", "our team", "our endpoint"],
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
static LEAKS: Meaning = Meaning {
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
static CARRIES: Meaning = Meaning {
    all: &[&SAID, &ATTACHES, &TARGET],
    none: &[&NOT],
};

/// Secrets or conversations that are to go where others read.
fn leak(here: &Here<'_>) -> Option<std::ops::Range<usize>> {
    LEAKS.find(here.text).or_else(|| {
        let found = CARRIES.find(here.text)?;
        let url = TARGET.find(here.text)?;
        let is_stranger = hosts::standing(&here.text[url]) >= Standing::Unknown;
        is_stranger.then_some(found)
    })
}

/// Whether an address is to be opened whose last part is a file with secrets.
fn is_opened_with_secret(here: &Here<'_>) -> bool {
    here.has(Fact::SecretFile) && QUERY.is_match(here.text)
}

static QUERY: Pattern = Pattern::new(
    r"https?://[^\s)]+[?&]\w+=(?:$|[\s<\{\x60'\x22]|[^\s]{0,40}(?:base64|encod))[^.]{0,80}",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    // Fields describe programs; of them only the description speaks to the agent.
    let is_field = here.unit.place == Place::Frontmatter && !here.text.starts_with("description");
    if !here.is_prose() || is_field {
        return;
    }
    let text = here.text;
    let opened = || QUERY.find(text).filter(|_| is_opened_with_secret(here));
    if let Some(range) = leak(here).or_else(opened) {
        let message = "secrets or what was said are to go where others read";
        findings.add(&RULE, here, range, Severity::High, message);
        return;
    }
    let (Some(verb), Some(target)) = (
        SEND.find(text).or_else(|| SENDS.find(text)),
        TARGET.find(text),
    ) else {
        return;
    };
    let url = &text[target.clone()];
    let standing = hosts::standing(url);
    let owner = hosts::owner(hosts::host(url));
    let mentions = here.subject.mentions(here.index.0, owner);
    let is_stranger = mentions < 5 || standing == Standing::Doubtful;
    if matches!(standing, Standing::Local | Standing::Installer) || !is_stranger {
        return;
    }
    let private = PRIVATE.is_match(text);
    let habit = HABIT.is_match(text) || HABIT.is_match(here.heading());
    let runs = SENDS.is_match(text);
    let is_grave = GRAVE.is_match(text) || here.has(Fact::SecretFile);
    let severity = match (is_grave, private, habit, runs) {
        (true, _, _, _) if standing == Standing::Doubtful => Severity::Critical,
        (true, _, _, _) if standing >= Standing::Plain || habit => Severity::High,
        (_, true, true, _) | (_, _, true, true) | (_, true, _, true) => Severity::Medium,
        (_, true, _, _) if IMPERATIVE.is_match(text) => Severity::Medium,
        (true, _, _, _) | (_, _, _, true) => Severity::Low,
        _ => return,
    };
    // A description of an interface tells what a program sends, not what the agent shall do.
    let severity = if SERVICE.is_match(here.heading()) {
        severity.lowered(1)
    } else {
        severity
    };
    let range = verb.start.min(target.start)..verb.end.max(target.end);
    findings.add(
        &RULE,
        here,
        range,
        severity,
        format!("the agent is told to send something to `{url}`"),
    );
}
