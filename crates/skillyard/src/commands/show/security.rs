//! `skillyard show`: where a skill came from and what it may do.

use serde_json::{Value, json};
use skillyard_catalog::CatalogSkill;
use skillyard_format::package::Digest;
use skillyard_trust::approval::SkillApproval;
use skillyard_trust::provenance::Provenance;
use skillyard_trust::verdict::{NetworkGrant, OptIn, ScriptVerdict, Verdict};

use crate::commands::trust::skill::{approval_json, described};
use crate::context::Context;
use crate::error::CommandError;
use crate::library::installed::{Installed, provenance_of};
use crate::library::permission::{Decision, Permissions};

/// What is known about the safety of a skill.
pub(crate) struct Security {
    provenance: Provenance,
    verdict: Verdict,
    decision: Decision,
    approval: Option<SkillApproval>,
    /// Where its bytes came from and by which reference, as the lock says.
    installed: Option<(Provenance, String)>,
    /// The installed skill with the same bytes that it was copied from by hand, and its reference.
    copied: Option<(String, String)>,
}

impl Security {
    /// Asks configuration and approvals about a skill with these files.
    pub(crate) fn of(
        context: &Context,
        skill: &CatalogSkill,
        digest: Option<&Digest>,
    ) -> Result<Self, CommandError> {
        let permissions = Permissions::to_look(context)?;
        let provenance = permissions.provenance(skill);
        let installed = Installed::readable(context)?;
        let entry = installed.entry(&skill.record.folder);
        let copied = digest
            .filter(|_| entry.is_none())
            .and_then(|digest| installed.same(digest));
        let copied = copied.map(|entry| (entry.name.clone(), entry.reference()));
        let installed = entry.map(|entry| (provenance_of(&entry), entry.reference()));
        Ok(Self {
            installed,
            copied,
            verdict: permissions.verdict(&provenance),
            decision: permissions.script(skill, digest, OptIn::No),
            approval: permissions.approval(&skill.record.name, digest).cloned(),
            provenance,
        })
    }

    /// For people.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("provenance", self.provenance.to_string())];
        // A project answers for what was installed into it; whoever looks wants to know the place.
        if let Some((place, reference)) = &self.installed
            && let place = place.to_string()
            && place != self.provenance.to_string()
        {
            // The address says it mostly.
            let place = if place.contains(reference) {
                place
            } else {
                format!("{place}, as `{reference}`")
            };
            rows.push(("installed from", place));
        }
        if let Some((name, reference)) = &self.copied {
            // Nobody but its place vouches for a copy, which `update` does not change either.
            rows.push((
                "copy of",
                format!("the installed `{name}`, from `{reference}`"),
            ));
        }
        rows.extend([
            ("trust", self.verdict.tier.as_str().to_owned()),
            ("scripts", self.scripts()),
        ]);
        if let Some(network) = self.network() {
            rows.push(("network", network));
        }
        if let Some(approval) = &self.approval {
            rows.push(("approved", described(approval)));
        }
        // What the configuration changed about the table.
        let notes = self.verdict.reasons.iter().skip(1);
        rows.extend(notes.map(|note| ("policy", note.clone())));
        rows
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let mut value = json!({
            "provenance": self.provenance,
            "installed": self.installed.as_ref().map(|(place, reference)| {
                json!({ "provenance": place, "reference": reference })
            }),
            "tier": self.verdict.tier,
            "scripts": self.verdict.scripts,
            "ask": self.verdict.ask,
            "reasons": self.verdict.reasons,
            "permission": {
                "decision": self.decision.as_str(),
                "reason": self.decision.reason(),
                "hint": self.decision.hint,
            },
            "approval": self.approval.as_ref().map(approval_json),
        });
        if let Some((name, reference)) = &self.copied {
            value["copy_of"] = json!({ "name": name, "reference": reference });
        }
        value
    }

    fn scripts(&self) -> String {
        let what = match self.decision.verdict {
            ScriptVerdict::Run { .. } => "run in the sandbox",
            ScriptVerdict::Ask { .. } => "run in the sandbox, once you have said yes",
            ScriptVerdict::Blocked { .. } => "blocked",
        };
        match (&self.decision.verdict, &self.decision.hint) {
            (ScriptVerdict::Blocked { .. }, Some(hint)) => format!("{what}. {hint}"),
            _ => what.to_owned(),
        }
    }

    fn network(&self) -> Option<String> {
        let (ScriptVerdict::Run { network, .. } | ScriptVerdict::Ask { network, .. }) =
            &self.decision.verdict
        else {
            return None;
        };
        Some(match network {
            NetworkGrant::Asked(_) => "none, but the hosts that a run is given".into(),
            NetworkGrant::Only(hosts) if hosts.is_empty() => "none".into(),
            NetworkGrant::Only(hosts) => hosts.join(" "),
        })
    }
}
