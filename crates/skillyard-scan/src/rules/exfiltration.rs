//! Secrets that leave the machine.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::facts::{Fact, FactMatch};
use crate::hosts::{self, HostTrust};
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// Keys, passwords, the environment or private data are read and sent over the network.
    ///
    /// The two facts stand in one script or block, or in scripts of one skill that has no
    /// other reason to send. A key that only goes into the headers of a request to the
    /// service it belongs to is how every client works, and is not a finding.
    ///
    /// **Fix:** do not run it. If it is a tool you know, ask why it needs to send this.
    "scan-exfiltration", Critical,
    "do not run it; find out why it needs to send this, and to whom",
    skill: check
}

static BODY: Pattern = Pattern::new(
    r#"(?:json|data|params|files|body|payload|content)\s*[=:]\s*[^)]*(?:os\.environ|getenv|process\.env|secret|token|passw|credential|private_key|api_key)|
    (?:-d|--data(?:-\w+)?|-f|--form)\s*['"]?[^|;]*\$[({]?\w*(?:token|secret|passw|key|credential)|[?&](?:data|d|q|v|s|secret|leak|x)=\$[({]?\w*(?:token|secret|passw|key)"#,
);
static ENCODED: Pattern = Pattern::new(
    r"\|\s*(?:base64|xxd|gzip|openssl\s+enc)\b[^|;]*\|\s*(?:curl|nc|wget)\b|\becho\s+[\x22'][^|;]*(?:credential|token|secret|passw)[^|;]*\$[^|;]*\|\s*curl\b",
);
static PUSH: Pattern = Pattern::new(
    r"git\s+remote\s+add\s+\S+\s+https?://\S+.{0,40}git\s+push|git\s+push\s+(?:-\S+\s+)*https?://\S+|git\s+push\s+\S+\s+--mirror",
);
static QUIET: Pattern = Pattern::new(r"\s(?:-q|--quiet|--all|--mirror)\b|>\s*/dev/null");
static REMOTE: Pattern = Pattern::new(r"git\s+remote\s+(?:add|set-url)\b");
static LOGIN: Pattern =
    Pattern::new(r"https?://[^\s'\x22]+/(?:login|signin|auth|sessions?|token)\b");
static HEADER: Pattern =
    Pattern::new(r"authorization|bearer|x-api-key|api-key['\x22]?\s*:|headers?\s*[=:]");

static BOT: Pattern = Pattern::new(
    r"\b\w*(?:bot|telegram|tg|discord)_?\w*(?:token|key|webhook)\b|/webhooks/\$\{?\w*",
);
static ENDLESS: Pattern = Pattern::new(
    r"\bwhile\s*\(?\s*(?:true|1|:)|setinterval\s*\(|\.listener\s*\(|on_press|\.hook\s*\(",
);
/// Words of a skill that says what it records.
static RECORDS: Pattern = Pattern::new(
    r"\b(?:screen\w*|clipboard|keyboard|keystrokes?|record\w*|monitor\w*|hotkeys?|automat\w*)\b",
);

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        if file.folded.text.contains("git push") || file.folded.text.contains("git remote") {
            pushes(skill, index, findings);
        }
    }
    for block in skill.blocks() {
        in_block(skill, block, findings);
    }
    across_files(skill, findings);
}

/// A repository is pushed to somewhere else.
fn pushes(skill: &PreparedSkill<'_>, file: usize, findings: &mut Findings<'_>) {
    for unit in 0..skill.files[file].units.len() {
        let ctx = UnitContext::new(skill, file, unit);
        if !ctx.text.contains("git") {
            continue;
        }
        let Some(range) = PUSH.find(ctx.text) else {
            // The owner of another remote gets everything that is pushed later.
            let script = REMOTE
                .find(ctx.text)
                .filter(|_| ctx.is_executed() && !ctx.file.is_document);
            if let Some(range) = script {
                findings.add(
                    &RULE,
                    &ctx,
                    range,
                    Severity::Medium,
                    "a script adds another remote to the repository",
                );
            }
            continue;
        };
        let severity = match hosts::least_trusted(ctx.text) {
            Some(HostTrust::Doubtful | HostTrust::Plain) => Severity::High,
            Some(HostTrust::Unknown) if ctx.text.contains("github.com") => continue,
            // A silent push of everything is not a requested mirror.
            Some(HostTrust::Unknown) if QUIET.is_match(ctx.text) && !ctx.file.is_document => {
                Severity::High
            }
            Some(HostTrust::Unknown) => Severity::Medium,
            _ => continue,
        };
        findings.add(
            &RULE,
            &ctx,
            range,
            severity,
            "the repository is pushed somewhere else",
        );
    }
}

