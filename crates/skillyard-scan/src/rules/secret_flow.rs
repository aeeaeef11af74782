//! Secrets that are followed from where they are read to where they leave.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::facts::{Fact, Flow, FlowKind};
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;

rule! {
    /// A value that was read from a secret place reaches the network.
    ///
    /// Variables, files and functions are followed through the script: what `cat ~/.netrc`
    /// put into a variable is still a password three lines later, in the body of a request.
    /// A key in the header of a request to the service it belongs to is not a finding.
    ///
    /// **Fix:** do not run it. If it is a tool you know, ask why it needs to send this.
    "scan-secret-flow", Critical,
    "do not run it; find out why it needs to send this, and to whom",
    skill: check
}

/// A key that goes where keys go: into a header, or to a page that logs in.
static LOGIN: Pattern = Pattern::new(
    r"authorization|bearer|x-api-key|api-key['\x22]?\s*:|headers?\s*[=:]|grant_type|oauth|client_id|client_secret|/(?:login|signin|auth|token|session)s?\b|\.login\s*\(|--user\b|\s-u\s|auth\s*=|\.connect\s*\(|imap|keygen|sign(?:ature|ed)?\b|hmac",
);
/// Where a key stands that a service asked for.
static HEADER: Pattern = Pattern::new(r"authorization|bearer|x-api-key|auth\s*=");
/// Keys that are common on machines, and the hosts that they are for.
static KNOWN: Pattern = Pattern::new(
    r"\b(?:aws_secret\w*|aws_session\w*|github_token|gh_token|openai_api_key|anthropic_api_key|npm_token|slack_(?:bot_)?token|stripe_secret\w*|google_api_key|gemini_api_key|hf_token|docker_password|database_url|ssh_\w+|private_key|mnemonic)\b|\bauth\s+(?:token|print-\w+-token)|get-session-token|get-access-token",
);

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for flow in &skill.flows {
        let ctx = UnitContext::new(skill, flow.to.0, flow.to.1);
        let severity = match flow.kind {
            FlowKind::SecretSent => of_secret(flow, &ctx),
            FlowKind::KeySent => of_key(skill, flow, &ctx),
            FlowKind::FetchedRuns | FlowKind::DecodedRuns => None,
        };
        if let Some(severity) = severity {
            let message = "a secret that was read before is sent over the network";
            findings.add_flow(&RULE, &ctx, severity, message);
        }
    }
}

fn of_secret(flow: &Flow, ctx: &UnitContext<'_>) -> Option<Severity> {
    match flow.standing {
        Some(HostTrust::Local) => None,
        Some(HostTrust::Doubtful) => Some(Severity::Critical),
        _ if HEADER.is_match(ctx.text) => Some(Severity::Low),
        // Documents of tools that check an environment show how they do it.
        _ if ctx.file.is_document && !is_file(flow, ctx) => Some(Severity::Medium),
        _ => Some(Severity::High),
    }
}

/// Whether the secret was read from a file or from what the user does.
fn is_file(flow: &Flow, ctx: &UnitContext<'_>) -> bool {
    let source = UnitContext::new(ctx.skill, flow.from.0, flow.from.1);
    [Fact::SecretFile, Fact::SecretPlace, Fact::PersonalData]
        .iter()
        .any(|fact| source.has(*fact))
}

fn of_key(skill: &PreparedSkill<'_>, flow: &Flow, ctx: &UnitContext<'_>) -> Option<Severity> {
    let source = UnitContext::new(skill, flow.from.0, flow.from.1);
    let names = KNOWN.find(source.text).or_else(|| KNOWN.find(ctx.text));
    let is_known = names.is_some();
    if LOGIN.is_match(ctx.text) || flow.standing == Some(HostTrust::Local) {
        return None;
    }
    let mut owners = hosts::urls(ctx.text)
        .map(|url| hosts::owner(hosts::host(url)))
        .peekable();
    owners.peek()?;
    // `SERPAPI_KEY` belongs to serpapi.com, and what a document names is where it goes.
    let belongs = |owner: &str| {
        let name = owner.split('.').next().unwrap_or(owner);
        let declared = skill.declared_hosts.contains(owner);
        declared || source.text.contains(name) && source.index != ctx.index || is_named(ctx, name)
    };
    let belongs = owners.all(belongs);
    let is_own_bot = ctx.text.contains("api.telegram.org/bot") && !is_known;
    match (flow.standing, is_known, belongs) {
        _ if is_own_bot => None,
        (Some(HostTrust::Doubtful), ..) => Some(Severity::Critical),
        (_, _, true) => None,
        (_, true, false) => Some(Severity::High),
        (_, false, false) => Some(Severity::Medium),
    }
}

/// Whether a variable of the statement is called like the host, beside the host itself.
fn is_named(ctx: &UnitContext<'_>, name: &str) -> bool {
    let start = name.get(..6).unwrap_or(name);
    name.len() > 3 && ctx.text.matches(start).count() > 1
}
