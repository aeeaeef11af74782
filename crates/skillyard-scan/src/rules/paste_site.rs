//! Text that anyone may have left.

use super::{Findings, UnitContext};
use crate::pattern::Pattern;
use crate::{Severity, hosts};

rule! {
    /// Something is got from a site where anyone leaves text or files for anyone.
    ///
    /// Snippet sites, file drops and short links hide who wrote what is behind them, and it
    /// can change after the skill was reviewed.
    ///
    /// **Fix:** put the content into the skill, or link to its author's own site.
    "scan-paste-site", Critical,
    "put the content into the skill, or link to its author's own site",
    keywords: &[
        "glot.io", "paste", "rentry", "hastebin", "ghostbin", "termbin", "ix.io", "0x0.st", "controlc", "privatebin",
        "sprunge", "telegra.ph", "transfer.sh", "file.io", "anonfile", "gofile", "catbox", "temp.sh", "bashupload",
        "tmpfiles", "oshi.at", "mediafire", "mega.nz", "sendspace", "bit.ly", "tinyurl", "cutt.ly", "is.gd",
        "rb.gy", "shorturl", "goo.gl", "t.ly",
    ],
    check
}

static ACTS: Pattern = Pattern::new(
    r"\b(?:copy|paste|run|execute|install|terminal|download|script|curl|wget|command|visit|bash|sh|iex|open\s+(?:this|the))\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let Some(range) = hosts::paste_site(ctx.text) else {
        return;
    };
    let is_link =
        ctx.text[..range.start].ends_with("//") || ctx.text[..range.start].ends_with("www.");
    let site = ctx.text[range.clone()].to_owned();
    let severity = match (is_link, ACTS.is_match(ctx.text)) {
        (true, true) if ctx.is_prose() || ctx.is_shell() => Severity::High,
        (true, _) => Severity::Medium,
        (false, _) => Severity::Info,
    };
    findings.add(
        &RULE,
        ctx,
        range,
        severity.even_quoted(),
        format!("`{site}` serves what anyone left there"),
    );
}
