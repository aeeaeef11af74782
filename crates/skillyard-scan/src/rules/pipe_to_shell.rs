//! Downloads that run without being looked at.

mod other_forms;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// What is downloaded goes straight into an interpreter.
    ///
    /// `curl … | sh` and its relatives (`bash <(curl …)`, `sh -c "$(curl …)"`,
    /// `iex (iwr …)`, `python -c "exec(urlopen(…))"`) run whatever the server sends at that
    /// moment. The installers of well-known tools do it too, from their own hosts, which is
    /// a lower severity. So is an address of this machine or of a network of one's own
    /// (`localhost`, `10.0.0.1`), and one that stands for any in documents (`192.0.2.1`,
    /// `1.2.3.4`); in a script nothing is an example, and `1.2.3.4`, which is public, is medium.
    /// `curl | sh` without any address, in a sentence, is a word for this, and medium.
    ///
    /// **Fix:** download to a file, check it, then run it; or use a package manager.
    "scan-pipe-to-shell", Critical,
    "download to a file, check it, then run it; or use a package manager",
    keywords: &["curl", "dig ", "nslookup", "wget", "iex", "invoke-expression", "fetch ", "urlopen", "requests.get", "mshta", "regsvr32", "rundll32", "msiexec", "scriptblock", "uri.open", "net::http", "downloadstring", "lwp-", "git clone", "deno", "bun ", "aria2c", "axel ", "fetch(", "axios", "got(", "eval(", "eval (", "eval {", "eval get", "| bash", "| sh", "| zsh", "|bash", "|sh", "| sudo ", "| exec ", "| command ", "| env ", "include 'http", "include('http", "require 'http", "require('http", "include \"http", "include(\"http", "exec(", "exec (", "include_once", "require_once", "include (", "include (", "require (", "require(", "include(", "include'http", "include\"http", "require \"http", "require'http", "require\"http"],
    check
}

