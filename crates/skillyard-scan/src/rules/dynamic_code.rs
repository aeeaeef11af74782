//! Text that is run as code.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::facts::Fact;
use crate::file::Language;
use crate::pattern::Pattern;

rule! {
    /// Text is run as code, or handed to a shell.
    ///
    /// `eval`, `exec`, `os.system` and `shell=True` run whatever reaches them. With a fixed
    /// text they are not needed; with any other they may run anything.
    ///
    /// **Fix:** call the function or the program with its arguments as a list.
    "scan-dynamic-code", High,
    "call the function, or the program with its arguments as a list",
    keywords: &["eval", "exec", "os.system", "os.popen", "shell=true", "shell = true", "function(", "new function", "runin", "pickle.load", "yaml.load", "child_process", "__import__", "shell =", "shell=", "getruntime"],
    check
}

static EVALUATES: Pattern = Pattern::new(
    r#"(?:^|[^.\w$'"])(?:eval|exec)\s*\(\s*(?:f["']|[a-z_][\w.\[\]]*\s*[,)+%]|[\w.]+\()|\bnew\s+function\s*\(\s*(?:["'][\w\s,]{0,80}["']\s*,\s*){0,4}[a-z_]|vm\.runin\w*\s*\(\s*[a-z_]|builtins\.(?:exec|eval)|\b(?:instance|class|module)_eval\s+[\w$]"#,
);
/// What a caller handed over, run as it is.
static PARAMETER: Pattern =
    Pattern::new(r#"(?:^|[^.\w$'"])(?:eval|exec)\s*\(\s*(?:[a-z_]\w*\s*\)|f["'][^"']*\{)"#);
/// A list of the names that may be used makes a calculator of it.
static LIMITED: Pattern =
    Pattern::new(r"__builtins__|globals|namespace|allowed|safe|env\b|scope|ctx|context");
static TEMPORARY: Pattern = Pattern::new(
    r#"(?:exec|eval)\s*\(\s*(?:compile\s*\(\s*)?open\s*\(\s*['"](?:/tmp|/var/tmp|/dev/shm|~/\.)"#,
);
static VALUE: Pattern = Pattern::new(
    r#"["'][^"']*["']\s*:\s*["'].{0,120}(?:require\s*\(\\?["']child_process|__import__\s*\(|os\.system\s*\(|getruntime\(\)\.exec|execsync\s*\()"#,
);
static SHELL: Pattern = Pattern::new(r"\bos\.(?:system|popen)\s*\(|shell\s*=\s*true");
static CHOSEN: Pattern = Pattern::new(
    r"\bos\.(?:system|popen)\s*\(\s*(?:f['\x22]|[a-z_]\w*\s*[+%)]|['\x22][^'\x22]*['\x22]\s*(?:\+|%|\.format))|shell\s*=\s*true",
);
static LOADS: Pattern = Pattern::new(r"\bpickle\.loads?\s*\(|\byaml\.load\s*\([^)]*\)");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    if ctx.unit.language == Language::Data
        && ctx.is_code()
        && let Some(range) = VALUE.find(text)
    {
        // A lesson shows what it warns of.
        let severity = if ctx.skill.about_security {
            Severity::Low
        } else {
            Severity::High
        };
        let message = "a value holds code that starts programs";
        findings.add(&RULE, ctx, range, severity.in_any_context(), message);
        return;
    }
    if !ctx.is_executed() || ctx.file.path.ends_with(".min.js") {
        return;
    }
    if let Some(range) = TEMPORARY.find(text) {
        let message = "code is read from a place that anyone can write, and run";
        findings.add(&RULE, ctx, range, Severity::High, message);
    } else if let Some(range) = EVALUATES.find(text).filter(|range| !ctx.is_quoted(range)) {
        let severity = if ctx.has(Fact::Fetches) {
            Severity::Critical
        } else if ctx.has(Fact::Decodes) {
            Severity::High
        } else if ctx.file.is_document {
            Severity::Low
        } else if PARAMETER.is_match(text) && !LIMITED.is_match(text) {
            Severity::High
        } else {
            Severity::Medium
        };
        findings.add(&RULE, ctx, range, severity, "text is run as code");
    } else if let Some(range) = CHOSEN.find(text).filter(|range| !ctx.is_quoted(range)) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Low,
            "text is handed to a shell",
        );
    } else if let Some(range) = SHELL.find(text).filter(|range| !ctx.is_quoted(range)) {
        findings.add(&RULE, ctx, range, Severity::Info, "a shell is started");
    } else if let Some(range) = LOADS.find(text).filter(|_| !text.contains("safe")) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Info,
            "data is loaded that can run code",
        );
    }
}