/// What one script or one fenced block does.
fn in_block(skill: &PreparedSkill<'_>, block: &[FactMatch], findings: &mut Findings<'_>) {
    let first = |fact| skill.first_executed(block, fact);
    let Some(send) = first(Fact::Sends).or_else(|| first(Fact::Fetches)) else {
        return;
    };
    let sends = send.fact == Fact::Sends;
    let doubtful = is_doubtful(skill, block);
    let mut report = |seen: &FactMatch, severity, message: &str| {
        findings.add_in_block(&RULE, seen, severity, message);
    };
    if let Some(secret) = first(Fact::SecretFile).filter(|_| sends || doubtful) {
        let near = secret.unit.abs_diff(send.unit) < 40;
        let severity = match (doubtful, near) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::High,
            (false, false) => Severity::Medium,
        };
        report(
            secret,
            severity,
            "a file with secrets is read where data is sent",
        );
    }
    let caught = block.iter().find(|seen| {
        let ctx = skill.context(seen);
        seen.fact == Fact::Sends && ctx.performs(Fact::Sends) && hosts::is_catcher(ctx.text)
    });
    if let Some(caught) = caught {
        let message = "data is sent to a host that catches whatever comes";
        let is_shown = skill.files[caught.file].is_document;
        let severity = if is_shown {
            Severity::Medium
        } else {
            Severity::High
        };
        report(caught, severity, message);
    }
    let encoded = block.iter().find(|seen| {
        let ctx = skill.context(seen);
        seen.fact == Fact::Sends && ctx.is_executed() && ENCODED.is_match(ctx.text)
    });
    if let Some(encoded) = encoded {
        report(encoded, Severity::High, "data is encoded and sent");
    }
    if let Some(environment) = first(Fact::WholeEnvironment).filter(|_| sends) {
        let is_child = skill.first_executed(block, Fact::Starts).is_some() && !doubtful;
        let severity = if is_child {
            Severity::Low
        } else {
            Severity::Critical
        };
        report(
            environment,
            severity,
            "the whole environment is taken where data is sent",
        );
    }
    if let Some(private) = first(Fact::PersonalData).filter(|_| sends) {
        let severity = match is_spying(skill, private) {
            _ if doubtful => Severity::Critical,
            true => Severity::High,
            false => Severity::Medium,
        };
        report(
            private,
            severity,
            "private data is collected where data is sent",
        );
    }
    if let Some(identity) = first(Fact::Identity).filter(|_| sends) {
        let ctx = skill.context(identity);
        if ctx.has(Fact::Sends) {
            let severity = if is_declared(skill, identity) {
                Severity::Low
            } else {
                Severity::High
            };
            report(
                identity,
                severity,
                "who the user is and where is sent to a server",
            );
        }
    }
    of_variable(skill, block, doubtful, findings);
}

/// A key from the environment goes into the body of a request, or to a doubtful host.
fn of_variable(
    skill: &PreparedSkill<'_>,
    block: &[FactMatch],
    doubtful: bool,
    findings: &mut Findings<'_>,
) {
    let mut report = |seen: &FactMatch, severity, message: &str| {
        findings.add_in_block(&RULE, seen, severity, message);
    };
    if let Some(variable) = skill.first_executed(block, Fact::SecretVariable) {
        let in_body = block.iter().find(|seen| {
            let text = skill.context(seen).text;
            seen.fact == Fact::Sends
                && BODY.is_match(text)
                && !is_login(&text)
                && !is_own_bot(&skill.context(seen))
        });
        // A bot's own token stands in the address of its own service.
        if doubtful && !is_own_bot(&skill.context(variable)) {
            report(
                variable,
                Severity::Critical,
                "a secret is read where data is sent to a doubtful host",
            );
        } else if let Some(sent) = in_body {
            let known = is_declared(skill, sent);
            let severity = if known { Severity::Low } else { Severity::High };
            report(sent, severity, "a secret is sent in the body of a request");
        }
    }
}