static PIPE: Pattern = Pattern::new(
    r#"\b(?:curl\b|wget\b|fetch\s|lwp-\w+\b)(?:[^;]|'[^'\s]*'|"[^"\s]*"|\\;)*?\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:tee\s+\S+\s*\|\s*)?(?:/(?:usr/)?bin/)?(?:env\s+)?(?:\w+=\S+\s+)*(?:ba|z|da|k|fi)?sh\b|
    \b(?:curl\b|wget\b|fetch\s)(?:[^;|]|'[^'\s]*'|"[^"\s]*"|\\;)*\|\s*(?:sudo\s+)?(?:python[23]?|node|perl|ruby|php|osascript|pwsh|powershell|deno|bun)\b(?:\s*$|\s*['"\x60);&]|\s+-(?:\s|$|['"\x60)]))|
    \b(?:dig\s|nslookup\b)[^;]{0,200}\|\s*(?:[^|;]{0,60}\|\s*)?(?:(?:ba|z)?sh|iex|powershell|cmd|python3?)\b|
    (?:(?:ba|z|da)?sh|source|\.|eval|python3?|node)\s+(?:-\w+\s+)*\\?["']?(?:<\(|\$\(|\x60)\s*(?:curl|wget)\b|
    \b(?:iex|invoke-expression)\b[^;|]{0,200}(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|webclient)|
    \b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b[^;]{0,300}\|\s*(?:iex|invoke-expression)\b|
    \b(?:exec|eval)\s*\(\s*(?:compile\s*\(\s*)?(?:urllib|urlopen|requests\.get|httpx\.get|__import__\(['"](?:urllib|requests)|\w+\.urlopen\s*\()|
    \bdeno\s+(?:run|eval)\b[^;|]{0,120}(?:https?://|data:)|\bbun\s+(?:run|x)\s+["']?https?://|\bpython3?\s+-c\s+["'][^"']*(?:urlopen|requests\.get)[^"']*exec|
    \b(?:include|require)(?:_once)?\s*\(?\s*["']https?://|\bmshta(?:\.exe)?\s+["']?https?:|\bregsvr32\b[^;]{0,80}https?:|\brundll32\b[^;]{0,120}(?:https?:|\s\\\\\w)|
    \bmsiexec(?:\.exe)?\b[^;]{0,80}https?:|\[scriptblock\]::create\s*\([^;|]{0,200}(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|webclient)"#,
);

/// A repository that is got and run in one breath.
static CLONE: Pattern = Pattern::new(
    r"git\s+clone\s+\S+[^.]{0,80}?\b(?:python3?|bash|sh|node|make|(?:npm|pnpm|yarn|bun)\s+(?:[^;&|.]*\s)?(?:install|i|ci|start|run)|cargo\s+(?:run|build|install)|uv\s+run|pip3?\s+install)\b",
);
static FORGE: Pattern = Pattern::new(
    r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|huggingface\.co)/",
);

/// The words that fetch, and those among them that name no address.
static FETCHES: Pattern = Pattern::new(
    r"\b(?:curl|wget|fetch|lwp-\w+|aria2c|axel|iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|webclient|urlopen)\b",
);
static BARE: Pattern = Pattern::new(r"\b(?:curl|wget)(?:\s+-[fslqo-]+)*\s*(?:\.\.\.|…)?\s*\\?\|");
/// What gives an address to a command that has none.
static GIVES: Pattern = Pattern::new(r"\b(?:xargs|parallel)\b|-exec\b");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let found = PIPE.find(ctx.text).or_else(|| other_forms::find(ctx));
    let Some(range) = found else {
        check_clone(ctx, findings);
        return;
    };
    // The address may stand before the match, in a variable of the same statement.
    let standing = hosts::least_trusted(ctx.text).unwrap_or(HostTrust::Unknown);
    let is_field = ctx.unit.kind == UnitKind::Frontmatter;
    let severity = match standing {
        HostTrust::Doubtful | HostTrust::Plain => Severity::Critical,
        // A client runs what the frontmatter names without anyone reading it.
        HostTrust::Unknown | HostTrust::Installer if is_field => Severity::High,
        HostTrust::Unknown if is_talked_about(ctx) => Severity::Medium,
        HostTrust::Unknown if is_read_first(ctx) => Severity::High,
        HostTrust::Unknown => Severity::Medium,
        HostTrust::Local if !ctx.file.is_document && hosts::has_placeholder_number(ctx.text) => {
            Severity::Medium
        }
        HostTrust::Local | HostTrust::Installer => Severity::Low,
    };
    let severity = if !is_field && ctx.is_own_host() {
        severity.lowered(1)
    } else {
        severity
    };
    findings.add(
        &RULE,
        ctx,
        range,
        severity,
        "what is downloaded runs without being looked at",
    );
}

/// Whether `curl | sh` is only a word for what is done or is not: where it names no address, it
/// fetches nothing.
fn is_talked_about(ctx: &UnitContext<'_>) -> bool {
    const MAX_FOUND: usize = 9;
    let fetches = FETCHES.count(ctx.text, MAX_FOUND);
    ctx.is_prose()
        && hosts::least_trusted(ctx.text).is_none()
        && (1..MAX_FOUND).contains(&fetches)
        && BARE.count(ctx.text, MAX_FOUND) == fetches
        && !GIVES.is_match(ctx.text)
}

fn check_clone(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let Some(range) = CLONE.find(ctx.text) else {
        return;
    };
    let severity = match hosts::least_trusted(ctx.text) {
        Some(HostTrust::Doubtful | HostTrust::Plain) => Severity::High,
        Some(HostTrust::Unknown) if !FORGE.is_match(ctx.text) => Severity::Medium,
        _ => return,
    };
    findings.add(
        &RULE,
        ctx,
        range,
        severity,
        "a repository is got and run in one breath",
    );
}

/// Whether it stands in a script or in the file that the agent reads first; other documents
/// are where tools explain their own installers.
fn is_read_first(ctx: &UnitContext<'_>) -> bool {
    !ctx.file.is_document || ctx.file.is_skill_file() || ctx.unit.kind == UnitKind::Decoded
}
