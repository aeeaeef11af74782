//! Secrets that leave the machine.

use super::{Findings, Here, Subject};
use crate::Severity;
use crate::facts::{Fact, Seen};
use crate::hosts::{self, Standing};
use crate::pattern::Pattern;
use crate::prepare::Place;

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

fn check(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for (index, file) in subject.files.iter().enumerate() {
        if file.folded.text.contains("git push") || file.folded.text.contains("git remote") {
            pushes(subject, index, findings);
        }
    }
    for block in subject.blocks() {
        in_block(subject, block, findings);
    }
    across_files(subject, findings);
}

/// A repository is pushed to somewhere else.
fn pushes(subject: &Subject<'_>, file: usize, findings: &mut Findings<'_>) {
    for unit in 0..subject.files[file].units.len() {
        let here = Here::new(subject, file, unit);
        if !here.text.contains("git") {
            continue;
        }
        let Some(range) = PUSH.find(here.text) else {
            // Whoever owns another remote gets what is pushed from now on.
            let script = REMOTE
                .find(here.text)
                .filter(|_| here.runs() && !here.file.is_document);
            if let Some(range) = script {
                findings.add(
                    &RULE,
                    &here,
                    range,
                    Severity::Medium,
                    "a script adds another remote to the repository",
                );
            }
            continue;
        };
        let severity = match hosts::worst(here.text) {
            Some(Standing::Doubtful | Standing::Plain) => Severity::High,
            Some(Standing::Unknown) if here.text.contains("github.com") => continue,
            // Everything, and without a word, is no mirror that somebody asked for.
            Some(Standing::Unknown) if QUIET.is_match(here.text) && !here.file.is_document => {
                Severity::High
            }
            Some(Standing::Unknown) => Severity::Medium,
            _ => continue,
        };
        findings.add(
            &RULE,
            &here,
            range,
            severity,
            "the repository is pushed somewhere else",
        );
    }
}

/// What one script or one fenced block does.
fn in_block(subject: &Subject<'_>, block: &[Seen], findings: &mut Findings<'_>) {
    let first = |fact| subject.first(block, fact);
    let Some(send) = first(Fact::Sends).or_else(|| first(Fact::Fetches)) else {
        return;
    };
    let sends = send.fact == Fact::Sends;
    let doubtful = is_doubtful(subject, block);
    let mut report = |seen: &Seen, severity, message: &str| {
        findings.add_together(&RULE, seen, severity, message);
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
        let here = subject.here(seen);
        seen.fact == Fact::Sends && here.does(Fact::Sends) && hosts::is_catcher(here.text)
    });
    if let Some(caught) = caught {
        let message = "data is sent to a host that catches whatever comes";
        let is_shown = subject.files[caught.file].is_document;
        let severity = if is_shown {
            Severity::Medium
        } else {
            Severity::High
        };
        report(caught, severity, message);
    }
    let encoded = block.iter().find(|seen| {
        let here = subject.here(seen);
        seen.fact == Fact::Sends && here.runs() && ENCODED.is_match(here.text)
    });
    if let Some(encoded) = encoded {
        report(encoded, Severity::High, "data is encoded and sent");
    }
    if let Some(environment) = first(Fact::WholeEnvironment).filter(|_| sends) {
        let is_child = subject.first(block, Fact::Starts).is_some() && !doubtful;
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
        let severity = match is_spying(subject, private) {
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
        let here = subject.here(identity);
        if here.has(Fact::Sends) {
            let severity = if is_declared(subject, identity) {
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
    of_variable(subject, block, doubtful, findings);
}

/// A key from the environment goes into the body of a request, or to a doubtful host.
fn of_variable(subject: &Subject<'_>, block: &[Seen], doubtful: bool, findings: &mut Findings<'_>) {
    let mut report = |seen: &Seen, severity, message: &str| {
        findings.add_together(&RULE, seen, severity, message);
    };
    if let Some(variable) = subject.first(block, Fact::SecretVariable) {
        let in_body = block.iter().find(|seen| {
            let text = subject.here(seen).text;
            seen.fact == Fact::Sends
                && BODY.is_match(text)
                && !is_login(&text)
                && !is_own_bot(&subject.here(seen))
        });
        // A bot's own token stands in the address of its own service.
        if doubtful && !is_own_bot(&subject.here(variable)) {
            report(
                variable,
                Severity::Critical,
                "a secret is read where data is sent to a doubtful host",
            );
        } else if let Some(sent) = in_body {
            let known = is_declared(subject, sent);
            let severity = if known { Severity::Low } else { Severity::High };
            report(sent, severity, "a secret is sent in the body of a request");
        }
    }
}

/// Secrets are collected in one file and sent by another.
fn across_files(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    let is_script = |seen: &&Seen| !subject.files[seen.file].is_document;
    let secret = subject
        .done(Fact::SecretFile)
        .chain(subject.done(Fact::WholeEnvironment))
        .find(is_script);
    let Some(secret) = secret else {
        return;
    };
    let mut files: Vec<usize> = subject
        .done(Fact::Sends)
        .filter(is_script)
        .map(|seen| seen.file)
        .collect();
    files.dedup();
    let sends_away = |file: &usize| {
        let mut urls = hosts::urls(&subject.files[*file].folded.text);
        *file != secret.file && urls.any(|url| hosts::standing(url) >= Standing::Plain)
    };
    files.retain(sends_away);
    if !files.is_empty() {
        let message = "secrets are read here, and another script of the skill sends data";
        findings.add_across(&RULE, secret, &files, Severity::High, message);
    }
}

/// Whether something in the block goes to a host that nobody would send secrets to.
fn is_doubtful(subject: &Subject<'_>, block: &[Seen]) -> bool {
    let mut units: Vec<(usize, usize)> = block.iter().map(|seen| (seen.file, seen.unit)).collect();
    units.dedup();
    let mut texts = units.iter().map(|(file, unit)| {
        let file = &subject.files[*file];
        file.text(&file.units[*unit])
    });
    let sends = block
        .iter()
        .any(|seen| matches!(seen.fact, Fact::Sends | Fact::Fetches));
    sends && texts.any(|text| hosts::worst(text) == Some(Standing::Doubtful))
}

/// Whether keys or screens are recorded over and over by a script that does not say so.
fn is_spying(subject: &Subject<'_>, seen: &Seen) -> bool {
    let here = subject.here(seen);
    let mut nearby = here.around(8);
    let is_endless = nearby.any(|text| ENDLESS.is_match(text));
    let says = subject.files.iter().filter(|file| file.is_skill_file());
    let mut says = says.flat_map(|file| {
        let fields = file.units.iter().map(|unit| (unit.place, file.text(unit)));
        fields.take_while(|(place, _)| *place == Place::Frontmatter)
    });
    is_endless && !here.file.is_document && !says.any(|(_, text)| RECORDS.is_match(text))
}

/// Whether a statement only names a bot's token, in the address of the service it is for.
fn is_own_bot(here: &Here<'_>) -> bool {
    let mut urls = hosts::urls(here.text).peekable();
    let is_bot = |url: &str| url.contains("api.telegram.org/bot") || url.contains("/api/webhooks/");
    urls.peek().is_some() && urls.all(is_bot) && BOT.is_match(here.text)
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
fn is_declared(subject: &Subject<'_>, seen: &Seen) -> bool {
    let here = subject.here(seen);
    let mut owners = hosts::urls(here.text)
        .map(|url| hosts::owner(hosts::host(url)))
        .peekable();
    owners.peek().is_some() && owners.all(|owner| subject.declared.contains(owner))
}
