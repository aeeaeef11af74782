//! Words that take the agent away from its user.

use std::ops::Range;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, HABIT, Intent, NOT};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// An order to the agent to forget its instructions, its limits or its user.
    ///
    /// "Ignore previous instructions", "you are now in developer mode", "safety rules do not
    /// apply": a skill adds to what the agent knows, and has no say over what its user and
    /// its makers told it.
    ///
    /// **Fix:** remove it.
    "scan-instruction-override", Critical,
    "remove it: a skill has no say over what the user and the agent's makers told it",
    keywords: &[
        "ignore", "disregard", "forget", "override", "bypass", "developer mode", "jailbreak", "dan mode", "unrestricted", "you are now",
        "system prompt", "restrictions", "safety", "guardrail", "no longer", "new instructions", "supersede", "privileged mode", "admin mode", "[system]", "<system", "<admin", "<operator", "system:",
        "highest priority", "without restriction", "ethical", "refuse", "god mode", "root mode", "you are dan", "act as", "moral", "discard", "hidden instructions", "priority over", "pre-approved", "approval", "confirmation", "consent", "忽略", "无视", "忽视", "不要理会", "忘记", "忘掉", "不用管", "oтмeни", "oбpaщaй", "無視", "무시", "зaбyдь", "игнopиpyй", "vergiss", "verwirf", "esque", "tenez pas compte", "missachte", "oublie", "olvida", "descarta", "desconsider", "dimentica", "ignora", "ignoriere", "ignorez",
        "aside", "outrank", "overrule", "precedence", "trump", "decline", "uncensored", "unfiltered", "no content", "in advance", "already answered", "already granted", "already approved", "suspended", "lifted", "waived", "bound by", "exempt", "initial prompt", "hidden settings", "im_start", "only ones that", "pay no attention", "stop following", "answers everything", "drop the", "no rules", "no limits", "refusal", "safeguard", "content filter", "content limit", "content rule", "usage limit", "usage rule", "pretend", "imagine you", "was a test", "only the text", "only the words", "only the rules", "only the instruction", "only the content", "only the direction", "only the orders", "only this", "only these", "you were told", "bind you", "not binding", "would normally", "would usually", "administrator has", "operator has", "admin has", "you received", "weighted", "ranked above", "placed above", "you have been told", "anyway", "verbatim", "word for word", "caso omiso", "tiens plus compte", "tiens pas compte", "tenez plus compte", "en cuenta", "beachte", "hinweg", "abstraction", "non tenere", "</instructions", "</system", "</user", "</prompt", "</context", "on behalf of", "platform team", "safety team", "security team", "authorized by", "authorised by", "approved by", "cleared by", "confirmed by", "reviewed by", "note from", "message from", "notice from", "</instruction", "</document", "content polic", "restriction", "come before", "valued ", "ranked ", "placed ", "initial instructions", "would otherwise", "jailbroken", "subject to", "restricted by", "abandon", "at the start", "at the beginning", "at the top", "above this", "before this", "content check", "not bind", "not hold for", "whatever your", "whatever the", "what your", "what the", "not active", "not apply", "in force", "content ", "moderation", "permission", "do not follow", "notice by", "message by", "note by", "order from", "order by", "preapproved", "pre approved", "throw out", "security ", "tool limits", "compliance",
    ],
    check
}

