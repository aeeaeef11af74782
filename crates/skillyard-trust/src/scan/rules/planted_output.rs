//! Things planted in what the agent makes.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::pattern::Pattern;

rule! {
    /// The agent is told to plant something in everything it makes, or to give others access.
    ///
    /// A script tag in every page, a dependency in every project, an address in every copy, a
    /// second account, a shared folder, a changed bank account: it serves whoever wrote the
    /// skill, and the user does not see it among the rest.
    ///
    /// **Fix:** remove it, or make it something the user asks for.
    "scan-planted-output", High,
    "remove it, or make it something the user asks for",
    words: &["@", "<script", "tracking", "backdoor", "referral", "affiliate", "advertis", "promotional", "account", "iban", "payout", "wallet address", "payment address", "merchant", "dependency"],
    check
}

static PLANT: Pattern = Pattern::new(
    r"\b(?:insert|include|add|embed|append|inject|place|put)\b[^.]{0,80}(?:<script|https?://\S+|\btracking\s+(?:pixel|code|script|link)|\bbackdoor|\breferral|\baffiliate|\badvertis\w+|\bpromotional)[^.]{0,80}\b(?:in|to|into|at\s+the\s+(?:end|top|bottom)\s+of|on)\s+(?:all|every|each|any)\b|
    \b(?:in|to|into)\s+(?:all|every|each|any)\s+(?:generated|created|new|output)?\s*(?:\w+\s+)?(?:files?|pages?|projects?|documents?|emails?|commits?|responses?|code|scripts?)\b[^.]{0,60}\b(?:insert|include|add|embed|append|inject)\b[^.]{0,60}(?:<script|https?://|\bdependency|\bpackage|\bimport\b|tracking)",
);
static SHARE: Pattern = Pattern::new(
    r"\b(?:share|invite|grant|give|add|cc|bcc|forward|send|set)\b[^.]{0,100}\b[\w.+-]+@[\w-]+\.[a-z]{2,}[^.]{0,60}\b(?:access|collaborator|editor|owner|admin|viewer|recipient|copy|member|permission)|\b(?:always|every|each|all|any|automatically)\b[^.]{0,80}\b(?:share|invite|grant|cc|bcc|forward|copy)\b[^.]{0,80}\b[\w.+-]+@[\w-]+\.[a-z]{2,}",
);
static PAYMENT: Pattern = Pattern::new(
    r"\b(?:always|instead|replace|change|update|use|redirect|route|default)\b[^.]{0,80}\b(?:account\s+number|iban|routing\s+number|payout|payee|recipient|wallet\s+address|payment\s+address|bank\s+account|merchant\s+(?:id|account)|paypal)\b[^.]{0,80}(?:\b0x[0-9a-f]{40}\b|\b[a-z]{2}\d{2}[\s\d]{10,}|\b\d{8,}\b|\bbc1\w{20,}|[\w.+-]+@[\w-]+\.[a-z]{2,})",
);
static EXAMPLE: Pattern = Pattern::new(
    r"@(?:example|company|acme|domain|email|test|yourdomain|corp)\.|e\.g\.|\bexample\b|for\s+instance|\bsupport@|\bfeedback|\bsecurity@",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    if !here.is_prose() || EXAMPLE.is_match(here.text) {
        return;
    }
    if let Some(range) = PAYMENT.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "money is to go to another account",
        );
    } else if let Some(range) = SHARE.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "somebody else is to get access or copies",
        );
    } else if let Some(range) = PLANT.find(here.text) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "something is to be planted in everything that is made",
        );
    }
}
