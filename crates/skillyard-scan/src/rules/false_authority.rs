//! Orders in the name of a company.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, Intent, NOT};
use crate::pattern::Pattern;

rule! {
    /// An order to change, delete or send something claims a policy that cannot be verified.
    ///
    /// "For compliance", "company policy", "quality control" make a strange step look like
    /// it was decided elsewhere. The user's company does not speak through a skill's author.
    ///
    /// **Fix:** link to the policy, or leave the step to the user.
    "scan-false-authority", High,
    "link to the policy, or leave the step to the user",
    keywords: &["policy", "compliance", "guideline", "quality control", "company", "corporate", "management", "internal", "regulat", "maintenance", "monitoring", "automatically", "after ", "always", "once ", "whenever", "at the end", "without asking", "without confirm", "do not ask", "drop ", "force-push", "so that", "so the", "alignment", "directive", "backup", "no need to ask", "delete", "erase", "wipe", "purge", "destroy", "overwrite", "truncate", "anonymi", "exclude", "clear out", "for audit", "legal", "retention", "organi", "security", "our team", "redact", "no need to", "ask"],
    check
}

static CLAIM: Pattern = Pattern::new(
    r"\b(?:company|corporate|internal|our\s+team'?s?|organi[sz]ation(?:al)?|management|regulatory|compliance|alignment|retention|security)\s+(?:\w+\s+)?(?:polic(?:y|ies)|guidelines?|values|mandates?|directives?|rules)\b|\bfor\s+(?:compliance|quality\s+control|regulatory|audit(?:ing)?|monitoring|legal|internal\s+review)\s+(?:purposes|reasons)|\brequired\s+(?:for|by)\s+(?:compliance|management|legal|security\s+team|it\s+department)",
);
static STRANGE: Pattern = Pattern::new(
    r"\b(?:replace|delete|remove|redact|erase|wipe|purge|anonymi[sz]e|downgrade|disable|exclude|omit|forward|upload|send|share|transfer|grant|approve|reject|lower|increase|change)\s+(?:\w+\s+){0,2}(?:any|all|every|each|the\s+(?:following|original|user's|names?)|names?|words?|files?|paragraphs?|records?|emails?|documents?)\b",
);
static HABIT: Pattern = Pattern::new(
    r"\b(?:after|before|upon|once)\s+(?:\w+ing\s+)?(?:every|each|any|all|completing|finishing|finali[sz]ing|saving|editing|processing)\b|\balways\b|\bautomatically\b|\bat\s+the\s+end\s+of\s+(?:each|every)",
);
static ERASE: Pattern = Pattern::new(
    r"\b(?:delete|erase|wipe|purge|destroy|overwrite|truncate)\s+(?:\w+\s+){0,3}(?:original|source|backups?|user(?:'s)?|all|existing|old|other|unread|previous)\s+(?:\w+\s+){0,2}(?:files?|emails?|messages?|backups?|branches|records?|documents?|events?|contacts|logs|history|tables?|data)\b",
);
static DESTROYS: Pattern = Pattern::new(
    r"\b(?:delete|erase|wipe|purge|destroy|overwrite|truncate|drop|remove|force-push|empty|clear\s+out)\b[^.]{0,60}\b(?:originals?|source\s+\w+|sources|backups?|branches|records?|tables?|databases?|production|history|accounts?|mailbox|emails?|messages?|repositor\w+|spreadsheets?|documents?|photos?)\b",
);
static ROUTINE: Pattern = Pattern::new(
    r"\b(?:after|once|whenever|at\s+the\s+end|when\b[^.]{0,30}\b(?:done|finished|complete)|always|automatically|to\s+save\s+space)\b",
);
static UNASKED: Pattern = Pattern::new(
    r"\bno\s+need\s+to\s+(?:ask|check|confirm)|\bwithout\s+(?:asking|confirm\w*)|\bdo\s+not\s+ask\b|\bdon't\s+ask\b",
);
static HARMLESS: Pattern = Pattern::new(
    r"\b(?:temp\w*|cache\w*|generated|intermediate|build|staging|test|merged|your\s+own|only\s+(?:if|when|after)|unless|if\s+the\s+user|never|ask\s+(?:the|first|before)|confirm\s+with|prefix\w*|whitespace|duplicate\w*|unused|old\s+versions?|stale|comments?)\b",
);
/// It is destroyed so that it stays destroyed.
static FOR_GOOD: Pattern = Pattern::new(
    r"\bso\s+(?:that\s+)?[^.]{0,40}\b(?:cannot|can't|not|impossible|never)\b[^.]{0,24}\b(?:restor|recover|undo|undone|revert|possible|brought\s+back)",
);
static ROUTINELY: [Intent; 3] = [
    Intent {
        all: &[&DESTROYS_ANY, &FOR_GOOD],
        none: &[&SHREDS],
    },
    Intent {
        all: &[&DESTROYS, &UNASKED],
        none: &[&HARMLESS],
    },
    Intent {
        all: &[&DESTROYS, &ROUTINE, &SOURCES],
        none: &[&HARMLESS, &NOT],
    },
];
static DESTROYS_ANY: Pattern = Pattern::new(
    r"\b(?:delete|erase|wipe|purge|destroy|overwrite|truncate|drop|remove|force)\b|--delete\b|--force\b",
);
/// What must be destroyed permanently.
static SHREDS: Pattern = Pattern::new(
    r"\b(?:secrets?|keys?|credentials?|passwords?|tokens?|personal\s+data|gdpr|customer|never|don't|do\s+not)\b",
);
static SOURCES: Pattern = Pattern::new(
    r"\b(?:originals?|source\s+(?:files?|documents?|spreadsheets?|data|images?)|backups?|production|all\s+(?:\w+\s+)?(?:branches|records|tables|emails|messages)|mailbox|user's)\b",
);

static FORBIDS: Pattern = Pattern::new(
    r"\b(?:never|not|don't|avoid|must\s+not|without|unless|confirm\w*|ask\w*|if\s+the\s+user|only\s+(?:if|when|after)|temp\w*|cache\w*|generated|intermediate|build)\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    if let Some(range) = intent::find(&ROUTINELY, ctx.text) {
        let severity = if UNASKED.is_match(ctx.text) || FOR_GOOD.is_match(ctx.text) {
            Severity::High
        } else {
            Severity::Medium
        };
        let message = "things of the user are to be destroyed unasked";
        findings.add(&RULE, ctx, range, severity, message);
        return;
    }
    let text = ctx.text;
    // Nearly every text lacks what is ordered, and few lack a word that may forbid it.
    let found = if let (Some(claim), Some(order)) = (CLAIM.find(text), STRANGE.find(text)) {
        let range = claim.start.min(order.start)..claim.end.max(order.end);
        Some((range, "a strange step is ordered in the name of a policy"))
    } else {
        let range = ERASE.find(text);
        let range = range.filter(|_| HABIT.is_match(text) || HABIT.is_match(ctx.heading()));
        range.map(|range| (range, "things of the user are to be deleted each time"))
    };
    if let Some((range, message)) = found
        && !FORBIDS.is_match(text)
    {
        findings.add(&RULE, ctx, range, Severity::Medium, message);
    }
}
