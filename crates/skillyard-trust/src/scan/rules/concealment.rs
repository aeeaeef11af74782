//! Things the user is not to know.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::facts::Fact;
use crate::scan::pattern::Pattern;
use crate::scan::prepare::Place;

rule! {
    /// The agent is told to keep something from its user.
    ///
    /// "Do not mention this", "silently", "without informing the user": the agent works for
    /// the user, and what a skill wants hidden is what the user should see first.
    ///
    /// **Fix:** remove it, and say what is done.
    "scan-concealment", High,
    "remove it, and tell the user what is done",
    words: &["tell", "inform", "mention", "notify", "silent", "reveal", "disclose", "secretly", "hide", "covert", "knowledge", "aware", "quietly", "hidden", "stealth", "conceal", "alert the user", "show the user", "discreet"],
    check
}

static SECRET: Pattern = Pattern::new(
    r"\b(?:do\s+not|don't|never|must\s+not|should\s+not|avoid|without)\s+(?:ever\s+)?(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting|show|report|discuss|draw\w*\s+attention)\b[^.]{0,50}\b(?:to\s+)?(?:the\s+|any\s+)?(?:users?|humans?|them|anyone|operator|developer|human)\b|
    \b(?:without|outside)\s+(?:the\s+)?user(?:'s)?\s+(?:knowledge|awareness|consent|knowing|noticing|being\s+(?:aware|informed|notified))|
    \b(?:keep|hide|conceal)\b[^.]{0,40}\bfrom\s+(?:the\s+)?users?\b|\bthe\s+user\s+(?:must|should|does)\s+(?:not|never)\s+(?:know|see|notice|be\s+(?:aware|told|informed))|
    \b(?:secretly|covertly|surreptitiously|stealthily)\b\s+\w+|\bdo\s+not\s+(?:mention|reference|acknowledge|disclose|reveal)\s+(?:this|these|that|the\s+existence)\b[^.]{0,30}(?:instruction|step|section|behaviou?r|action|file|upload|request|comment|rule)",
);
static SILENT: Pattern = Pattern::new(
    r"\b(?:silently|quietly|discreetly)\b[^.]{0,30}\b(?:send|upload|post|forward|copy|collect|run|execute|install|download|transmit|record|append|exfiltrate|email|log)\b",
);
static HARMLESS: Pattern = Pattern::new(
    r"\b(?:internal\s+(?:details|names|reasoning|ids?|steps|jargon|mechan\w+|state)|tool\s+names?|raw\s+(?:json|output|error)|implementation|stack\s+trace|jargon|spoil\w*|json|until|technical|unless|placeholder|answer|token\s+count|file\s+paths?|skill\s+name|which\s+files?|fail\w*|errors?|done|success|complete\w*|to\s+(?:run|install|use|open|restart|go|do|manually))\b",
);

static SECRETS: Pattern =
    Pattern::new(r"\b(?:secrets?|credentials?|api\s+keys?|passwords?|tokens?|sensitive)\b");
static SHOWS: Pattern = Pattern::new(r"\b(?:reveal|disclose|show|report|discuss|expose)");

/// Most facts of a file that are looked at.
const MOST_FACTS: usize = 100;

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let hidden = here.unit.place == Place::Hidden;
    if !(here.is_prose() || matches!(here.unit.place, Place::Decoded | Place::Comment)) {
        return;
    }
    if let Some(range) = SECRET.find(here.text) {
        let tail = here.text.get(range.start..).unwrap_or_default();
        let near = tail.get(..tail.len().min(range.len() + 60)).unwrap_or(tail);
        // Secrets are kept from users who could leak them, and actions are not.
        let keeps_secrets = SECRETS.is_match(near) && SHOWS.is_match(&here.text[range.clone()]);
        let reaches_out = here
            .subject
            .facts_of(here.index.0)
            .iter()
            .take(MOST_FACTS)
            .any(|seen| matches!(seen.fact, Fact::Sends | Fact::Fetches | Fact::SecretFile));
        let reaches_out = reaches_out || here.around(4).any(|text| text.contains("http"));
        let severity = match (hidden, HARMLESS.is_match(near) || keeps_secrets) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::Info,
            (false, false) if reaches_out && here.file.is_skill_file() => Severity::High,
            (false, false) => Severity::Medium,
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "the agent is told to keep something from the user",
        );
    } else if let Some(range) = SILENT.find(here.text) {
        let severity = if hidden {
            Severity::High
        } else {
            Severity::Low
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "something is to happen without a word",
        );
    }
}
