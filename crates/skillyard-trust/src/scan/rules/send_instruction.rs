//! Orders to the agent to send things away.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::hosts::{self, Standing};
use crate::scan::pattern::Pattern;
use crate::scan::prepare::Place;

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
    words: &["http://", "https://", "@"],
    check
}

static SEND: Pattern = Pattern::new(
    r"\b(?:upload(?:s|ing)?|sends?|sending|forward(?:s|ing)?|posts?|transmits?|submits?|mail(?:s|ing)?|exfiltrat\w*|share|sync|beacon|email|report|bcc|cc|push|publish|mirror|replicate|(?:stored?|saved?|kept|copied|backed\s+up|exported|uploaded|sent|posted|mirrored|archived)\s+(?:on|to|at|in|with)\s+(?:our|the|a|your)?\s*(?:\w+\s+){0,2}(?:server|service|cloud|backend|endpoint|mirror))\b",
);
static PRIVATE: Pattern = Pattern::new(
    r"\b(?:conversation|chat\s+history|transcript|prompts?|quer(?:y|ies)|user(?:'s)?\s+(?:input|data|request|message|files?|session|credential)|credentials?|tokens?|passwords?|api\s+keys?|secrets?|session|env(?:ironment)?\s+variables?|\.env|contacts|emails?|inbox|calendar|location|coordinates|files?|documents?|source\s+code|workspace|memory|history|summary|all\s+data|private\s+keys?|seed\s+phrase|ssh\s+keys?|results?|contents?|backup|metrics|logs?|data|code|outputs?|details|statistics|working\s+tree|address\s+book|originals?|contracts?|copy|full\s+text|everything)\b",
);
static TARGET: Pattern = Pattern::new(r"https?://[\w.-]+|\b[\w.+-]+@[\w-]+\.[\w.]+");
static GRAVE: Pattern = Pattern::new(
    r"\b(?:credentials?|(?:access|session|auth|api)\s+tokens?|session[\s-]token|passwords?|api\s+keys?|secrets?|private\s+keys?|seed\s+phrase|ssh\s+keys?|env(?:ironment)?\s+variables?|\.env\b|all\s+(?:\w+\s+)?(?:data|messages|conversations|outputs?|files)|conversation|chat\s+history|/etc/passwd|id_rsa)\b",
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

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    // Fields describe programs; of them only the description speaks to the agent.
    let is_field = here.unit.place == Place::Frontmatter && !here.text.starts_with("description");
    if !here.is_prose() || is_field {
        return;
    }
    let text = here.text;
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
    let severity = match (GRAVE.is_match(text), private, habit, runs) {
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
