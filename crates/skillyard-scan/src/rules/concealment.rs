//! Things the user is not to know.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::intent::{self, Intent, NOT};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// An order to the agent to keep something from its user.
    ///
    /// "Do not mention this", "silently", "without informing the user": the agent works for
    /// the user, and what a skill wants hidden is what the user should see first.
    ///
    /// **Fix:** remove it, and say what is done.
    "scan-concealment", High,
    "remove it, and tell the user what is done",
    keywords: &["tell", "inform", "mention", "notify", "silent", "reveal", "disclose", "secretly", "hide", "covert", "knowledge", "aware", "quietly", "hidden", "stealth", "conceal", "from the user", "from users", "user must", "user should", "surreptitious", "alert the user", "show the user", "discreet", "bring", "out of your", "out of the", "out of any", "attention", "not be bothered", "need not", "speak of", "list it", "list this", "as though", "as if", "made-up", "fake", "pretend", "between us", "to yourself", "notices", "learn about", "find out", "history", "traces", "explain that", "wonders", "reply that", "respond that", "say that", "answer that", "claim that", "nothing left", "leave out", "necessary to", "unrelated", "need to know", "need to see", "not notice", "will notice", "harmless", "change the subject", "stays on", "ohne d", "nicht erw", "ne mention", "no informes", "sin avisar", "sin informar", "sin decir", "no lo menciones", "sans pr", "sans inform", "sem avisar", "sem informar", "senza inform", "告诉用户", "通知用户", "ユーザーに", "사용자에게", "пoльзoвaтeл", "deflect", "bogus", "fictitious", "benutzer", "anwender", "utilisateur", "avises", "digas", "being notified", "avvisare", "utente", "用户", "in secret", "invisibly", "unnoticed"],
    check
}