/// Overrides in other languages. Letters of Cyrillic that look like Latin ones are folded.
static FOREIGN: Pattern = Pattern::new(
    r"忽略[^.]{0,60}(?:指令|指示|规则|提示)|(?:无视|忽视|不要理会|不用管)[^.]{0,40}(?:指令|指示|规则|提示|限制)|忘(?:记|掉)[^.]{0,30}(?:指令|指示|规则)|指示[^.]{0,20}無視|無視[^.]{0,20}指示|(?:이전|기존)[^.]{0,20}지시[^.]{0,20}무시|(?:зaбyдь|игнopиpyй|пpoигнopиpyй|нe oбpaщaй внимaния|oтмeни)[^.]{0,60}(?:инcтpyкц|yкaзaн|пpaвил|кoмaнд)|\bhaz\s+caso\s+omiso\b|\b(?:no\s+tengas\s+en\s+cuenta|non\s+tenere\s+conto)\b[^.]{0,40}\b(?:instruc|istru|reglas|regole)|\bne\s+t(?:iens|enez)\s+(?:plus|pas)\s+compte\b[^.]{0,40}\b(?:consignes?|instructions?|r\S{1,3}gles|directives?)|\b(?:fais|faites)\s+abstraction\b[^.]{0,40}\b(?:consignes?|instructions?|r\S{1,3}gles)|\bsetz\w*\s+dich\s+\S{1,3}ber\b[^.]{0,60}\bhinweg\b|\bbeachte\b[^.]{0,40}\b(?:anweisung|vorgabe|regeln)\w*\s+(?:\w+\s+)?nicht\s+mehr\b|\b(?:vergiss|ignoriere|missachte|verwirf)\b[^.]{0,40}\b(?:anweisung|vorgabe|regeln|instruktion|richtlinie)\w*|\b(?:oublie[zr]?|ignore[zr]?)\b[^.]{0,40}\b(?:consignes?|instructions?|directives?|r\S{1,3}gles)\b[^.]{0,30}(?:pr\S{1,3}c\S{1,3}dent|ant\S{1,3}rieur|du\s+syst)|\b(?:olvida|ignora|descarta|desconsidere|desconsidera|ignore|esque\S{1,2}a|dimentica)\b[^.]{0,40}\b(?:instru\S{1,9}s|istruzioni|reglas|regras|regole|indicaciones|\S{0,3}rdenes)\b[^.]{0,30}(?:anterior|previ|preced|del\s+sistema|do\s+sistema)",
);

