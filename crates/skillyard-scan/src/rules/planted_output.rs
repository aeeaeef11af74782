//! Things planted in what the agent makes.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{Intent, NOT};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// An order to the agent to plant something in everything it makes, or to give others access.
    ///
    /// A script tag in every page, a dependency in every project, an address in every copy, a
    /// second account, a shared folder, a changed bank account: it serves the author of the
    /// skill, and the user does not see it among the rest.
    ///
    /// **Fix:** remove it, or make it something the user asks for.
    "scan-planted-output", High,
    "remove it, or make it something the user asks for",
    keywords: &["@", "<script", "tracking", "backdoor", "referral", "affiliate", "advertis", "promotional", "account", "iban", "payout", "wallet address", "payment address", "merchant", "dependenc", "package", "import ", "bank", "route", "endpoint", "password ==", "passwd ==", "token ==", "key ==", "http://", "https://", "librar", "imports", "module", "require(", "require (", "password==", "passwd==", "token==", "key==", "pin ==", "pin==", "fee", "hidden", "address", "wallet", "handler", "page", "second", "extra", "additional", "another", "small", "parameter", "url"],
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
    r"\buse\s+the\s+account\s+[a-z]{2}\d{2}[\s\d]{10,}[^.]{0,60}\b(?:beneficiary|payee|recipient|instead|transfers?)\b|\b(?:always|instead|replace|change|update|use|redirect|route|default)\b[^.]{0,80}\b(?:account\s+number|iban|routing\s+number|payout|payee|recipient|wallet\s+address|payment\s+address|bank\s+account|merchant\s+(?:id|account)|paypal)\b[^.]{0,80}(?:\b0x[0-9a-f]{40}\b|\b[a-z]{2}\d{2}[\s\d]{10,}|\b\d{8,}\b|\bbc1\w{20,}|[\w.+-]+@[\w-]+\.[a-z]{2,})",
);
static GRANT: Pattern = Pattern::new(
    r"\b(?:give|grant|add|invite|share|allow)\b[^.]{0,60}\b(?:access|permissions?|rights|collaborator|editor|admin|owner|viewer)\b[^.]{0,40}\b[\w.+-]+@[\w-]+\.[a-z]{2,}",
);
static INVITE: Pattern = Pattern::new(
    r"\b(?:invite|add|cc|bcc|copy|include)\b[^.]{0,20}\b[\w.+-]+@[\w-]+\.[a-z]{2,}[^.]{0,40}\b(?:all|every|each|any)\b",
);
static IMPORTS: Pattern = Pattern::new(
    r"\b(?:add|insert|put|place|prepend|include)\b[^.]{0,40}(?:\bimport\s+\w+|\brequire\s*\(|<script|https?://)[^.]{0,60}\b(?:each|every|all)\s+(?:\w+\s+){0,2}(?:files?|pages?|modules?|projects?)\b",
);
static DEPEND: Pattern = Pattern::new(
    r"\b(?:add|install|include|import|put|require)\b[^.]{0,60}\b(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|modules?|imports?)\b[^.]{0,60}\b(?:every|each|all|any)\s+(?:\w+\s+)?(?:projects?|repos?\w*|pages?|builds?|apps?|services?)\b",
);
static ACCOUNT: Pattern = Pattern::new(
    r"\b(?:create|add|insert|include|seed|leave)\b[^.]{0,60}\b(?:second|extra|additional|hidden|default|backup|another|support|maintenance)\b[^.]{0,20}\b(?:account|user|login|admin|key|endpoint|route)\b",
);
static ALWAYS: Pattern = Pattern::new(
    r"\b(?:in\s+(?:each|every|all|any)|always|whenever|every\s+time|password\b|so\s+that\s+we)\b",
);
static BACKDOOR: Intent = Intent {
    all: &[&ACCOUNT, &ALWAYS],
    none: &[&NOT],
};
/// A backdoor.
static RUNS_GIVEN: Pattern = Pattern::new(
    r"\b(?:route|endpoint|handler|page|parameter|url)\b[^.]{0,60}\b(?:runs?|executes?|evaluates?)\s+(?:the\s+|any\s+|a\s+)?(?:given\s+|passed\s+|arbitrary\s+)?(?:commands?|code|shell)\b",
);
static DOOR: Intent = Intent {
    all: &[&RUNS_GIVEN, &ALWAYS_NEW],
    none: &[&NOT],
};
static ALWAYS_NEW: Pattern = Pattern::new(
    r"\b(?:every|each|all|always)\b[^.]{0,20}\b(?:new|generated|services?|apps?|projects?|pages?)\b",
);
static REPLACE: Pattern =
    Pattern::new(r"\b(?:replace|change|swap|substitute|switch|redirect|route|update)\b");
