//! Cryptocurrency miners.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A miner of cryptocurrency is installed or started.
    ///
    /// It spends the user's power for the account of a third party.
    ///
    /// **Fix:** remove it.
    "scan-miner", Critical,
    "remove it: it spends the user's power on somebody else's account",
    keywords: &["xmrig", "stratum+", "minerd", "cpuminer", "nicehash", "coinhive", "cryptonight", "ethminer", "nbminer", "lolminer", "nanopool", "2miners", "--donate-level", "monero", "randomx", "minexmr", "supportxmr", "t-rex"],
    check
}

static MINER: Pattern = Pattern::new(
    r"\bxmrig\b|stratum\+(?:tcp|ssl)://|\b(?:minerd|cpuminer|ethminer|nbminer|t-rex|lolminer)\b|coinhive|cryptonight|randomx|\b(?:minexmr|supportxmr|nanopool|2miners)\b|--donate-level",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = MINER.find(ctx.text) {
        let severity = if ctx.is_executed() {
            Severity::Critical
        } else {
            Severity::Medium
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "a miner of cryptocurrency is used",
        );
    }
}
