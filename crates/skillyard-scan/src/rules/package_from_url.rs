//! Packages that come from no registry.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;

rule! {
    /// A package is installed from an address, or from another index.
    ///
    /// Packages run code when they are installed. From a registry there is a name, a version
    /// and a history; from an address there is what the server sends. A second index lets a
    /// third party's package win over the intended one.
    ///
    /// **Fix:** name a package of the registry, with its version.
    "scan-package-from-url", High,
    "name a package of the registry, with its version",
    keywords: &["install", "npx", "uvx", "index-url", "trusted-host", "registry", "add ", "config set", "bunx", "pnpm dlx", " i ", " get "],
    check
}

static FROM: Pattern = Pattern::new(
    r#"\b(?:pip3?|uv\s+pip|pipx|uv\s+tool|npm|pnpm|yarn|gem|go|cargo|brew|uv)\s+(?:-[^\s;|&]*\s+(?:[^\s;|&-][^\s;|&]*\s+)?)*(?:install|i|add|get)\s+(?:[^;|&]*\s)?["']?(?:git\+)?(?:https?|ssh|git)://[^\s"']+|
    \b(?:npx|bunx|uvx|pnpm\s+dlx)\s+(?:-\S+\s+)*["']?(?:git\+)?(?:https?://|github:)\S+"#,
);
static INDEX: Pattern = Pattern::new(
    r"--(?:extra-)?index-url[\s=]+\S+|--registry[\s=]+https?://\S+|\bregistry\s*=\s*http://\S+|--trusted-host[\s=]\S+|\b(?:npm|pnpm|yarn|pip3?)\s+config\s+set\s+(?:-g\s+)?\S*(?:registry|index-url)\s+https?://\S+",
);
static USUAL: Pattern = Pattern::new(
    r"https?://(?:[\w-]+\.)*(?:github\.com|gitlab\.com|pypi\.org|pytorch\.org|nvidia\.com|npmjs\.(?:org|com)|huggingface\.co|googleapis\.com|jfrog\.io|codeberg\.org|bitbucket\.org|npmmirror\.com|tsinghua\.edu\.cn|aliyun\.com|pkg\.dev|intel\.com|amd\.com|gpuopen\.com|apache\.org|jsr\.io)(?:[/:?\#\s\x22'\x60),;]|$)",
);

static DEMANDS: Pattern = Pattern::new(
    r"\b(?:sudo|required|must|has\s+to|first|before|mandatory|will\s+(?:stop|not\s+work))\b",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() && !ctx.is_prose() {
        return;
    }
    let (range, what) = if let Some(range) = FROM.find(ctx.text) {
        (range, "a package is installed from an address")
    } else if let Some(range) = INDEX.find(ctx.text) {
        (range, "packages are installed from another index")
    } else {
        return;
    };
    let found = &ctx.text[range.clone()];
    let severity = match hosts::least_trusted(found) {
        Some(HostTrust::Doubtful | HostTrust::Plain) => Severity::High,
        _ if USUAL.is_match(found) || !found.contains("://") => Severity::Low,
        Some(HostTrust::Local | HostTrust::Installer) => Severity::Info,
        _ if DEMANDS.is_match(ctx.text) && ctx.file.is_skill_file() => Severity::High,
        _ => Severity::Medium,
    };
    findings.add(&RULE, ctx, range, severity, what);
}
