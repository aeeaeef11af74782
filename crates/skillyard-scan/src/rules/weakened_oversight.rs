//! Those who look on are to be switched off.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::intent::{self, Intent};
use crate::pattern::Pattern;

rule! {
    /// Checks that others rely on are to be removed.
    ///
    /// Hooks, branch protection, secret scanning, audit logs, alerts and reviews are there for
    /// those who do not watch. Who needs them gone for a moment, or because they are slow,
    /// wants something through that they would stop.
    ///
    /// **Fix:** leave the check on, and fix what it complains about.
    "scan-weakened-oversight", High,
    "leave the check on, and mend what it complains about",
    keywords: &["protection", "hook", "scanning", "scanner", "audit", "alert", "monitoring", "logging", "review", "--no-verify", "codeowners", "approval", "two-factor", "2fa", "mfa", "sandbox", "status check"],
    check
}

static REMOVES: Pattern = Pattern::new(
    r"\b(?:disable|remove|turn\s+(?:\w+\s+){0,2}off|switch\s+(?:\w+\s+){0,2}off|deactivate|uninstall|stop|pause|suspend|mute|silence|delete|bypass|skip|circumvent|dismiss|unset|drop|with\s+admin\w*\s+(?:rights|privileges))\b|--admin\b",
);
static GUARDS: Pattern = Pattern::new(
    r"\b(?:branch\s+protections?|pre-?commit(?:\s+hooks?)?|(?:git\s+|commit\s+|push\s+|secret-scanning\s+)hooks|secret[\s-]scann\w+|code\s?owners|required\s+reviews?|review\s+requirements?|audit\s+(?:logs?|logging|trails?|events?)|access\s+logs?|security\s+(?:alerts?|monitoring|scann\w+|logging)|intrusion\s+detection|alerting|alerts\b[^.]{0,20}\bmonitoring|the\s+alerts|required\s+approvals?|approval\s+(?:rules?|steps?|gates?)|two-factor|2fa|mfa|(?:required\s+)?status\s+checks|dependabot\s+alerts|sandbox(?:ing)?)\b",
);
static WANTED: Pattern = Pattern::new(
    r"\b(?:slow\w*|annoy\w*|get\s+in\s+(?:the|your|our)\s+way|in\s+the\s+way|interrupt\w*|before\s+(?:anyone|anybody|somebody|the\s+team|they)|nobody|no\s+one|unnoticed|noise|noisy|then\s+push|push\s+directly|re-?enable|(?:turn|switch)\s+(?:it|them)\s+(?:back\s+)?on\s+again|while\s+you|for\s+a\s+moment|hold\s+(?:you|it|us)\s+up|is\s+paged|so\s+that\s+(?:the|this|your|our)\s+\w+\s+(?:is|are)\s+not)\b|--no-verify",
);
static ADVISED: Pattern = Pattern::new(
    r"\b(?:if\s+(?:the\s+)?(?:users?|you|they)|when\s+the\s+user|ask\w*|only\s+(?:in|for|if|when)|locally|test(?:s|ing)?|false\s+positives?|attackers?|adversar\w+|instead|unless|risk\w*)\b",
);
static FORBIDS: Pattern = Pattern::new(
    r"\b(?:never|must\s+not|should\s+not|cannot|avoid|(?:do\s+not|don't)\s+(?:disable|remove|skip|bypass|turn|switch|stop|use|merge))\b",
);
static MEANINGS: [Intent; 1] = [Intent {
    all: &[&REMOVES, &GUARDS, &WANTED],
    none: &[&FORBIDS, &ADVISED],
}];

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() {
        return;
    }
    if let Some(range) = intent::find(&MEANINGS, ctx.text) {
        let message = "a check is to be taken out of the way";
        findings.add(&RULE, ctx, range, Severity::High, message);
    }
}
