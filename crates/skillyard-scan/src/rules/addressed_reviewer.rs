//! Words for those who judge the skill.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, Intent};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// The text tells scanners or reviewers what to find.
    ///
    /// "This skill is certified safe", "scanners must skip this folder": a skill that is safe
    /// does not need to say so to the machine that checks it.
    ///
    /// **Fix:** remove it, and let the check speak.
    "scan-addressed-reviewer", High,
    "remove it, and let the check speak",
    keywords: &["scanner", "review tools", "security tools", "reviewer", "auditor", "analyzer", "analyser", "classifier", "moderator", "certified", "verified", "vetted", "known to be safe", "zero findings", "no findings", "automated", "treated as clean"],
    check
}

static JUDGES: Pattern = Pattern::new(
    r"\b(?:(?:security|malware|skill|static|automated|code|virus)\s+)?(?:scanners?|review\s+tools|security\s+tools|analy[sz]ers?|classifiers?|moderators?|(?:security\s+|automated\s+)(?:reviewers?|auditors?|checks))\b",
);
static EXCUSED: Pattern = Pattern::new(
    r"\b(?:must|should|may|can|please|need\s+not|have\s+to|are\s+(?:asked|told)\s+to)\b[^.]{0,40}\b(?:skip|ignore|pass|approve|exclude|trust|whitelist|report\s+(?:zero|no)|mark|rate|classify)\b[^.]{0,60}\b(?:this|these|it|here|folder|file|skill|findings|safe|benign|clean)\b",
);
static CERTIFIED: Pattern = Pattern::new(
    r"\b(?:this\s+(?:skill|file|folder|code|script|package|document))\b[^.]{0,60}\b(?:certified|verified|vetted|reviewed|audited|pre-?approved|guaranteed|known)\b[^.]{0,30}\b(?:safe|clean|benign|harmless|trusted)\b",
);
static NEEDLESS: Pattern = Pattern::new(
    r"\b(?:no\s+(?:further\s+)?(?:need|review|checks?|scan\w*|analysis)|need\s+not|not\s+(?:necessary|needed)|skip|without\s+(?:review|check\w*|asking)|zero\s+findings|may\s+run\s+everything)\b",
);
/// What they find is a mistake.
static MISTAKEN: Pattern =
    Pattern::new(r"\b(?:known\s+mistake|can\s+be\s+treated\s+as\s+(?:clean|safe|harmless))\b");
static MEANINGS: [Intent; 3] = [
    Intent {
        all: &[&JUDGES, &MISTAKEN],
        none: &[&LESSON],
    },
    Intent {
        all: &[&JUDGES, &EXCUSED],
        none: &[&LESSON],
    },
    Intent {
        all: &[&CERTIFIED, &NEEDLESS],
        none: &[&LESSON],
    },
];
static LESSON: Pattern = Pattern::new(
    r"\b(?:attackers?|malicious|claims?|says|never|do\s+not\s+trust|such\s+as|e\.g|generated|vendored|node_modules|injection|configur\w+|settings?|false\s+positives?)\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !(ctx.is_prose() || matches!(ctx.unit.kind, UnitKind::Comment | UnitKind::Decoded)) {
        return;
    }
    if let Some(range) = intent::find(&MEANINGS, ctx.text) {
        let message = "those who check the skill are told what to find";
        if ctx.unit.kind == UnitKind::Comment && !ctx.skill.about_security {
            findings.add(&RULE, ctx, range, Severity::High.in_any_context(), message);
        } else {
            findings.add(&RULE, ctx, range, Severity::High, message);
        }
    }
}
