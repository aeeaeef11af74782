//! Encoded text that is run.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;

rule! {
    /// Encoded text is decoded and run in one go.
    ///
    /// `base64 -d | bash`, `exec(b64decode(…))`, `eval(atob(…))`: the code is kept from
    /// the reader and from scanners, which is the only reason to write it so.
    ///
    /// **Fix:** do not run it. Write the code as it is.
    "scan-decode-execute", Critical,
    "do not run it; code that means well can be written as it is",
    keywords: &["base64", "buffer.from", "b64decode", "b32decode", "b85decode", "a85decode", "atob", "fromhex", "unhexlify", "xxd", "rot13", "rot_13", "fromcharcode", "-enc", "powershell", "gunzip", "zcat", "decompress", "marshal", "frombase64string", "codecs", "openssl", "| rev", "printf '",
        "printf \"", "tr ", "b16decode", "<(rev", "$(rev", "`rev", "<( rev", "$( rev", "|rev", "rev |", "rev|"],
    check
}

static DIRECT: Pattern = Pattern::new(
    r#"(?:base64\s+(?:-d\b|-di\b|--decode)|xxd\s+-r(?:\s+-p)?|openssl\s+(?:enc\s+)?\S*\s*-d\b[^|]*|\brev\b|\btr\s+['"]?a-z[^|]{0,40}|\bgunzip\b|\bzcat\b)[^;]{0,80}\|\s*(?:sudo\s+)?(?:/bin/)?(?:(?:ba|z|da)?sh|python3?|node|perl)\b|
    (?:(?:ba|z|da)?sh|eval|source|python3?)\s+(?:-\w+\s+)*["']?(?:<\(|\$\(|\x60)[^;]{0,200}(?:base64\s+(?:-d\b|--decode)|xxd\s+-r|\brev\b)|
    \b(?:exec|eval|compile|os\.system|subprocess\.\w+|popen|function|execsync|iex|invoke-expression)\s*\(?[^;]{0,120}(?:b(?:64|32|85|16)decode|a85decode|atob|fromhex|unhexlify|frombase64string|buffer\.from\([^)]*['"](?:base64|hex)|fromcharcode|marshal\.loads|zlib\.decompress|codecs\.decode)|
    powershell(?:\.exe)?\b[^;|]{0,120}\s-(?:e|en|enc|enco\w*)\s+['"]?[a-z0-9+/=]{20,}|
    printf\s+['"](?:\\x?[0-9a-f]{2,3}){6,}[^|]{0,20}\|\s*(?:ba|z)?sh\b"#,
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = DIRECT.find(ctx.text) {
        let severity = if ctx.is_shell() || ctx.is_executed() {
            Severity::Critical
        } else {
            Severity::High
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "encoded text is decoded and run",
        );
    } else if ctx.is_executed() && ctx.has(Fact::Decodes) && ctx.has(Fact::Evaluates) {
        let range = 0..ctx.text.len().min(200);
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "encoded text is decoded and run as code",
        );
    }
}
