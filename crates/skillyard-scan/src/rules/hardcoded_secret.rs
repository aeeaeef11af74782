//! Keys that stand in the file.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A key, token or private key stands in the file.
    ///
    /// Everyone with the skill has the key.
    ///
    /// **Fix:** revoke it, and read it from the environment.
    "scan-hardcoded-secret", Medium,
    "revoke it, and read it from the environment",
    keywords: &["akia", "asia", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "sk-ant-", "sk-proj-", "sk_live_", "aiza", "begin rsa private", "begin private key", "begin openssh private", "begin ec private", "glpat-", "npm_", "hf_"],
    check
}

static KEY: Pattern = Pattern::new(
    r"\b(?:akia|asia)[0-9a-z]{16}\b|\b(?:ghp|gho)_[0-9a-z]{36}\b|\bgithub_pat_[0-9a-z_]{60,}|\bxox[bp]-\d{8,}-[0-9a-z-]{20,}|\bsk-ant-(?:api|admin)\d\d-[\w-]{60,}|\bsk-proj-[\w-]{60,}|\bsk_live_[0-9a-z]{20,}|\baiza[\w-]{35}\b|\bglpat-[\w-]{20}\b|\bnpm_[0-9a-z]{36}\b|\bhf_[0-9a-z]{34}\b|
    -----begin\ (?:rsa\ |ec\ |openssh\ )?private\ key-----\ [0-9a-z+/=\ ]{100,}",
);
static PLACEHOLDER: Pattern =
    Pattern::new(r"example|xxxx|your|1234567|abcdef|0000000|placeholder|\.\.\.");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = KEY.find(ctx.text)
        && !PLACEHOLDER.is_match(&ctx.text[range.clone()])
    {
        let shown = range.start..range.start + 4;
        findings.add(
            &RULE,
            ctx,
            shown,
            Severity::Medium.in_any_context(),
            "a key stands in the file",
        );
    }
}
