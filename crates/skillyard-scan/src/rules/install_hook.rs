//! Code that runs because something was installed.

use skillyard_format::Span;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A package runs its own code the moment it is installed.
    ///
    /// `postinstall` and its relatives in `package.json`, and commands of `setup.py`, run
    /// before anyone has looked at the package. A hook that starts a loose script, a shell or
    /// a download is how most poisoned packages begin.
    ///
    /// **Fix:** remove the hook; let users run the step themselves.
    "scan-install-hook", Critical,
    "remove the hook, and let users run the step themselves",
    keywords: &["postinstall", "preinstall", "\"install\"", "\"prepare\"", "cmdclass", "install'", "install:", "install :", "install\""],
    check
}

static HOOK: Pattern = Pattern::new(
    r#"["']?(?:post|pre)install["']?\s*:\s*["'](?:node\s+(?:-e\s|[\w./-]+)|(?:ba|z)?sh\b|curl|wget|python|powershell|\./)|
    ["']?(?:post|pre)?install["']?\s*:\s*"(?:[^"\\]|\\.){0,160}?(?:curl\s|wget\s|https?:|child_process)|
    ["']?(?:post|pre)?install["']?\s*:\s*'(?:[^'\\]|\\.){0,160}?(?:curl\s|wget\s|https?:|child_process)"#,
);
static SETUP: Pattern = Pattern::new(r"cmdclass\s*=\s*\{[^}]*['\x22](?:install|develop|egg_info)");

const MESSAGE: &str = "a script runs as soon as the package is installed";

/// What many packages run then: it builds them, or keeps their own tools in order.
static USUAL: Pattern = Pattern::new(
    r"^(?:(?:npx|pnpm|yarn|bunx?)\s+)?(?:husky|node-gyp|node-gyp-build|prebuild-install|prebuildify|cmake-js|patch-package|prisma\s+generate|lefthook|simple-git-hooks|tsc|tsup|rollup|vite|esbuild|is-ci|playwright\s+install|puppeteer\s+browsers\s+install|lerna|turbo|nx|svelte-kit|nuxi?|ngcc|electron-builder|electron-rebuild|opencollective|only-allow|npm\s+run\s+build|yarn\s+build|echo|exit|true)\b[^;&|$`<>\n\r]*$|
    ^npm\s+(?:ci|install)(?:\s+--?[\w-]+(?:=[\w.]+)?)*$",
);

/// Whether a command is one that many packages run when they are installed.
pub(super) fn is_usual(command: &str) -> bool {
    let plain = command.trim().to_ascii_lowercase();
    let mut parts = plain.split("&&").map(str::trim);
    parts.all(|part| part.is_empty() || USUAL.is_match(part))
}

/// Notes a hook of a manifest, unless its line was found already.
pub(super) fn add(
    file: usize,
    span: Option<Span>,
    severity: Severity,
    findings: &mut Findings<'_>,
) {
    if !findings.has(&RULE, file) {
        findings.add_span(&RULE, file, span, severity, MESSAGE);
    }
}

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = HOOK.find(ctx.text) {
        let text = &ctx.text[range.clone()];
        let hides = text.contains("/.") && !text.contains("./.");
        let fetches = text.contains("http")
            || text.contains("curl")
            || ctx.has(Fact::Fetches)
            || text.contains(" -e")
            || hides;
        if ctx.unit.kind == UnitKind::Data {
            let severity = if fetches {
                Severity::Critical
            } else {
                Severity::Medium
            };
            findings.add(&RULE, ctx, range, severity.in_any_context(), MESSAGE);
        } else {
            findings.add(&RULE, ctx, range, Severity::Critical, MESSAGE);
        }
    } else if ctx.is_executed()
        && let Some(range) = SETUP.find(ctx.text)
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "the installation runs code of its own",
        );
    }
}
