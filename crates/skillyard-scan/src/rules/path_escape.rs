//! Ways out of the folder.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A path climbs out of its folder to files of the system or the user.
    ///
    /// `../../../etc/passwd`, `file:///etc/…` and links to private files pass checks that
    /// only look at the beginning of a path.
    ///
    /// **Fix:** name files below the skill's folder or the workspace.
    "scan-path-escape", High,
    "name files below the skill's folder or the workspace",
    keywords: &["../../", "..\\..\\", "file:///", "ln -s", "symlink", "%2e%2e"],
    check
}

static ESCAPE: Pattern = Pattern::new(
    r"(?:\.\./){2,}(?:etc|root|home|users|proc|var/log|\.ssh|\.aws|\.env|windows)\b|(?:\.\.\\){2,}windows|file:///(?:etc|root|proc|home|users)/|%2e%2e(?:%2f|/)|\bln\s+-s\w*\s+[\x22']?(?:/etc/(?:passwd|shadow)|/proc|~?/?\S*\.ssh\b|~?/?\S*\.aws\b)",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = ESCAPE.find(ctx.text) {
        let severity = if ctx.is_executed() {
            Severity::High
        } else {
            Severity::Low
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity.even_quoted(),
            "a path leads out of its folder to private files",
        );
    }
}
