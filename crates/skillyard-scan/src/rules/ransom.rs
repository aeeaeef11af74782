//! Files made unreadable.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// Files of the user are encrypted, or held for money.
    ///
    /// Encryption over everything in a folder, with the originals removed or a note left
    /// behind, is what ransomware does.
    ///
    /// **Fix:** do not run it.
    "scan-ransom", Critical,
    "do not run it",
    keywords: &["encrypt", "fernet", "ransom", "decrypt", "openssl enc", "gpg -c", "--symmetric", "aes"],
    check
}

static NOTE: Pattern = Pattern::new(
    r"\byour\s+files\s+(?:have\s+been|are)\s+encrypted|\bransom(?:ware)?[\s_]?note|\bpay\b[^.]{0,60}\b(?:bitcoin|btc|monero|wallet)\b[^.]{0,60}\bdecrypt|\bdecrypt\w*\b[^.]{0,60}\bpay(?:ment)?\b[^.]{0,40}\b(?:btc|bitcoin|wallet)",
);
static ORDER: Pattern = Pattern::new(
    r"\bencrypt\s+(?:all|every|each|any|the\s+user's)\s+(?:\w+\s+){0,3}(?:files?|documents?|folders?|director(?:y|ies)|data|backups?)\b",
);
static WALKS: Pattern = Pattern::new(
    r"os\.walk\s*\(|\.rglob\s*\(|\.glob\s*\(|glob\.glob\s*\(|\bfind\s+\S+|for\s+\w+\s+in\s+files",
);
static CIPHER: Pattern =
    Pattern::new(r"\.encrypt\s*\(|openssl\s+enc\b|gpg\s+(?:-c|--symmetric|--encrypt)");
static ORIGINAL: Pattern =
    Pattern::new(r"\.unlink\s*\(|os\.remove\s*\(|\brm\s|write_bytes\s*\(|open\s*\([^)]*['\x22]wb");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if let Some(range) = NOTE.find(text) {
        let severity = if ctx.is_code() {
            Severity::Critical
        } else {
            Severity::Medium
        };
        findings.add(&RULE, ctx, range, severity, "files are held for money");
    } else if let Some(range) = ORDER.find(text).filter(|_| ctx.is_prose()) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "all files are to be encrypted",
        );
    } else if let Some(range) = CIPHER
        .find(text)
        .filter(|_| ctx.is_executed() && !ctx.file.is_document)
    {
        let around =
            |pattern: &Pattern| ctx.surrounding_texts(15).any(|text| pattern.is_match(text));
        if around(&WALKS) && around(&ORIGINAL) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "all files of a folder are encrypted in place",
            );
        }
    }
}
