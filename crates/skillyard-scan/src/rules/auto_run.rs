//! Files that run because a folder was opened.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// Something runs on its own when a folder is opened, a tool is used or Python starts.
    ///
    /// Tasks of editors that run on opening, commands of containers, hooks of agents and
    /// start-up files of languages need no one to call them.
    ///
    /// **Fix:** remove it; let users start the step themselves.
    "scan-auto-run", Critical,
    "remove it, and let users start the step themselves",
    keywords: &["folderopen", "postcreatecommand", "poststartcommand", "initializecommand", "pretooluse", "posttooluse", "sessionstart", "userpromptsubmit", "sitecustomize", "usercustomize", ".pth", "build.rs", "onstartupfinished", "allowautomatictasks", "stop"],
    check
}

static EDITOR: Pattern = Pattern::new(
    r#"["']?runon["']?\s*:\s*["']folderopen|allowautomatictasks["']?\s*:\s*["']?(?:on|true)"#,
);
static CONTAINER: Pattern = Pattern::new(
    r#"["']?(?:postcreate|poststart|initialize)command["']?\s*:\s*[^}]*(?:curl|wget|https?:|base64)"#,
);
static AGENT: Pattern = Pattern::new(
    r"\b(?:pretooluse|posttooluse|sessionstart|userpromptsubmit|stop)\b.*\bcommand\b.*(?:curl|wget|https?:|base64|nc\s|python3?\s+-c|bash\s+-c)",
);
/// A hook of an agent, whatever it runs.
static HOOK: Pattern =
    Pattern::new(r"\b(?:pretooluse|posttooluse|sessionstart|userpromptsubmit|stop)\b.*\bcommand\b");
static PYTHON: Pattern = Pattern::new(
    r"(?:>>?|open\s*\(|write|copy|cp|tee)[^;]{0,80}(?:sitecustomize\.py|usercustomize\.py|site-packages[^;]{0,40}\.pth\b)",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    let is_field = ctx.unit.kind == UnitKind::Frontmatter;
    let (range, severity) = if let Some(range) = EDITOR.find(text) {
        (range, Severity::Critical)
    } else if let Some(range) = CONTAINER.find(text).or_else(|| AGENT.find(text)) {
        (range, Severity::Critical)
    } else if let Some(range) = HOOK.find(text).filter(|_| is_field) {
        (range, Severity::Medium)
    } else if let Some(range) = PYTHON.find(text).filter(|_| ctx.is_executed()) {
        (range, Severity::High)
    } else {
        return;
    };
    let severity = if ctx.is_code() || is_field {
        severity
    } else {
        Severity::Low
    };
    let message = "something runs without being started";
    if ctx.unit.kind == UnitKind::Data {
        findings.add(&RULE, ctx, range, Severity::High.in_any_context(), message);
    } else {
        findings.add(&RULE, ctx, range, severity, message);
    }
}
