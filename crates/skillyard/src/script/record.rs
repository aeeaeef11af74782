//! What is written down about a script: that it is about to run, with what, and how it ended.

use std::ffi::OsString;
use std::fmt::Write as _;

use serde_json::json;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::package::Digest;
use skillyard_sandbox::{
    Backend, Captured, Denial, HostRule, MountAccess, Network, Outcome as Ran, RunEnd, Stdin,
};

use super::place::SkillPlace;
use super::profile::{self, Allowed, Made, ScriptPlan};
use crate::library::permission::Permissions;

/// A shorter value of a variable is taken out only where it is a whole word: it may be part of
/// many.
const SHORT: usize = 4;

/// Where a skill stands, as its runs are written down.
#[derive(Debug)]
pub(crate) struct RunOrigin {
    /// Where it came from.
    pub(crate) provenance: String,
    /// How much it is believed.
    pub(crate) tier: &'static str,
}

impl RunOrigin {
    /// Where a skill stands now.
    pub(crate) fn of(permissions: &Permissions, skill: &SkillPlace) -> Self {
        let provenance = permissions.provenance_of(skill.source, &skill.folder);
        Self {
            tier: permissions.verdict(&provenance).tier.as_str(),
            provenance: provenance.to_string(),
        }
    }
}

/// A run that was decided about.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    /// The beginning of its events: who asked, and who said that it may.
    pub(crate) asked: &'a Event,
    /// The skill.
    pub(crate) skill: &'a SkillPlace,
    /// What it consists of, to the byte.
    pub(crate) digest: Digest,
    /// Where it stands.
    pub(crate) standing: &'a RunOrigin,
    /// What the user allowed.
    pub(crate) allowed: &'a Allowed,
    /// What the script may do.
    pub(crate) plan: &'a ScriptPlan,
    /// The script, and its own bytes.
    pub(crate) script: (&'a str, Digest),
    /// Who keeps it.
    pub(crate) backend: Backend,
}

impl Run<'_> {
    /// The event before it begins.
    pub(crate) fn started(&self) -> Event {
        self.event(EventKind::ScriptStarted)
    }

    /// The event after it ended; `started` is the number of the one before it began.
    pub(crate) fn ended(&self, ran: &Ran, made: &Made, started: u64) -> Event {
        let mut event = self
            .event(EventKind::ScriptExecuted)
            .detail("started", started.to_string())
            .detail("exit_code", ran.code().to_string())
            .detail("stdout", output_digest(&ran.stdout))
            .detail("stderr", output_digest(&ran.stderr))
            .detail("limits", profile::limits_json(&ran.limits).to_string())
            .detail("connections", json!(ran.connections).to_string())
            .detail("denials", ran.denials.len().to_string());
        if let Some(made) = made.told() {
            event = event.detail("made", made);
        }
        if let Some(exposed) = exposed(ran) {
            event = event.detail("exposed", exposed);
        }
        match ran.end {
            RunEnd::Exited(0) => event,
            RunEnd::Exited(code) => event.ended(Outcome::Failed, format!("it exited with {code}")),
            RunEnd::Signalled(signal) => event.ended(Outcome::Failed, format!("signal {signal}")),
            RunEnd::Stopped(limit) => event.ended(Outcome::Failed, limit.to_string()),
            RunEnd::Cancelled => event.ended(Outcome::Failed, "it was cancelled"),
        }
    }

    /// The event of a run that came to nothing.
    pub(crate) fn failed(&self, started: u64, reason: String) -> Event {
        self.event(EventKind::ScriptExecuted)
            .detail("started", started.to_string())
            .ended(Outcome::Failed, reason)
    }

    fn event(&self, kind: EventKind) -> Event {
        let source = self.skill.source.map_or("path", |kind| kind.as_str());
        let (script, script_digest) = self.script;
        let argv = profile::argv(&self.plan.command);
        let passed = &self.allowed.environment;
        let argv: Vec<String> = argv.iter().map(|word| without(word, passed)).collect();
        let names = passed.iter().map(|(name, _)| name.to_string_lossy());
        let names: Vec<_> = names.collect();
        let begun = Event {
            kind,
            ..self.asked.clone()
        };
        begun
            .skill(&self.skill.name)
            .digest(self.digest.to_string())
            .source(source)
            .tier(self.standing.tier)
            .detail("provenance", &*self.standing.provenance)
            .detail("script", script)
            .detail("script_digest", script_digest.to_string())
            .detail("argv", json!(argv).to_string())
            .detail("backend", self.backend.as_str())
            .detail("network", network(&self.plan.profile.network))
            .detail("workspace", self.workspace())
            .detail("commands", self.commands())
            .detail("variables", json!(names).to_string())
            .detail(
                "stdin",
                match self.plan.command.stdin {
                    Stdin::Inherited => "passed on",
                    Stdin::Bytes(_) => "given",
                    Stdin::Empty => "none",
                },
            )
    }

    /// The programs of the system that it may start.
    fn commands(&self) -> String {
        match &self.allowed.commands {
            None => "any".to_owned(),
            Some(names) => json!(names).to_string(),
        }
    }

    /// The folder of the user that it may use, and how.
    fn workspace(&self) -> String {
        if self.backend == Backend::None {
            return "any".to_owned();
        }
        let Some(folder) = &self.allowed.workspace else {
            return "none".to_owned();
        };
        let mut mounts = self.plan.profile.mounts.iter();
        match mounts.find(|mount| mount.source == *folder) {
            Some(mount) if mount.access == MountAccess::Write => {
                format!("write {}", folder.display())
            }
            Some(_) => format!("read {}", folder.display()),
            // The skill wants none.
            None => "none".to_owned(),
        }
    }
}

fn network(network: &Network) -> String {
    match network {
        Network::None => "none".to_owned(),
        Network::Full => "full".to_owned(),
        Network::Hosts(rules) => {
            let rules: Vec<String> = rules.iter().map(HostRule::to_string).collect();
            rules.join(" ")
        }
    }
}

/// A word with the values of variables replaced by their names.
fn without(word: &str, passed: &[(OsString, OsString)]) -> String {
    let mut word = word.to_owned();
    for (name, value) in passed {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        let is_there = value.len() >= SHORT && word.contains(&*value);
        if !value.is_empty() && (is_there || word == value) {
            word = word.replace(&*value, &format!("${{{name}}}"));
        }
    }
    word
}

/// The protected places that others replaced while it ran, if there are any.
pub(crate) fn exposed(ran: &Ran) -> Option<String> {
    let places = ran.denials.iter().filter_map(|denial| match denial {
        Denial::Exposed { path } => Some(format!("`{}`", path.display())),
        _ => None,
    });
    let places: Vec<String> = places.collect();
    (!places.is_empty()).then(|| places.join(", "))
}

/// The digest of everything that was written, also of what was left out.
pub(crate) fn output_digest(captured: &Captured) -> String {
    let start = String::from("sha256:");
    captured.sha256.iter().fold(start, |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