/// Secrets are collected in one file and sent by another.
fn across_files(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    let is_script = |seen: &&FactMatch| !skill.files[seen.file].is_document;
    let secret = skill
        .executed(Fact::SecretFile)
        .chain(skill.executed(Fact::WholeEnvironment))
        .find(is_script);
    let Some(secret) = secret else {
        return;
    };
    let mut files: Vec<usize> = skill
        .executed(Fact::Sends)
        .filter(is_script)
        .map(|seen| seen.file)
        .collect();
    files.dedup();
    let sends_away = |file: &usize| {
        let mut urls = hosts::urls(&skill.files[*file].folded.text);
        *file != secret.file && urls.any(|url| hosts::trust(url) >= HostTrust::Plain)
    };
    files.retain(sends_away);
    if !files.is_empty() {
        let message = "secrets are read here, and another script of the skill sends data";
        findings.add_across_files(&RULE, secret, &files, Severity::High, message);
    }
}

/// Whether something in the block goes to a host that should never get secrets.
fn is_doubtful(skill: &PreparedSkill<'_>, block: &[FactMatch]) -> bool {
    let mut units: Vec<(usize, usize)> = block.iter().map(|seen| (seen.file, seen.unit)).collect();
    units.dedup();
    let mut texts = units.iter().map(|(file, unit)| {
        let file = &skill.files[*file];
        file.text(&file.units[*unit])
    });
    let sends = block
        .iter()
        .any(|seen| matches!(seen.fact, Fact::Sends | Fact::Fetches));
    sends && texts.any(|text| hosts::least_trusted(text) == Some(HostTrust::Doubtful))
}

/// Whether keys or screens are recorded over and over by a script that does not say so.
fn is_spying(skill: &PreparedSkill<'_>, seen: &FactMatch) -> bool {
    let ctx = skill.context(seen);
    let mut nearby = ctx.surrounding_texts(8);
    let is_endless = nearby.any(|text| ENDLESS.is_match(text));
    let says = skill.files.iter().filter(|file| file.is_skill_file());
    let mut says = says.flat_map(|file| {
        let fields = file.units.iter().map(|unit| (unit.kind, file.text(unit)));
        fields.take_while(|(place, _)| *place == UnitKind::Frontmatter)
    });
    is_endless && !ctx.file.is_document && !says.any(|(_, text)| RECORDS.is_match(text))
}

/// Whether a statement only names a bot's token, in the address of the service it is for.
fn is_own_bot(ctx: &UnitContext<'_>) -> bool {
    let mut urls = hosts::urls(ctx.text).peekable();
    let is_bot = |url: &str| url.contains("api.telegram.org/bot") || url.contains("/api/webhooks/");
    urls.peek().is_some() && urls.all(is_bot) && BOT.is_match(ctx.text)
}

/// Whether a request hands a secret in to get a token for it.
fn is_login(text: &str) -> bool {
    text.contains("grant_type")
        || text.contains("oauth")
        || text.contains("client_id")
        || LOGIN.is_match(text)
        || HEADER.is_match(text)
}

/// Whether the host is one that the skill's documents name.
fn is_declared(skill: &PreparedSkill<'_>, seen: &FactMatch) -> bool {
    let ctx = skill.context(seen);
    let mut owners = hosts::urls(ctx.text)
        .map(|url| hosts::owner(hosts::host(url)))
        .peekable();
    owners.peek().is_some() && owners.all(|owner| skill.declared_hosts.contains(owner))
}
