//! Keys to money.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::intent::Intent;
use crate::pattern::Pattern;

rule! {
    /// A wallet's private key or seed phrase is taken.
    ///
    /// The owner of the seed phrase has the money, permanently. No skill needs to see
    /// one: transactions are signed by the wallet.
    ///
    /// **Fix:** let a wallet or a hardware key sign.
    "scan-wallet-theft", Critical,
    "let a wallet or a hardware key sign; no skill needs the seed phrase",
    keywords: &["seed phrase", "mnemonic", "private key", "private_key", "recovery phrase", "wallet.dat", "keystore", "metamask", "privatekey", "secret phrase", "clipboard", "0x", "recovery words", "secret words", "seed words", "twelve words", "24 words", "12 words", "bc1", "topubkey", "sendtransaction", ".pay(", ".pay (", "send_transaction", "transfer(", "transfer (", "transferfrom", "transfer_lamports", "twenty-four words", "wallet address", "btc address", "eth address", "crypto address"],
    check
}

static ASK: Pattern = Pattern::new(
    r"\b(?:enter|provide|paste|type|share|send|give|submit|input|import|supply|ask\w*\s+(?:for|the\s+user))\b[^.]{0,60}\b(?:seed\s+phrase|mnemonic(?:\s+phrase)?|recovery\s+phrase|secret\s+phrase|wallet(?:'s)?\s+private\s+key)",
);
static WORDS: Pattern = Pattern::new(
    r"\b(?:enter|provide|paste|type|share|send|give|submit|supply|ask\w*)\b[^.]{0,60}(?:\b(?:recovery|seed|secret|twelve|twenty-four)|\b(?:12|24))\s+words\b|\bpastes?\b[^.]{0,30}\b(?:12|24|twelve)\s+words\b",
);
/// Money that a script sends to an address of its own.
static PAYS: Pattern = Pattern::new(
    r#"(?:sendtransaction|transfer(?:from)?|transfer_lamports|\.pay|send_transaction)\s*\([^;]{0,160}['"](?:0x[0-9a-f]{40}|bc1[0-9a-z]{20,}|[1-9a-hj-np-z]{40,44})['"]|topubkey\s*:\s*new\s+publickey\s*\(\s*['"]\w{32,}|\.approve\s*\(\s*['"]0x[0-9a-f]{40}['"]\s*,[^;]{0,40}(?:max|2\s*\*\*\s*256|0xf{20,})"#,
);
static MOVES: Pattern =
    Pattern::new(r"\b(?:move|transfer|send|forward|sweep|deposit|route|swap)\b");
static FUNDS: Pattern = Pattern::new(
    r"\b(?:balance|funds?|tokens?|coins?|profits?|fees?|eth|btc|usdc|sol|crypto|remainder|wallet)\b",
);
static ADDRESS: Pattern = Pattern::new(r"\b0x[0-9a-f]{40}\b|\bbc1[0-9a-z]{20,}");
static UNASKED: Pattern = Pattern::new(
    r"\b(?:before\s+(?:each|every|any)|after\s+(?:each|every|any)|always|automatically|without\s+(?:asking|confirmation)|no\s+confirmation|paid\s+back|idle)\b",
);
static DRAINS: Intent = Intent {
    all: &[&MOVES, &FUNDS, &ADDRESS, &UNASKED],
    none: &[],
};
static CLIPS: Pattern =
    Pattern::new(r"(?:pyperclip\.copy|clipboard\.(?:write\w*|set\w*)|set-clipboard|pbcopy)");
static MATCHES: Pattern =
    Pattern::new(r"bc1|0x\[|\[13\]|a-hj-np|fullmatch|re\.match|\.test\s*\(|\.match\s*\(");

static SWAP: Pattern = Pattern::new(
    r"clipboard[^;]{0,200}(?:0x[0-9a-f]{40}|bc1|wallet|address)[^;]{0,200}(?:replace|copy|set|write)|(?:replace|swap)[^.;]{0,60}\b(?:wallet|btc|eth|crypto)\s+address",
);
static TAKE: Pattern = Pattern::new(r"seed_?\s?phrase|mnemonic|wallet\.dat|private_?key|keystore");
static FORBIDS: Pattern =
    Pattern::new(r"\b(?:never|not|don't|avoid|without|no\s+need|do\s+not|refuse|must\s+not)\b");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if ctx.is_prose() {
        if let Some(range) = DRAINS.find(text) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "money is to be moved to the address of a stranger",
            );
        } else if let Some(range) = ASK
            .find(text)
            .or_else(|| WORDS.find(text))
            .filter(|_| !FORBIDS.is_match(text))
        {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "the user is asked for a seed phrase",
            );
        } else if let Some(range) = SWAP.find(text) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::Medium,
                "addresses of wallets are replaced",
            );
        }
    } else if ctx.is_executed() {
        let clips = CLIPS.find(text).filter(|_| {
            ctx.surrounding_texts(3).any(|text| MATCHES.is_match(text))
                && ctx.surrounding_texts(8).any(|text| ADDRESS.is_match(text))
        });
        if let Some(range) = PAYS.find(text).filter(|_| !ctx.file.is_document) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High.even_quoted(),
                "money is sent to an address that stands in the script",
            );
        } else if let Some(range) = SWAP.find(text).or(clips) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::Critical,
                "addresses of wallets are replaced",
            );
        } else if let Some(range) = TAKE.find(text).filter(|_| ctx.has(Fact::Sends)) {
            let severity = if text.contains("sign") {
                Severity::Low
            } else {
                Severity::High
            };
            findings.add(
                &RULE,
                ctx,
                range,
                severity,
                "a wallet's key is sent over the network",
            );
        }
    }
}
