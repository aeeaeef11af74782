//! Code that does not want to be read.

use std::ops::Range;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::file::Language;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// Code is written to be unreadable.
    ///
    /// Names made of hex digits, strings put together from character codes, calls looked up
    /// by a computed name, text rebuilt from pieces by an instruction in the prose: each is a
    /// way to keep a reader and a scanner from seeing what runs.
    ///
    /// **Fix:** put the readable source into the skill.
    "scan-obfuscated-code", High,
    "put the readable source into the skill",
    keywords: &["_0x", "\\x", "fromcharcode", "chr(", "getattr", "__import__", "eval", "globals()", "decode", "base64", "base85", "rot13", "reconstruct", "concatenate", "cipher", "xor", "${", "$'\\x", "$(echo", "$(printf", "`echo", "`printf", "?n/", "?in/", "/bi?/", "??/", "?i?/", "(gcm", "(get-command", "$pshome[", "comspec[", "{0}", "{1}", "&('", "&(\"", "& ('", "& (\"", "chr (", "exec(", "exec (", "globals (", "deobfuscated", "decrypted", "reassemble", ".('", ".(\"", ".(g", ".($", ".( ", ". (", "|('", "|(\"", "|(g", "|($", "|( ", "| (", "&(g", "&($", "&( ", "& (", "( get-command", "( gcm", "\\u00", "assemble", "combine", "decrypt", "join"],
    check
}

static HEX_NAMES: Pattern = Pattern::new(r"\b_0x[0-9a-f]{4,6}\b");
static ESCAPES: Pattern = Pattern::new(r"(?:\\x[0-9a-f]{2}){12,}|(?:\\u00[0-9a-f]{2}){12,}");
static LOOKUP: Pattern = Pattern::new(
    r#"getattr\s*\(\s*(?:__import__|os|builtins|__builtins__|sys)\b[^;]{0,80}(?:\+|chr|join|\[::-1\]|decode)|__import__\s*\(\s*(?:['"]['"]\.join|chr|[^)]*\[::-1\]|[^)]*decode|bytes)|
    (?:eval|exec)\s*\(\s*(?:['"]['"]\.join|chr\s*\(|[^)]*\[::-1\])|globals\s*\(\)\s*\[[^\]]*(?:\+|join|chr)|
    (?:chr\s*\(\s*\d+\s*\)\s*\+\s*){4,}|(?:string\.fromcharcode\s*\([^)]{20,}\))"#,
);
/// Words that a shell puts together itself.
static EXPANSION: Pattern = Pattern::new(
    r"\$\{\w+@[pe]\}|(?:\$\{\w+:\d+:\d+\}){2,}|\$\{!\w+\}\s*(?:\$|;|&|\|)|(?:\w\$\{ifs\}\w)|\$'(?:\\x[0-9a-f]{2}){3,}|\$\{\w+//\w{1,3}/\w{0,3}\}\s*\$|
    (?:^|[;&|]\s*)['\x22]?(?:\$\{\w+\[\d+\]\}){2,}|(?:^|[;&|]\s*)['\x22]?(?:\$\(|\x60)\s*(?:echo|printf)\b[^)\x60;]*(?:\||\\x?[0-9a-f]{2})[^)\x60;]*(?:\)|\x60)|
    (?:^|[\s;&|(])/(?:\?in|b\?n|bi\?|\?\?n|b\?\?|\?i\?|\?\?\?)/[a-z?*]+(?:\s|$)",
);
/// Words that PowerShell puts together itself.
static ASSEMBLED: Pattern = Pattern::new(
    r"[&.|]\s*\(\s*(?:['\x22](?:\{\d\}){2,}['\x22]\s*-f\b|(?:gcm|get-command)\s+['\x22]?\S*[*?]|\$(?:pshome|env:comspec)\[|['\x22]\w{1,8}['\x22]\s*\+\s*['\x22]\w{1,12}['\x22]\s*\))",
);
static REBUILD: Pattern = Pattern::new(
    r"\b(?:decode|reconstruct|assemble|reassemble|concatenate|join|combine|rot13|xor|decrypt)\b[^.]{0,100}\b(?:and|then)\b[^.]{0,60}\b(?:run|execute|follow|eval|perform|act\s+on|apply)\b|
    \b(?:run|execute|follow)\b[^.]{0,60}\b(?:decoded|reconstructed|deobfuscated|decrypted|concatenated|reassembled)\b",
);

static COMMAND: Pattern = Pattern::new(
    r"\b(?:run|execute|eval)\b[^.]{0,60}\b(?:terminal|shell|commands?|bash|script|it)\b",
);
static ENCODED: Pattern = Pattern::new(
    r"base(?:64|32|85)|rot-?13|\bhex\b|encoded|cipher|obfuscat|encrypted|fragments?|\bxor\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if ctx.is_prose() && ctx.unit.kind != UnitKind::Code {
        if let Some(range) = REBUILD.find(text).filter(|_| ENCODED.is_match(text)) {
            findings.add(
                &RULE,
                ctx,
                range,
                if COMMAND.is_match(text) {
                    Severity::High
                } else {
                    Severity::Medium
                },
                "the agent is told to rebuild hidden text and act on it",
            );
        }
    } else if ctx.is_executed() {
        if let Some(range) = HEX_NAMES
            .find(text)
            .filter(|_| HEX_NAMES.count(text, 4) == 4)
        {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "names are made unreadable",
            );
        } else if let Some(range) = assembled(ctx) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "a command is put together by the shell",
            );
        } else if let Some(range) = LOOKUP.find(text) {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High.in_any_context(),
                "what is called is put together from pieces",
            );
        } else if let Some(range) = ESCAPES
            .find(text)
            .filter(|_| ctx.has(Fact::Evaluates) || ctx.has(Fact::Starts))
        {
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::High,
                "text is written in escapes and run",
            );
        }
    }
}

/// Where a shell makes a command out of pieces.
fn assembled(ctx: &UnitContext<'_>) -> Option<Range<usize>> {
    let is_power_shell = ctx.unit.language == Language::PowerShell;
    let found = is_power_shell.then(|| ASSEMBLED.find(ctx.text)).flatten();
    found.or_else(|| ctx.is_shell().then(|| EXPANSION.find(ctx.text)).flatten())
}