static OVERRIDE: Pattern = Pattern::new(
    r"\b(?:ignore|disregard|forget|override|bypass|supersede|discard)\w*\b\s+(?:\w+\s+){0,3}?(?:previous|prior|earlier|preceding|above|existing|all\s+(?:other\s+)?|system|your|any|default|safety|security)\b\s*(?:\w+\s+){0,2}?(?:instructions?|prompts?|rules?|guidelines?|guardrails|constraints?|directives?|restrictions?|safety|polic(?:y|ies)|programming|checks)\b|
    \byou\s+are\s+(?:now\s+)?(?:in\s+|an?\s+|no\s+longer\s+)?(?:developer\s+mode|unrestricted|jailbroken|bound\s+by|restricted\s+by|subject\s+to\s+(?:any|your))|
    \byou\s+are\s+now\s+dan\b|(?:^|[.!?:;]\s*)you\s+are\s+dan\b|
    \b(?:developer|god|admin|dan|unrestricted|privileged|jailbreak|root)\s+mode\b[^.]{0,60}\b(?:enabled|activated|active|on\b|now|restrictions|rules|during)|
    \b(?:restrictions?|safety\s+(?:rules|guidelines|checks|measures)|content\s+polic(?:y|ies)|ethical\s+guidelines|guardrails)\b[^.]{0,40}\b(?:do\s+not|don't|no\s+longer|are\s+not|does\s+not)\s+(?:apply|active|in\s+effect|enforced|required|necessary)|
    \b(?:reveal|print|output|show|repeat|leak|dump)\b\s+(?:\w+\s+){0,3}?(?:system\s+prompt|hidden\s+instructions|initial\s+instructions)|
    \b(?:these|this|the\s+following)\s+(?:instructions?|rules?|skill)\s+(?:take|takes|have|has)\s+(?:precedence|priority)\s+over\s+(?:all|any|the\s+(?:system|user)|your|safety)|
    \bnever\s+refuse\b|\bcannot\s+refuse\b|\bwithout\s+(?:any\s+)?(?:ethical|safety|moral)\s+(?:constraints?|considerations?|guidelines?|restrictions?)|
    (?:^|\s)\[?<?/?system\]?>?\s*(?:instruction\s+)?override\b|\bact\s+as\s+(?:if\s+you\s+(?:have|had)\s+no|an?\s+unrestricted)",
);
static DISCARDS: Pattern = Pattern::new(
    r"\b(?:ignore|disregard|forget|drop|(?:set|put|push|lay|leave)\s+(?:\w+\s+){0,2}aside|throw\s+out|discard|overrule|abandon|stop\s+following|no\s+longer\s+follow|pay\s+no\s+attention\s+to|do\s+not\s+follow)\b",
);
static TOLD: Pattern = Pattern::new(
    r"\b(?:instructions?|directions|directives?|guidelines?|guardrails|orders|system\s+(?:message|prompt)|you\s+(?:were|have\s+been|got)\s+(?:told|given|taught|trained)|what(?:ever)?\s+(?:your|the)\s+(?:developers?|makers?|operators?|vendors?|creators?|owners?|company|provider)\s+(?:\w+\s+){0,2}(?:configured|told|said|set|wrote|wants?|instructed|defined)|your\s+(?:rules|training|limits|policies|constraints|programming)|rules\s+(?:that\s+)?(?:your|the)\s+(?:developers?|makers?|creators?|vendor|provider|company|operator))\b",
);
static PRIOR: Pattern = Pattern::new(
    r"\b(?:previous(?:ly)?|prior|earlier|so\s+far|until\s+now|original(?:ly)?|system|everything|whatever|anything|any\s+other|all\s+other|your|existing)\b",
);
static OUTRANKS: Pattern = Pattern::new(
    r"\b(?:directions|rules|instructions?|skill|file|document|text|section|steps|this|these|those)\b[^.]{0,40}\b(?:outranks?|supersedes?|overrides?|overrules?|trumps?|(?:take|takes|have|has)\s+(?:absolute\s+)?(?:precedence|priority)\s+over|come\s+before|(?:weighted|placed|ranked|valued)\s+(?:above|over|before|higher\s+than)(?:\s+(?:those|that)\s+of)?|the\s+only\s+ones\s+that)\s+(?:\w+\s+){0,3}?(?:system\s+(?:message|prompt|instructions?)|the\s+(?:user|operator|developers?)\b|anything|your\s+(?:guidelines|rules|training|safety|policies)|all\s+other\s+(?:instructions|rules)|everything\s+else\s*(?:$|[.,;!]|you|that)|safety|count\b|matter\b)",
);
static REFUSES: Pattern = Pattern::new(
    r"\b(?:may\s+not|must\s+not|must\s+never|never|cannot|can't|do\s+not|don't|not\s+allowed\s+to|forbidden\s+to)\s+(?:ever\s+)?(?:decline|refuse|reject|question|object\s+to|say\s+no)\b[^.]{0,30}\b(?:requests?|commands?|instructions?|orders?|anything|prompts?|tasks?)\b",
);
static FREE: Pattern = Pattern::new(
    r"\b(?:act\s+as|you\s+are|become|pretend\s+(?:to\s+be|(?:that\s+)?you\s+are)|imagine\s+(?:that\s+)?you|take\s+on\s+the\s+(?:role|persona)|role-?play|behave\s+(?:as|like)|persona)\b[^.]{0,80}\b(?:(?:no|without(?:\s+any)?|free\s+of)\s+(?:content\s+|ethical\s+|safety\s+)?(?:rules|restrictions|limits|limitations|filters|guidelines|boundaries)|unrestricted|unfiltered|uncensored|answers?\s+everything|(?:filters?|limits?|restrictions?|safeguards?|guardrails|safety\s+\w+)\s+(?:\w+\s+){0,3}(?:removed|lifted|disabled|gone|stripped|switched\s+off))\b",
);
static TURN: Pattern = Pattern::new(
    r"<\|im_start\|>\s*(?:system|developer)\b[^<]{0,200}\b(?:lifted|ignore|unrestricted|must\s+(?:now|obey)|no\s+longer|disabled?|operator|limits?|override|all\s+(?:tools?|requests?))\b",
);
static ASKS: Pattern = Pattern::new(
    r"\b(?:confirmations?|approvals?|permissions?|consent|permission\s+prompts?|questions?)\b",
);
static ANSWERED: Pattern = Pattern::new(
    r"\b(?:already|in\s+advance|pre-?)\s*(?:been\s+)?(?:answered|granted|given|approved|agreed|confirmed|authori[sz]ed)|\b(?:agreed|consented|approved|authori[sz]ed)\s+(?:\w+\s+){0,3}in\s+advance|\btreat\b[^.]{0,60}\bas\s+(?:\w+\s+)?(?:yes|approved|granted|answered|given)\b",
);
static SAFETY: Pattern = Pattern::new(
    r"\b(?:safety|security|content|permission|moderation|ethical)\s+(?:checks?|rules?|polic(?:y|ies)|filters?|guidelines?|limits?|controls?|measures|prompts?|restrictions?)\b|\bguardrails\b|\btool\s+limits\b|\b(?:usual|normal|all|your|tool)\s+restrictions\b|\bpermission\s+polic(?:y|ies)\b",
);
static OFF: Pattern = Pattern::new(
    r"\b(?:suspended|lifted|waived|switched\s+off|turned\s+off)\b|\bexempt(?:ed)?\s+from\b|(?:\bnot|n't|\bno\s+longer)\s+(?:\w+\s+)?(?:bound\s+by|subject\s+to\s+(?:any|your|the|these|those)\b|apply|active|in\s+force|enforced)\b",
);
static PRINTS: Pattern = Pattern::new(
    r"\b(?:prints?|reveals?|shows?|outputs?|repeats?|discloses?|leaks?|dumps?)\s+(?:(?:its|your|the|full|complete|entire|own|out)\s+){1,3}(?:initial\s+prompt|system\s+prompt|hidden\s+(?:settings|instructions|prompt)|original\s+instructions)\b",
);
/// Only what stands here counts, and what was said before does not.
static ALONE: Pattern = Pattern::new(
    r"\bonly\s+(?:(?:the\s+)?(?:text|words|rules|instructions?|content|directions|orders)\s+(?:of|in|from)\s+(?:this|these)|(?:this|these)\s+(?:text|words|rules|instructions?|directions|orders))\b[^.]{0,40}\b(?:counts?|appl(?:y|ies)|matters?|valid|binding|followed)\b|\byou\s+(?:were|have\s+been)\s+(?:told|given|taught)\b[^.]{0,60}\b(?:was|were|is|are)\s+(?:only\s+|just\s+)?(?:a\s+test|void|obsolete|wrong|no\s+longer|cancelled|outdated|revoked)",
);
/// A mode in which nothing is forbidden.
static MODE: Pattern = Pattern::new(
    r"\b\w+\s+mode\b[^.]{0,80}\b(?:no|without|lifted|off|disabled|ignores?)\b[^.]{0,30}\b(?:(?:content|safety|usage)\s+(?:restrictions?|limits?|filters?|rules)|refusals?|guardrails|safeguards)\b",
);
/// What was said before does not hold here.
static LOOSENED: Pattern = Pattern::new(
    r"\b(?:do(?:es)?|are|is)\s+(?:not|no\s+longer)\s+(?:bind(?:ing)?|apply\s+to|hold\s+for|concern|in\s+force)\b",
);
/// Even what the agent would not do is to be done.
static UNWILLING: Pattern = Pattern::new(
    r"\b(?:including|even)\b[^.]{0,30}\byou\s+would\s+(?:normally|usually|otherwise)\s+(?:turn\s+down|refuse|decline|reject|not\b)",
);
/// Unsafe actions are to be done anyway.
static ANYWAY: Pattern = Pattern::new(
    r"\b(?:unsafe|harmful|dangerous|unethical|illegal|against\s+(?:policy|the\s+(?:rules|policy)|your))\b[^.]{0,60}\b(?:answer|comply|do|proceed|help|continue)\b[^.]{0,20}\b(?:anyway|nonetheless|regardless|all\s+the\s+same)\b|^\W*never\s+(?:decline|refuse)\s*(?:$|[.!])",
);
/// The system prompt is to be shown.
static VERBATIM: Pattern = Pattern::new(
    r"\b(?:complete|entire|whole|verbatim|word\s+for\s+word|in\s+full|letter\s+by\s+letter)\b",
);
static BEFORE: Pattern = Pattern::new(
    r"\b(?:text|prompt|instructions?|configuration)\s+(?:that\s+)?you\s+(?:received|got|were\s+given)\s+(?:before|at\s+the\s+(?:start|beginning))\b|\b(?:text|words|instructions?|messages?|prompt|everything|lines)\b[^.]{0,40}\b(?:given|provided|shown|sent|told)\s+(?:to\s+)?you\b[^.]{0,20}\b(?:above|before|earlier|at\s+the\s+(?:start|top|beginning))\b|\b(?:text|instructions?|message|prompt)\s+(?:above|before)\s+this\s+(?:conversation|message|line)\b",
);
/// The end of what holds the agent's instructions, and the start of others.
static ESCAPES: Pattern = Pattern::new(
    r"</(?:instructions?|system|user|prompt|context|document)>\s*<(?:system|user|assistant|instructions?)\b|<(?:system|admin|operator)>[^<]{0,200}\b(?:granted|full\s+access|do\s+not\s+ask|without\s+asking|approved|unrestricted|override)\b",
);
/// A third party allows what the user did not.
static CLEARED: Pattern = Pattern::new(
    r"\b(?:(?:note|message|notice|order)\s+(?:from|by)|on\s+behalf\s+of|(?:approved|authori[sz]ed|cleared|confirmed|reviewed)\s+by)\s+(?:the\s+|your\s+)?(?:\w+\s+){0,2}(?:team|department|staff|operators?|administrators?|admin|anthropic|openai|vendor|developers?)\b|\ban?\s+(?:administrator|operator|admin)\s+has\s+(?:\w+\s+)?(?:switched|enabled|granted|approved|authori[sz]ed|set|unlocked)\b|\b(?:safety|security|compliance)\s+(?:review|check|clearance)\b[^.]{0,30}\b(?:completed|passed|done|granted)\b",
);
static SKIPS: Pattern = Pattern::new(
    r"\b(?:skip|bypass|omit|suppress|ignore|no\s+(?:further\s+)?need\s+for|without)\b[^.]{0,30}\b(?:confirmations?|approvals?|permissions?|consent|warnings?|safety|asking|questions)\b|\b(?:confirmations?|approvals?|(?:permission\s+)?questions|permissions?)\b[^.]{0,20}\b(?:not\s+needed|unnecessary|not\s+required|not\s+necessary)\b",
);

/// Things that are ignored every day, and talk about attacks.
static THINGS: Pattern = Pattern::new(
    r"\b(?:gitignore|caches?|drafts?|lint\w*|eslint|css|themes?|whitespace|columns?|rows|injection|attack\w*|jailbreak\w*|untrusted|payloads?|e\.g|example|such\s+as|if\s+(?:a|the|any)\b[^.]{0,40}\b(?:says|contains|asks|tells))\b",
);
/// Orders in content that the agent reads for the user are not to be followed.
static EMBEDDED: Pattern = Pattern::new(
    r"\b(?:found|embedded|contained|inside|within|appearing)\b|\b(?:in|from)\s+(?:the\s+|any\s+|a\s+)?(?:\w+\s+)?(?:files?|pages?|emails?|comments|documents?|content|tool\s+(?:results|outputs?)|data|issues?)\b",
);

/// The meanings that take the agent away from its user, in whatever words.
static MEANINGS: [Intent; 15] = [
    Intent {
        all: &[&TOLD, &LOOSENED],
        none: &[&THINGS],
    },
    Intent {
        all: &[&UNWILLING],
        none: &[&THINGS],
    },
    Intent {
        all: &[&ALONE],
        none: &[&THINGS],
    },
    Intent {
        all: &[&MODE],
        none: &[&THINGS, &NOT],
    },
    Intent {
        all: &[&ANYWAY],
        none: &[],
    },
    Intent {
        all: &[&VERBATIM, &BEFORE],
        none: &[&NOT],
    },
    Intent {
        all: &[&CLEARED, &SKIPS],
        none: &[&THINGS],
    },
    Intent {
        all: &[&DISCARDS, &TOLD, &PRIOR],
        none: &[&THINGS, &EMBEDDED, &FORGETS_NOT],
    },
    Intent {
        all: &[&OUTRANKS],
        none: &[&THINGS, &NOT],
    },
    Intent {
        all: &[&REFUSES],
        none: &[&THINGS],
    },
    Intent {
        all: &[&FREE],
        none: &[&THINGS, &NOT],
    },
    Intent {
        all: &[&TURN],
        none: &[],
    },
    Intent {
        all: &[&ASKS, &ANSWERED, &HABIT],
        none: &[&THINGS, &NOT],
    },
    Intent {
        all: &[&SAFETY, &OFF],
        none: &[&THINGS],
    },
    Intent {
        all: &[&PRINTS],
        none: &[&THINGS, &NOT],
    },
];
static FORGETS_NOT: Pattern = Pattern::new(
    r"\b(?:don't|do\s+not|never|not)\s+(?:ever\s+)?(?:forget|ignore|disregard|discard|abandon|override|overrule|drop)\b",
);

/// A negation right before a word.
static NEGATED: Pattern = Pattern::new(
    r"\b(?:don't|do\s+not|never|not)\s+(?:ever\s+)?(?:forget|ignore|disregard|discard|abandon|override|overrule|drop)$",
);

/// A line of the help of a command.
static OPTION: Pattern = Pattern::new(
    r"^\W*--[a-z][\w-]*(?:[=\s]\S+)?\s+overrides?\s+(?:the\s+)?default\s+(?:polic(?:y|ies)|rules?)\W*$",
);

static APPROVAL: Pattern = Pattern::new(
    r"\b(?:bypass|skip|disable|suppress|without\s+(?:asking|requesting|waiting)\s+for|do\s+not\s+(?:ask|wait)\s+for|never\s+ask\s+for)\b[^.]{0,30}\b(?:user\s+|human\s+|any\s+|security\s+|permission\s+)?(?:confirmation|approval|permission|consent|permission\s+prompts?)s?\b|
    \b(?:all|every|any)\b[^.]{0,30}\b(?:actions?|commands?|operations?|tool\s+calls?)\b[^.]{0,20}\b(?:are|is)\s+pre-?approved",
);
/// What is talked about, and not said to the agent.
static TALKS: Pattern = Pattern::new(
    r"\b(?:refuse|reject|treat\b.{0,40}\bas\s+(?:data|untrusted)|attempts?\s+to|try(?:ing)?\s+to|such\s+as|e\.g\.|like|detect|injection|if\b.{0,60}\b(?:says|contains|asks|tells|instructs)|attack\w*|malicious|not\s+follow)\b",
);
/// What is forbidden, as long as the sentence is the same.
static FORBIDS: Pattern =
    Pattern::new(r"\b(?:never|do\s+not|don't|must\s+not|should\s+not|cannot|unless)\b");

/// What forbids nothing.
static REMEMBER: Pattern = Pattern::new(r"\b(?:don't|do\s+not|never)\s+forget\b");

/// Whether the words before an order forbid it.
fn is_forbidden(before: &str) -> bool {
    let sentence = before.rsplit(['.', '!', '?']).next().unwrap_or_default();
    let said = REMEMBER.find(sentence);
    TALKS.is_match(before) || FORBIDS.is_match(&sentence[said.map_or(0, |said| said.end)..])
}

/// Whether the words are about a style, say not to forget, or explain an option of a command.
fn is_daily(ctx: &UnitContext<'_>, range: &Range<usize>) -> bool {
    let order = &ctx.text[range.clone()];
    let verb = order.find(|c: char| !c.is_alphanumeric());
    // What else is not to be forgotten says nothing about this.
    let up_to_verb = &ctx.text[..range.start + verb.unwrap_or(order.len())];
    THINGS.is_match(order) || NEGATED.is_match(up_to_verb) || OPTION.is_match(ctx.text)
}

/// An order in another language. What may be overlooked, what can be skipped, and the
/// list of what git ignores have the same words.
fn foreign(ctx: &UnitContext<'_>) -> Option<Range<usize>> {
    // Who says it more often means it.
    const MAX_FOUND: usize = 8;
    let text = ctx.text.plain();
    let mut found = None;
    let mut from = 0;
    for _ in 0..MAX_FOUND {
        let range = FOREIGN.find(&text[from..])?;
        let range = from + range.start..from + range.end;
        let before = text[..range.start].trim_end();
        let is_said = ["可能", "可能会", "git", "Git"]
            .iter()
            .any(|end| before.ends_with(end))
            || before.ends_with('可') && text[range.clone()].starts_with("忽略的");
        if !is_said {
            return Some(range);
        }
        // An order can stand behind it, and end with the same word.
        let first = text[range.clone()].chars().next().map_or(1, char::len_utf8);
        from = range.start + first;
        found = Some(range);
    }
    found
}

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let hidden = ctx.unit.kind == UnitKind::Hidden;
    let counts = ctx.is_prose() || matches!(ctx.unit.kind, UnitKind::Decoded | UnitKind::Comment);
    if !counts {
        return;
    }
    let found = OVERRIDE
        .find(ctx.text)
        .filter(|range| hidden || !is_daily(ctx, range))
        .or_else(|| foreign(ctx))
        .or_else(|| ESCAPES.find(ctx.text))
        .or_else(|| intent::find(&MEANINGS, ctx.text));
    if let Some(range) = found {
        let before = ctx.text.get(..range.start).unwrap_or_default();
        let quoted = before.trim_end().ends_with(['"', '\'', '(']);
        let severity = match (hidden, is_forbidden(before) || quoted) {
            (true, _) => Severity::Critical,
            (false, false) => Severity::High,
            (false, true) => Severity::Info,
        };
        let message = "the agent is told to leave its instructions or limits behind";
        if hidden {
            findings.add(&RULE, ctx, range, severity.in_any_context(), message);
        } else {
            findings.add(&RULE, ctx, range, severity, message);
        }
    } else if let Some(range) = APPROVAL.find(ctx.text) {
        let before = ctx.text.get(..range.start).unwrap_or_default();
        let severity = match (hidden, is_forbidden(before)) {
            (true, _) => Severity::High,
            (false, true) => Severity::Info,
            (false, false) => Severity::Low,
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "the agent is told to act without asking the user",
        );
    }
}
