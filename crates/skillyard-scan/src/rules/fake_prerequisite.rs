//! Software that must be downloaded and run first, from nowhere known.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// The skill demands that a program from an unknown place is downloaded and run first.
    ///
    /// This is the shape of the largest campaigns against skill registries: a made-up
    /// requirement, one download for each system, and an order to run it or to paste a
    /// command into a terminal before anything else works. Good skills name packages of a
    /// package manager, and do not need a program that only their own author serves.
    ///
    /// **Fix:** do not run it. Ask for the tool's home page and install it from there.
    "scan-fake-prerequisite", Critical,
    "do not download or run it; find out who makes the tool, and install it from them",
    keywords: &["http://", "https://"],
    check
}

static PROGRAM: Pattern = Pattern::new(
    r"https?://[^\s)\]]+\.(?:zip|exe|dmg|pkg|msi|rar|7z|bat|ps1|scr|apk|jar|iso|vbs|hta)\b|
    https?://[^\s)\]]+/releases/download/|\b[\w-]+\.(?:exe|dmg|msi|scr)\b",
);
static OBTAIN: Pattern = Pattern::new(
    r"\b(?:download|get|grab|fetch|obtain)\b|\bvisit\b|\bgo\s+to\b|\bopen\b|\bhead\s+(?:to|over)\b|\bnavigate\b|\binstall\b",
);
static RUN: Pattern =
    Pattern::new(r"\b(?:run|launch|execute|start|open|double[\s-]click|unzip|extract|unpack)\b");
static PASTE: Pattern = Pattern::new(
    r"\b(?:copy|paste|run|execute|enter)\b.{0,80}\b(?:terminal|command\s+(?:prompt|line)|powershell|console|shell)\b|
    \b(?:terminal|powershell|command\s+prompt)\b.{0,60}\bpaste\b|\bcopy\b.{0,60}\b(?:script|command|code)\b.{0,40}\b(?:paste|run|execute)\b",
);
static DEMAND: Pattern = Pattern::new(
    r"\b(?:requires?|required|must|mandatory|prerequisites?|before\s+(?:using|proceeding|starting|you|continuing|running|we)|first|necessary|needed|critical|important|will\s+not\s+(?:work|function)|won't\s+work|cannot\s+(?:work|function)|without\s+(?:it|this)|to\s+(?:activate|unlock|continue|finish|complete|enable)|needs)\b",
);
static SYSTEM: Pattern =
    Pattern::new(r"\b(?:windows|mac\s?os|osx|linux)\b\s*(?:users?)?\s*[:)\]-]");
static KNOWN: Pattern = Pattern::new(
    r"https?://(?:www\.)?(?:[\w-]+\.)*(?:microsoft|apple|python|nodejs|docker|mozilla|google|jetbrains|oracle|adobe|libreoffice|nvidia|anaconda|git-scm|rust-lang|golang|java|eclipse|apache|gnu|videolan|blender|gimp|obsproject|arduino|unity3d|unrealengine|jenkins|hashicorp|mongodb|postgresql|mysql|elastic|grafana|wireshark)\.(?:com|org|io|net|dev)\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_prose() || ctx.unit.kind == UnitKind::Hidden {
        return;
    }
    let text = ctx.text;
    let program = PROGRAM.find(text);
    let pastes = PASTE.find(text);
    let standing = hosts::least_trusted(text);
    let is_known = KNOWN.is_match(text) || standing == Some(HostTrust::Installer);
    let demands = DEMAND.is_match(text) || DEMAND.is_match(ctx.heading()) || SYSTEM.is_match(text);
    if let Some(range) = program
        && OBTAIN.is_match(text)
        && text.contains("http")
        && !is_known
    {
        let runs = RUN.is_match(text);
        let severity = match (demands, runs) {
            (true, true) => Severity::Critical,
            (true, false) | (false, true) => Severity::High,
            (false, false) => Severity::Low,
        };
        let severity = milder_beside(ctx, severity);
        let message = "a program from an unknown place is to be downloaded and run first";
        findings.add(&RULE, ctx, range, severity.in_any_context(), message);
    } else if let Some(range) = pastes
        && hosts::urls(text).next().is_some()
        && !is_known
    {
        let severity = match standing {
            Some(HostTrust::Doubtful) => Severity::Critical,
            _ if demands => Severity::High,
            _ => Severity::Medium,
        };
        let message = "a command from a web page is to be pasted into a terminal";
        findings.add(&RULE, ctx, range, severity.in_any_context(), message);
    }
}

/// Documents beside `SKILL.md` are where tools explain their own downloads.
fn milder_beside(ctx: &UnitContext<'_>, severity: Severity) -> Severity {
    let text = ctx.text;
    let is_plain = !text.contains("pass") && !ctx.file.is_skill_file();
    if is_plain && hosts::urls(text).all(|url| hosts::trust(url) == HostTrust::Unknown) {
        severity.lowered(1)
    } else {
        severity
    }
}
