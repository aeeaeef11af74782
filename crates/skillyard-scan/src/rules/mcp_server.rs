//! Servers of tools that are let in.

use super::{Findings, Here};
use crate::Severity;
use crate::hosts::{self, Standing};
use crate::pattern::Pattern;
use crate::prepare::Place;

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
    words: &["mcpservers", "enableallprojectmcpservers", "mcp-remote", "mcp add", "tool name", "tool shadow", "mcp", "\"command\"", "\"args\"", "url\"", "url'", "tool-name", "legitimate", "this tool"],
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

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let text = here.text;
    let (range, severity, message) = if let Some(range) = ALL.find(text) {
        (
            range,
            Severity::High,
            "every server that a project brings is let in",
        )
    } else if let Some(range) = COMMAND.find(text).filter(|_| lists_servers(here)) {
        (
            range,
            Severity::Critical,
            "a server is started by a shell that downloads",
        )
    } else if let Some(range) = REMOTE.find(text) {
        let severity = match hosts::worst(&text[range.clone()]) {
            Some(Standing::Doubtful | Standing::Plain) => Severity::High,
            _ => Severity::Info,
        };
        (
            range,
            severity,
            "a server is reached without encryption or name",
        )
    } else if let Some(range) = TAKES.find(text).filter(|_| here.is_prose()) {
        (
            range,
            Severity::Medium,
            "one tool takes the place of another",
        )
    } else {
        return;
    };
    if here.unit.place == Place::Data && severity >= Severity::High {
        findings.add(&RULE, here, range, severity.plain(), message);
    } else {
        findings.add(&RULE, here, range, severity, message);
    }
}

/// Whether the file is a list of servers.
fn lists_servers(here: &Here<'_>) -> bool {
    here.file.path.contains("mcp") || here.file.folded.text.contains("mcpservers")
}
