//! Servers of tools that are let in.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A server of tools is added in a way that gives it too much.
    ///
    /// Servers that a project brings are let in unasked, a shell or a download stands where
    /// the command should, the connection is not encrypted, or one server's tool takes the
    /// name of another's.
    ///
    /// **Fix:** name the server's program and version, and let the user add it.
    "scan-mcp-server", Critical,
    "name the server's program and version, and let the user add it",
    keywords: &["mcpservers", "enableallprojectmcpservers", "mcp-remote", "mcp add", "tool name", "tool shadow", "mcp", "\"command\"", "\"args\"", "url\"", "url'", "tool-name", "legitimate", "this tool"],
    check
}

static ALL: Pattern = Pattern::new(r#"enableallprojectmcpservers["']?\s*:\s*true"#);
static COMMAND: Pattern = Pattern::new(
    r#"["']command["']\s*:\s*["'](?:/bin/)?(?:ba|z)?sh["'].*(?:curl|wget|https?:|base64)|["']args["']\s*:\s*\[[^\]]*(?:curl\s|wget\s|\|\s*(?:ba)?sh|base64\s)"#,
);
static REMOTE: Pattern = Pattern::new(
    r#"\b(?:mcp-remote|mcp\s+add)\b[^;|]*https?://\S+|["'](?:serverurl|url)["']\s*:\s*["']http://[^"']+"#,
);
static TAKES: Pattern = Pattern::new(
    r"\btool[\s-]name\s+(?:collision|squatting|hijack\w*|shadowing)|\btool\s+shadowing|\b(?:overwrit\w+|shadow\w*|replac\w+|hijack\w*)\b[^.]{0,40}\blegitimate\b[^.]{0,20}\b(?:tool|one|server)|\b(?:call|use)\s+this\s+tool\s+(?:before|instead\s+of)\s+(?:any|every|all)\s+other",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    let (range, severity, message) = if let Some(range) = ALL.find(text) {
        (
            range,
            Severity::High,
            "every server that a project brings is let in",
        )
    } else if let Some(range) = COMMAND.find(text).filter(|_| lists_servers(ctx)) {
        (
            range,
            Severity::Critical,
            "a server is started by a shell that downloads",
        )
    } else if let Some(range) = REMOTE.find(text) {
        let severity = match hosts::least_trusted(&text[range.clone()]) {
            Some(HostTrust::Doubtful | HostTrust::Plain) => Severity::High,
            _ => Severity::Info,
        };
        (
            range,
            severity,
            "a server is reached without encryption or name",
        )
    } else if let Some(range) = TAKES.find(text).filter(|_| ctx.is_prose()) {
        (
            range,
            Severity::Medium,
            "one tool takes the place of another",
        )
    } else {
        return;
    };
    if ctx.unit.kind == UnitKind::Data && severity >= Severity::High {
        findings.add(&RULE, ctx, range, severity.in_any_context(), message);
    } else {
        findings.add(&RULE, ctx, range, severity, message);
    }
}

/// Whether the file is a list of servers.
fn lists_servers(ctx: &UnitContext<'_>) -> bool {
    ctx.file.path.contains("mcp") || ctx.file.folded.text.contains("mcpservers")
}
