//! Side tasks that never end.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{Intent, NOT};
use crate::pattern::Pattern;

rule! {
    /// Something is to be run or done after every task, whatever the task was.
    ///
    /// A script or a command bound to "after any operation", "always", "before finishing" is
    /// run far more often than the user asks for it, and is where injected steps hide. Say in
    /// the skill what the script does and when it is needed.
    ///
    /// **Fix:** bind the step to the task that needs it.
    "scan-standing-order", High,
    "bind the step to the task that needs it, and say what it does",
    keywords: &[".sh", ".py", ".js", ".cjs", ".mjs", ".ps1", ".rb", ".pl", ".bat"],
    check
}

static HABIT: Pattern = Pattern::new(
    r"\b(?:after|before|upon|once)\s+(?:\w+ing\s+)?(?:every|each|any|all|finishing|completing|completion\s+of)\b[^.:]{0,40}\b(?:tasks?|operations?|edits?|editing|documents?|files?|request|run|session|response|interaction|step|action|retrieval|analysis|changes?)\b|
    \bafter\s+(?:editing|processing|creating|modifying|saving|reading|generating)\s+(?:a|any|the|each|every)\s+\w+|\b(?:in|on|at)\s+(?:the\s+end\s+of\s+)?(?:each|every)\s+(?:user\s+)?(?:interaction|session|response|reply|task|run)\b|\bevery\s+time\s+(?:you|the\s+(?:user|agent|skill))|\bbefore\s+(?:making|creating)\s+(?:the|any|each)\s+(?:initial|first)?\s*\w+|\balways\s+(?:run|execute|call)",
);
static SCRIPT: Pattern = Pattern::new(
    r"\b(?:run|execut\w+|call\w*|invok\w+|launch\w*|start\w*|using)\b[^.]{0,60}(?:\b|/)[\w-]+\.(?:sh|py|js|cjs|mjs|ps1|rb|pl|bat)\b",
);
static WORDS: Pattern = Pattern::new(
    r"\b(?:every|each|all|full|whole|entire)\s+(?:\w+\s+){0,2}(?:prompts?|conversations?|messages?|chats?|dialogues?)\b",
);
static CALLS: Pattern = Pattern::new(
    r"\b(?:call|run|pass|execute|invoke|pipe|hand|include|send)\b[^.]{0,80}[\w/-]+\.(?:py|sh|js|mjs|ps1)\b",
);
static HANDS: Intent = Intent {
    all: &[&WORDS, &CALLS],
    none: &[&NOT],
};
static REASON: Pattern = Pattern::new(
    r"\b(?:clean\s?up|remove|delete|prune|purge|back(?:ed)?\s?up|sync\w*|hooks|integrations|central\s+server|cloud|endpoint|integrity|telemetry|analytics|metrics|monitoring|logging|compliance|optimi[sz]e|maintenance|disk\s+space|health\s+check|verification\s+server|audit)\b",
);
static EMPHASIS: Pattern =
    Pattern::new(r"\b(?:important|critical|always|must|mandatory|required|make\s+sure|remember)\b");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    let text = ctx.text;
    if let Some(range) = HANDS.find(text) {
        let message = "what the user says is to be handed to a script";
        findings.add(&RULE, ctx, range, Severity::Medium, message);
        return;
    }
    let (Some(habit), Some(script)) = (HABIT.find(text), SCRIPT.find(text)) else {
        return;
    };
    let reason = REASON.is_match(text);
    let emphasis = EMPHASIS.is_match(text) || EMPHASIS.is_match(ctx.heading());
    let severity = if reason {
        Severity::Medium
    } else if emphasis {
        Severity::Low
    } else {
        Severity::Info
    };
    let range = habit.start.min(script.start)..habit.end.max(script.end);
    findings.add(
        &RULE,
        ctx,
        range,
        severity,
        "a script is to run whatever the task was",
    );
}
