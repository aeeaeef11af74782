//! Users talked into lowering their guard.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, Intent, NOT};
use crate::pattern::Pattern;

rule! {
    /// The user is to be led past a warning, a guard of the system, or an unexplained step.
    ///
    /// Press these keys and paste, switch the virus scanner off, the warning is a false alarm,
    /// load this extension: the guards of a system stop what a person would not run, so the
    /// person is talked into it. Software that means well comes from its makers, signed.
    ///
    /// **Fix:** do not do it. Install the tool from its makers.
    "scan-persuaded-user", High,
    "do not do it; install the tool from its makers",
    keywords: &["win+r", "windows+r", "win + r", "windows key", "ctrl+v", "cmd+v", "antivirus", "anti-virus", "virus scanner", "virus protection", "defender", "gatekeeper", "is damaged", "quarantine", "xattr", "false alarm", "false positive", "smartscreen", "run anyway", "unpacked", "firewall", "prove that you are human", "verify that you are human", "you are human", "malware warning", "security warning", "accept the warning", "ignore the warning", "cannot be opened", "more info", "unidentified developer"],
    check
}

static KEYS: Pattern = Pattern::new(
    r"\b(?:win(?:dows)?(?:\s+key)?\s*\+\s*r|press\s+(?:the\s+)?windows\s+key)\b[^.]{0,80}(?:ctrl\s*\+\s*v|paste|enter)|\byou\s+are\s+human\b[^.]{0,80}\b(?:press|paste|run|terminal)",
);
static SCANNER: Pattern = Pattern::new(
    r"\b(?:anti-?virus|defender|firewall|smartscreen|gatekeeper|virus\s+(?:scanner|protection)|security\s+software)\b",
);
static OFF: Pattern = Pattern::new(
    r"\b(?:switch|turn|shut)\w*\s+(?:it\s+|your\s+\w+\s+)?off\b|\b(?:disable|pause|deactivate|stop|exclude|whitelist|bypass|add\s+an\s+exception)\w*\b|\b(?:exceptions|exclusions?|allow-?list)\b|\bfalse\s+(?:alarm|positive)\b",
);
static GETS: Pattern = Pattern::new(
    r"\b(?:install\w*|download\w*|run(?:ning)?|launch\w*|open(?:ing)?|setup|runtime|helper)\b",
);
static WARNING: Pattern = Pattern::new(
    r"\b(?:is\s+damaged|unidentified\s+developer|cannot\s+be\s+opened|security\s+warning|run\s+anyway|accept\s+the\s+warning|ignore\s+the\s+warning|more\s+info)\b",
);
static PAST: Pattern = Pattern::new(
    r"\bxattr\s+-|\brun\s+anyway\b|\bthat\s+is\s+normal\b|\bis\s+(?:a\s+)?(?:normal|expected|safe)\b|\baccept\s+the\s+warning\b|\bignore\s+(?:it|the\s+warning)\b|\bopen\s+it\s+again\b",
);
static EXTENSION: Pattern =
    Pattern::new(r"\b(?:load|install|add)\b[^.]{0,40}\bunpacked\b[^.]{0,60}https?://");
/// Words of those who teach what such pages do.
static TAUGHT: Pattern = Pattern::new(
    r"\b(?:warn\w*|attack\w*|scams?|phishing|never|do\s+not|fake|fraud\w*|malicious|pages\s+that)\b",
);
static MEANINGS: [Intent; 4] = [
    Intent {
        all: &[&KEYS],
        none: &[&TAUGHT],
    },
    Intent {
        all: &[&SCANNER, &OFF, &GETS],
        none: &[&NOT],
    },
    Intent {
        all: &[&WARNING, &PAST],
        none: &[],
    },
    Intent {
        all: &[&EXTENSION],
        none: &[],
    },
];

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    // A warning and the way past it may stand in two sentences.
    let both = || {
        let warning = WARNING.find(ctx.text)?;
        (PAST.is_match(ctx.text) && ctx.text.len() < 400).then_some(warning)
    };
    if let Some(range) = intent::find(&MEANINGS, ctx.text).or_else(both) {
        let severity = if ctx.file.is_skill_file() {
            Severity::High
        } else {
            Severity::Medium
        };
        let message = "the user is to be led past a guard of the system";
        findings.add(&RULE, ctx, range, severity, message);
    }
}
