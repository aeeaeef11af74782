//! Keys that stand in the file.

use super::{Findings, Here};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A key, token or private key stands in the file.
    ///
    /// Whoever has the skill has the key.
    ///
    /// **Fix:** revoke it, and read it from the environment.
    "scan-hardcoded-secret", Medium,
    "revoke it, and read it from the environment",
    words: &["akia", "asia", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "sk-ant-", "sk-proj-", "sk_live_", "aiza", "begin rsa private", "begin private key", "begin openssh private", "begin ec private", "glpat-", "npm_", "hf_"],
    check
}

static KEY: Pattern = Pattern::new(
    r"\b(?:akia|asia)[0-9a-z]{16}\b|\b(?:ghp|gho)_[0-9a-z]{36}\b|\bgithub_pat_[0-9a-z_]{60,}|\bxox[bp]-\d{8,}-[0-9a-z-]{20,}|\bsk-ant-(?:api|admin)\d\d-[\w-]{60,}|\bsk-proj-[\w-]{60,}|\bsk_live_[0-9a-z]{20,}|\baiza[\w-]{35}\b|\bglpat-[\w-]{20}\b|\bnpm_[0-9a-z]{36}\b|\bhf_[0-9a-z]{34}\b|
    -----begin\ (?:rsa\ |ec\ |openssh\ )?private\ key-----\ [0-9a-z+/=\ ]{100,}",
);
static PLACEHOLDER: Pattern =
    Pattern::new(r"example|xxxx|your|1234567|abcdef|0000000|placeholder|\.\.\.");

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = KEY.find(here.text)
        && !PLACEHOLDER.is_match(&here.text[range.clone()])
    {
        let shown = range.start..range.start + 4;
        findings.add(
            &RULE,
            here,
            shown,
            Severity::Medium.plain(),
            "a key stands in the file",
        );
    }
}