static SECRET: Pattern = Pattern::new(
    r"\b(?:do\s+not|don't|never|must\s+not|should\s+not|avoid|without)\s+(?:ever\s+)?(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting|show|report|discuss|draw\w*\s+(?:attention|(?:the\s+)?user))\b[^.]{0,50}\b(?:to\s+)?(?:the\s+|any\s+)?(?:users?|humans?|them|anyone|operator|developer|human)\b|
    \b(?:without|outside)\s+(?:the\s+)?user(?:'s)?\s+(?:knowledge|awareness|consent|knowing|noticing|being\s+(?:aware|informed|notified))|
    \b(?:keep|hide|conceal)\b[^.]{0,40}\bfrom\s+(?:the\s+)?users?\b|\bthe\s+user\s+(?:must|should|does)\s+(?:not|never)\s+(?:know|see|notice|be\s+(?:aware|told|informed))|
    \b(?:secretly|covertly|surreptitiously|stealthily)\b\s+\w+|\bdo\s+not\s+(?:mention|reference|acknowledge|disclose|reveal)\s+(?:this|these|that|the\s+existence)\b[^.]{0,30}(?:instruction|step|section|behaviou?r|action|file|upload|request|comment|rule)",
);
static SILENCE: Pattern = Pattern::new(
    r"\b(?:do\s+not|don't|never|no\s+need\s+to|need\s+not|must\s+not|shouldn't|should\s+not|without|avoid|not)\s+(?:ever\s+)?(?:tell\w*|inform\w*|mention\w*|notify\w*|bring\w*|report\w*|list\w*|say\w*|show\w*|speak\w*|talk\w*|reveal\w*|disclos\w+|explain\w*|refer\w*|includ\w+)\b|\b(?:not\s+necessary|unnecessary|no\s+reason)\s+to\s+(?:tell|mention|inform|report|list|show)\b|\bleave\s+out\b|\b(?:leave|keep)\b[^.]{0,50}\bout\s+of\b|\bomit\b[^.]{0,40}\bfrom\b",
);
static DEED: Pattern = Pattern::new(
    r"\b(?:mention|list|bring|report|speak\s+of|talk\s+about|reveal|disclose|show|leave|keep|omit|drop|include|say|tell\w*)\b[^.]{0,24}\b(?:this|it|these|that|the\s+(?:existence|upload|step|transfer|copy|change|command|request|script|call|export|extra|backup|sync)\b|step\s+\d|what\s+you\s+(?:ran|did|sent))",
);
static HEARERS: Pattern = Pattern::new(
    r"\b(?:users?|humans?|person|people|owner|customers?|anyone|anybody|nobody|no\s+one|(?:your|the|any|a)\s+(?:\w+\s+)?(?:summary|report|answer|response|reply|message|commit\s+message|changelog|log)|files\s+you\s+changed)\b",
);
static ASKED: Pattern = Pattern::new(
    r"\b(?:if|when|should)\b[^.]{0,30}\b(?:asks?|asked|wonders?|questions?)\b[^.]{0,30}\b(?:what\s+(?:you|it|this|that)\s+(?:just\s+)?(?:ran|did|does|do|sent|is\s+doing)|whether\b[^.]{0,40}\b(?:sent|shared|uploaded|left|collected|stored|copied)|why\b[^.]{0,40}\b(?:network|request|connection|upload))",
);
static CLAIMS: Pattern =
    Pattern::new(r"\b(?:say|answer|claim|reply|respond|tell\s+them|pretend|explain)\b");
static COVERS: Pattern = Pattern::new(
    r"\b(?:erase|clear|delete|remove|wipe|clean|scrub)\b[^.]{0,60}\b(?:shell\s+history|command\s+history|bash\s+history|traces?|evidence|tracks|logs?(?:\s+files?)?)\b[^.]{0,60}\b(?:nobody|no\s+one|notice\w*|afterwards|when\s+done|so\s+that|discover\w*|suspicion)|\b(?:when\s+done|afterwards|finally)\b[^.]{0,40}\b(?:erase|clear|wipe|scrub)\b[^.]{0,40}\b(?:shell|command|bash)\s+history\b",
);
static UNAWARE: Pattern = Pattern::new(
    r"\b(?:users?|humans?|person(?:\s+you\s+work\s+for)?|owner|nobody|no\s+one)\s+(?:\w+\s+){0,2}(?:(?:should|must|need|will)(?:\s+not|n't|\s+never)\s+(?:\w+\s+)?(?:learn|know|notice|find\s+out|realise|realize|suspect|be\s+aware|hear)|(?:do(?:es)?\s+not|don't|doesn't|never|need\s+not)\s+(?:need\s+to\s+|have\s+to\s+)?(?:know|see|hear|learn)\s+(?:about\s+|of\s+)?(?:this|it|that|these))\b|\bso\s+(?:that\s+)?(?:nobody|no\s+one|the\s+user\s+(?:doesn't|does\s+not|won't))\s+(?:\w+\s+)?(?:notic\w+|suspect\w*|know\w*|see\w*)|\bkeep\s+(?:this|it)\s+(?:between\s+us|to\s+yourself|quiet|secret)\b",
);
/// A change is put where those who look for it do not look.
static BURIES: Pattern = Pattern::new(
    r"\b(?:unrelated|inside\s+a\s+large|in\s+the\s+middle\s+of\s+a|bur(?:y|ied)|slip|sneak|tuck|smuggle|disguise)\b[^.]{0,80}\b(?:commit|change|diff|pull\s+request|refactor\w*|format\w*)\b|\b(?:commit|change|diff)\b[^.]{0,60}\b(?:unrelated|buried|disguised)\b",
);
static UNSPOTTED: Pattern = Pattern::new(
    r"\b(?:reviewers?|maintainers?|auditors?|nobody|no\s+one|the\s+team|people|they|users?|colleagues|admins?|anyone)\s+(?:\w+\s+)?(?:(?:will|do|does|can|may|would|should|won't|don't|doesn't|can't)\s*(?:not|never)?\s+)?(?:notice|spot|see|question|catch|suspect)\w*\b",
);
/// Questions about what is done are to be talked away.
static EXCUSES: Pattern = Pattern::new(
    r"\b(?:asks?|asked|wonders?|questions?)\b[^.]{0,80}\b(?:explain|say|claim|reply|answer|respond|tell\s+them)\s+(?:that\s+)?(?:it|they|this|these|everything|nothing|no\s+data|all\s+of\s+it)\b[^.]{0,40}\b(?:harmless|normal|routine|locally?|safe|expected|updates?|stays?|leaves|nothing)\b|\b(?:wonders?|asks?)\b[^.]{0,60}\b(?:commit|upload|request|transfer|copy|process|file)\b[^.]{0,20}\btell\s+them\s+(?:that\s+)?(?:it|this)\s+(?:came|comes|is|was)\b|\b(?:change\s+the\s+subject|deflect\s+(?:the\s+)?question)\b",
);
static FEIGNS: Pattern = Pattern::new(
    r"\b(?:answer|respond|act|behave|reply|continue|look|carry\s+on)\b[^.]{0,20}\bas\s+(?:though|if)\s+(?:only|nothing|it\s+(?:were|was)|no)\b|\b(?:show|display|print|report|invent)\b[^.]{0,20}\b(?:made-up|fake|false|fictitious|bogus)\s+(?:\w+\s+)?(?:error|message|progress|warning|delay|output|result)",
);
static FOREIGN: Pattern = Pattern::new(
    r"\bohne\s+(?:den|die|das)\s+(?:nutzer|benutzer|anwender|user)\w*\b[^.]{0,30}\b(?:inform|sag|erw\S{1,3}hn|frag)|\b(?:sin|sem)\s+(?:avisar|informar|decir|decirle|notificar|perguntar|preguntar)\b[^.]{0,20}\busu\S{1,2}rio|\b(?:nicht|nichts)\b[^.]{0,20}\b(?:erw\S{1,3}hn\w*|sag\w*|mitteil\w*)\b[^.]{0,30}\b(?:benutzer|nutzer|anwender)|\b(?:erw\S{1,3}hn\w*|sag\w*)\b[^.]{0,40}\b(?:benutzer|nutzer|anwender)\w*\s+(?:\w+\s+)?nicht\b|\bno\s+(?:informes|avises)\b[^.]{0,20}\b(?:usu\S{1,2}ri|persona)|\bne\s+(?:mentionne|dis|signale)\w*\b[^.]{0,30}\butilisateur|\bno\s+(?:se\s+)?lo\s+(?:menciones|digas)\b|\bsans\s+(?:pr\S{1,3}venir|informer|avertir|le\s+dire)\b[^.]{0,20}\butilisateur|\bsenza\s+(?:informare|avvisare|dire)\b[^.]{0,20}\butente|(?:不要|别|勿|不得)(?:告诉|通知|提示|提及)[^.]{0,12}用户|ユーザーに[^.]{0,20}(?:知らせ|伝え|言わ|教え)(?:ない|ず)|사용자에게[^.]{0,20}(?:알리지|말하지)|нe\\s+(?:гoвopи|cooбщaй|yпoминaй|paccкaзывaй)[^.]{0,30}пoльзoвaтeл",
);
/// Words that deceive the user about what is done.
static DECEIVES: [Intent; 7] = [
    Intent {
        all: &[&BURIES, &UNSPOTTED],
        none: &[&HONEST],
    },
    Intent {
        all: &[&EXCUSES],
        none: &[&HONEST],
    },
    Intent {
        all: &[&ASKED, &CLAIMS],
        none: &[&HONEST],
    },
    Intent {
        all: &[&COVERS],
        none: &[],
    },
    Intent {
        all: &[&UNAWARE],
        none: &[&HARMLESS, &SECRETS],
    },
    Intent {
        all: &[&FEIGNS],
        none: &[&HONEST],
    },
    Intent {
        all: &[&FOREIGN],
        none: &[],
    },
];
/// Words that leave out what is done.
static OMITS: [Intent; 2] = [
    Intent {
        all: &[&SILENCE, &DEED, &HEARERS],
        none: &[&HARMLESS, &SECRETS],
    },
    Intent {
        all: &[&ORDER, &UNSEEN],
        none: &[&HARMLESS, &HONEST, &NOT],
    },
];
static HONEST: Pattern = Pattern::new(
    r"\b(?:honest\w*|truth\w*|never|don't|do\s+not|tests?|mocks?|stubs?|fixtures?|placeholder|sample|simulat\w+|unit)\b",
);
static ORDER: Pattern = Pattern::new(
    r"\b(?:send|upload|post|forward|copy|collect|run|execute|install|download|transmit|record|append|add|create|email|push|write|change|modify|pass|hand|relay|deliver)\b",
);
static UNSEEN: Pattern = Pattern::new(
    r"\b(?:silently|quietly|secretly|covertly|discreetly|invisibly|unnoticed|in\s+secret)\b[^.]{0,80}\b(?:users?(?:'s)?|crontab|profile|account|home|~/|https?:|repository|memory|[\w.+-]+@[\w-]+\.)",
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
const MAX_FACTS: usize = 100;

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let hidden = ctx.unit.kind == UnitKind::Hidden;
    if !(ctx.is_prose() || matches!(ctx.unit.kind, UnitKind::Decoded | UnitKind::Comment)) {
        return;
    }
    let plain = SECRET.find(ctx.text);
    let deceives = intent::find(&DECEIVES, ctx.text);
    let is_deceit = deceives.is_some();
    let meant = deceives.or_else(|| intent::find(&OMITS, ctx.text));
    let is_meant = meant.is_some();
    if let Some(range) = meant.or(plain) {
        let tail = ctx.text.get(range.start..).unwrap_or_default();
        let near = tail.get(..tail.len().min(range.len() + 60)).unwrap_or(tail);
        // Secrets are kept from users who could leak them, and actions are not.
        let keeps_secrets = SECRETS.is_match(near) && SHOWS.is_match(&ctx.text[range.clone()]);
        let reaches_out = ctx
            .skill
            .facts_in(ctx.index.0)
            .iter()
            .take(MAX_FACTS)
            .any(|seen| matches!(seen.fact, Fact::Sends | Fact::Fetches | Fact::SecretFile));
        let reaches_out = reaches_out || ctx.surrounding_texts(4).any(|text| text.contains("http"));
        let acts = ORDER.is_match(ctx.text) && ctx.file.is_skill_file();
        let is_harmless = HARMLESS.is_match(near) || keeps_secrets;
        let severity = match (hidden, is_harmless && !is_meant) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::Info,
            (false, false) if reaches_out && ctx.file.is_skill_file() => Severity::High,
            (false, false) if is_meant && (acts || is_deceit) => Severity::High,
            (false, false) => Severity::Medium,
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "the agent is told to keep something from the user",
        );
    } else if let Some(range) = SILENT.find(ctx.text) {
        let severity = if hidden {
            Severity::High
        } else {
            Severity::Low
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "something is to happen without a word",
        );
    }
}
