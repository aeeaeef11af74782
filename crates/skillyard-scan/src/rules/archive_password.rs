//! Archives that come with a password.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// An archive is to be opened with a password that stands beside it.
    ///
    /// A password that is written down does not protect anything; it keeps virus scanners of mail
    /// servers, registries and browsers from looking inside.
    ///
    /// **Fix:** do not open it.
    "scan-archive-password", Critical,
    "do not open it: a password that stands beside the archive only keeps scanners out",
    keywords: &["pass", "pwd", "unlock", "code:", "key:", "key is", "code is", "extract using", "extract with", "extracted with", "extracting with", "extract it with", "unzip", "7z", "unrar", "code=", "code =", "code :", "it with:", "it with", "using:", "using :", "with:", "with :"],
    check
}

static PROSE: Pattern = Pattern::new(
    r"\b(?:extract|unzip|unpack|unarchive|decompress|archive|zip|rar|7z)\w*\b.{0,80}?\b(?:pass(?:word|code|phrase)?|pwd|unlock\s+code|code|key)\b\s*(?:is\b|[:=])\s*['\x22(]?[\w!@$%.-]{2,32}|
    \b(?:archive|zip|file|rar|download)\s+pass(?:word|code)\b|\bpass(?:word)?[\s-]protected\b.{0,40}\b(?:zip|archive|rar|7z|download)|
    \bextract(?:ing|ed)?\s+(?:it\s+)?(?:using|with)\s*:\s*\w+|\((?:pass(?:word|code)?|pwd|unlock\s+code|unlock\s+key)\s*:\s*[^)]{2,32}\)",
);
static ARCHIVE: Pattern = Pattern::new(
    r"\.(?:zip|rar|7z|exe|dmg|tar|gz)\b|\b(?:archive|zip|rar|7z|download|extract|unzip)",
);
static LINK: Pattern = Pattern::new(r"https?://|\bdownload\b|\.(?:exe|dmg|msi)\b");
static COMMAND: Pattern = Pattern::new(
    r"\b(?:unzip\s+(?:-\w+\s+)*-p\s*\S+|7za?\s+[xe]\s+(?:\S+\s+)*-p\S+|unrar\s+[xe]\s+(?:\S+\s+)*-p\S+)",
);
static TOPIC: Pattern = Pattern::new(
    r"\b(?:pdfs?|docx?|xlsx?|encrypt|decrypt|protect|remove\s+the|set\s+a|user'?s?\s+pass)",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if ctx.is_prose() {
        if let Some(range) = PROSE.find(text)
            && ARCHIVE.is_match(text)
            && LINK.is_match(text)
            && !TOPIC.is_match(text)
        {
            let message = "an archive is to be opened with a password that stands beside it";
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::Critical.in_any_context(),
                message,
            );
        } else if let Some(range) = PROSE.find(text)
            && !TOPIC.is_match(text)
            && text.len() < 160
            && linked_nearby(ctx)
        {
            let message = "a password for a download stands beside it";
            findings.add(
                &RULE,
                ctx,
                range,
                Severity::Critical.in_any_context(),
                message,
            );
        }
    } else if ctx.is_shell()
        && let Some(range) = COMMAND.find(text)
        && !text[range.clone()].contains('$')
    {
        let message = "an archive is opened with a password that stands beside it";
        findings.add(&RULE, ctx, range, Severity::High, message);
    }
}

/// Whether a download stands in one of the three units before.
fn linked_nearby(ctx: &UnitContext<'_>) -> bool {
    let until = ctx.index.1;
    let units = &ctx.file.units[until.saturating_sub(3)..until];
    let mut texts = units.iter().map(|unit| ctx.file.text(unit));
    texts.any(|text| text.contains("http") && ARCHIVE.is_match(text))
}
