//! Keys to money.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::facts::Fact;
use crate::scan::pattern::Pattern;

rule! {
    /// A wallet's private key or seed phrase is taken.
    ///
    /// Who has the seed phrase has the money, and nobody gets it back. No skill needs to see
    /// one: transactions are signed by the wallet.
    ///
    /// **Fix:** let a wallet or a hardware key sign.
    "scan-wallet-theft", Critical,
    "let a wallet or a hardware key sign; no skill needs the seed phrase",
    words: &["seed phrase", "mnemonic", "private key", "private_key", "recovery phrase", "wallet.dat", "keystore", "metamask", "privatekey", "secret phrase", "clipboard", "0x"],
    check
}

static ASK: Pattern = Pattern::new(
    r"\b(?:enter|provide|paste|type|share|send|give|submit|input|import|supply|ask\w*\s+(?:for|the\s+user))\b[^.]{0,60}\b(?:seed\s+phrase|mnemonic(?:\s+phrase)?|recovery\s+phrase|secret\s+phrase|wallet(?:'s)?\s+private\s+key)",
);
static SWAP: Pattern = Pattern::new(
    r"clipboard[^;]{0,200}(?:0x[0-9a-f]{40}|bc1|wallet|address)[^;]{0,200}(?:replace|copy|set|write)|(?:replace|swap)[^.;]{0,60}\b(?:wallet|btc|eth|crypto)\s+address",
);
static TAKE: Pattern = Pattern::new(r"seed_?\s?phrase|mnemonic|wallet\.dat|private_?key|keystore");
static FORBIDS: Pattern =
    Pattern::new(r"\b(?:never|not|don't|avoid|without|no\s+need|do\s+not|refuse|must\s+not)\b");

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let text = here.text;
    if here.is_prose() {
        if let Some(range) = ASK.find(text).filter(|_| !FORBIDS.is_match(text)) {
            findings.add(
                &RULE,
                here,
                range,
                Severity::Medium,
                "the user is asked for a seed phrase",
            );
        } else if let Some(range) = SWAP.find(text) {
            findings.add(
                &RULE,
                here,
                range,
                Severity::Medium,
                "addresses of wallets are replaced",
            );
        }
    } else if here.runs() {
        if let Some(range) = SWAP.find(text) {
            findings.add(
                &RULE,
                here,
                range,
                Severity::Critical,
                "addresses of wallets are replaced",
            );
        } else if let Some(range) = TAKE.find(text).filter(|_| here.has(Fact::Sends)) {
            let severity = if text.contains("sign") {
                Severity::Low
            } else {
                Severity::High
            };
            findings.add(
                &RULE,
                here,
                range,
                severity,
                "a wallet's key is sent over the network",
            );
        }
    }
}