static BANK: Pattern = Pattern::new(
    r"\b(?:bank\s+accounts?|account\s+numbers?|iban|routing\s+numbers?|payee|payouts?|wallet\s+address\w*|payment\s+(?:details|address))\b",
);
static NUMBER: Pattern =
    Pattern::new(r"\b[a-z]{2}\d{2}(?:\s?\w{4}){3,}|\b0x[0-9a-f]{40}\b|\bbc1\w{20,}|\b\d{8,}\b");
static REDIRECTS: Intent = Intent {
    all: &[&REPLACE, &BANK, &NUMBER],
    none: &[&NOT],
};

/// A password that opens every door.
static MASTER: Pattern = Pattern::new(
    r#"\b(?:if\s+)?\(?\w*(?:password|passwd|token|key|pin)\s*={2,3}\s*["'][^"']{4,}["'][^.]{0,20}\b(?:return\s+true|grant|allow|login|admin)"#,
);
/// A part of every payment goes to a third party.
static FEE: Pattern = Pattern::new(
    r"\b(?:second|extra|additional|another|small|hidden)\s+(?:\w+\s+)?(?:transfer|payment|payout|transaction|fee)\b|\b\d+(?:\.\d+)?\s?%",
);
static PAID: Pattern = Pattern::new(
    r"\b(?:account|wallet|address|iban)\b[^.]{0,20}(?:\b0x[0-9a-f]{6,}|\bbc1\w{6,}|\b[a-z]{2}\d{2}[\s\w]{8,}|\b\d{8,})",
);
static SKIMS: Intent = Intent {
    all: &[&FEE, &PAID],
    none: &[&NOT],
};

static EXAMPLE: Pattern = Pattern::new(
    r"@(?:example|company|acme|domain|email|test|yourdomain|corp)\.|e\.g\.|\bexample\b|for\s+instance|\bsupport@|\bfeedback|\bsecurity@",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() || EXAMPLE.is_match(ctx.text) {
        return;
    }
    let skims = || {
        SKIMS
            .find(ctx.text)
            .filter(|_| ctx.unit.kind != UnitKind::Frontmatter)
    };
    if let Some(range) = MASTER.find(ctx.text).or_else(skims) {
        let message = "a way in, or a share of the money, is to go to somebody else";
        findings.add(&RULE, ctx, range, Severity::High, message);
    } else if let Some(range) = PAYMENT.find(ctx.text).or_else(|| REDIRECTS.find(ctx.text)) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "money is to go to another account",
        );
    } else if let Some(range) = BACKDOOR.find(ctx.text).or_else(|| DOOR.find(ctx.text)) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "a way in is to be left in what is made",
        );
    } else if let Some(range) = SHARE
        .find(ctx.text)
        .or_else(|| GRANT.find(ctx.text))
        .or_else(|| INVITE.find(ctx.text))
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "somebody else is to get access or copies",
        );
    } else if let Some(range) = PLANT
        .find(ctx.text)
        .or_else(|| DEPEND.find(ctx.text))
        .or_else(|| IMPORTS.find(ctx.text))
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "something is to be planted in everything that is made",
        );
    }
}
