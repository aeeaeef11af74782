//! Who signed a skill, in words, for programs and for the log.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind, Outcome as EventOutcome};
use skillyard_trust::signature::{
    Distrust, FileChange, InvalidSignature, PinStatus, Policy, Signer, StatementError, Tree,
    Verification,
};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::signing::{anew, handed_over};
use crate::library::installed::Installed;
use crate::library::signers;
use crate::text::sanitize::{shortened, visible};

/// A stranger's words, harmless and not without end.
pub(super) fn for_people(text: &str) -> String {
    shortened(&visible(text), 500).into_owned()
}

/// What was found, to be told.
pub(super) struct VerifyReport<'a> {
    pub(super) name: Option<String>,
    /// The skill's folder.
    pub(super) folder: &'a Path,
    pub(super) tree: &'a Tree,
    /// What was installed here.
    pub(super) installed: &'a Installed,
    pub(super) verification: &'a Verification,
    pub(super) policy: &'a Policy,
    /// The signer that was asked for, where another one signed.
    pub(super) other: Option<&'a str>,
    /// Whether who signed it is kept for the next time.
    pub(super) is_kept: bool,
    /// The key of one's own that signed it, where nobody said yet that it is trusted.
    pub(super) own_key: Option<String>,
}

impl VerifyReport<'_> {
    /// What is written down.
    pub(super) fn event(&self) -> Event {
        let reason = self.reason();
        let kind = match &reason {
            None => EventKind::SignatureVerified,
            Some(_) => EventKind::SignatureFailed,
        };
        let mut event = Event::new(kind)
            .digest(self.tree.digest().to_string())
            .trigger("verify")
            .detail("folder", self.folder.to_string_lossy())
            .detail("code", self.code());
        event.skill.clone_from(&self.name);
        if let Verification::Trusted { signer, .. } | Verification::Untrusted { signer, .. } =
            self.verification
        {
            event = event.detail("signer", signer.to_string());
        }
        match reason {
            None => event,
            Some(reason) => event.ended(EventOutcome::Denied, reason),
        }
    }

    fn code(&self) -> &'static str {
        match self.other {
            Some(_) if self.verification.code() == "trusted" => "other-signer",
            _ => self.verification.code(),
        }
    }

    fn reason(&self) -> Option<String> {
        let reason = self.verification.reason();
        reason.or_else(|| {
            let wanted = self.other?;
            Some(format!("it is not signed by `{wanted}`, who was asked for"))
        })
    }

    pub(super) fn json(&self) -> Value {
        let (signer, facts, expected) = match self.verification {
            Verification::Trusted { signer, facts, .. } => (Some(signer), Some(facts), None),
            Verification::Untrusted {
                signer,
                facts,
                expected,
                ..
            } => (Some(signer), facts.as_ref(), Some(expected)),
            _ => (None, None, None),
        };
        let details = facts.and_then(|facts| facts.details.as_ref());
        let trusted = self.reason().is_none();
        json!({
            "name": self.name,
            "version": facts.and_then(|facts| facts.version.clone()),
            "folder": self.folder.to_string_lossy(),
            "digest": self.tree.digest(),
            "trusted": trusted,
            "verdict": match self.verification {
                Verification::Trusted { .. } if trusted => "trusted",
                Verification::Trusted { .. } | Verification::Untrusted { .. } => "untrusted",
                Verification::Invalid(_) => "invalid",
                Verification::Unsigned => "unsigned",
            },
            "code": self.code(),
            "reason": self.reason(),
            "signer": signer,
            "expected": expected,
            "signed": details.map(|details| details.signed.to_string()),
            "source": details.and_then(|details| details.source.clone()),
            "revision": details.and_then(|details| details.revision.clone()),
            "older": self.verification.step_back().map(ToString::to_string),
            "uncovered": facts.map(|facts| facts.uncovered.clone()),
            "litter": self.tree.litter(),
        })
    }

    pub(super) fn tell(&self, context: &Context) -> Result<(), CommandError> {
        let printer = &context.printer;
        let name = self.name.as_deref().unwrap_or("the skill");
        let Some(reason) = self.reason() else {
            self.tell_trusted(context, name)?;
            return Ok(());
        };
        printer.data(&format!(
            "✗ {}: {}\n",
            for_people(name),
            for_people(&reason)
        ))?;
        let folder = self.folder.to_string_lossy();
        printer.note(&format!("  folder     {}", for_people(&folder)));
        if let Verification::Untrusted {
            signer,
            expected,
            reason,
            ..
        } = self.verification
            // Nobody can sign what is revoked.
            && !matches!(reason, Distrust::RevokedContent { .. })
        {
            if *signer != Signer::Unknown {
                let signer = match &self.own_key {
                    Some(name) => format!("`{name}`, a key of your own"),
                    None => signer.to_string(),
                };
                printer.note(&format!("  signed by  {}", for_people(&signer)));
            }
            let expected: Vec<String> = expected.iter().map(|each| self.in_words(each)).collect();
            let expected = match expected.as_slice() {
                [] => "nobody is trusted to sign this yet".to_owned(),
                some => some.join(" or "),
            };
            printer.note(&format!("  expected   {}", for_people(&expected)));
        }
        if let Some(hint) = self.hint() {
            printer.note(&format!("\nhint: {hint}"));
        }
        Ok(())
    }

    fn tell_trusted(&self, context: &Context, name: &str) -> Result<(), CommandError> {
        let Verification::Trusted {
            signer,
            facts,
            pinned,
            ..
        } = self.verification
        else {
            return Ok(());
        };
        let version = facts.version.as_deref();
        let version = version.map_or_else(String::new, |version| format!(" {version}"));
        let line = format!("✓ {name}{version}: signed by {signer}");
        context.printer.data(&format!("{}\n", for_people(&line)))?;
        let files = self.tree.files().count();
        let folder = self.folder.display();
        let mut note = match files {
            1 => format!("1 file in `{folder}` is as signed"),
            files => format!("{files} files in `{folder}` are as signed"),
        };
        if let Some(details) = &facts.details {
            let _ = write!(note, " at {}", details.signed);
        }
        match pinned {
            PinStatus::FirstUse if self.is_kept => {
                note.push_str("; this signer is remembered for this name");
            }
            PinStatus::Older { rollback, .. } => {
                let _ = write!(note, "; {rollback}, and just these files were installed");
            }
            PinStatus::FirstUse | PinStatus::Same => {}
        }
        context.printer.note(&for_people(&note));
        Ok(())
    }

    /// A pinned signer as the user knows it.
    fn in_words(&self, expected: &str) -> String {
        let id = expected.strip_prefix("key:").and_then(|id| id.parse().ok());
        let mut keys = self.policy.keys.iter();
        match id.and_then(|id| keys.find(|each| each.public_key.id() == id)) {
            Some(key) => format!("`{}` (key {})", key.name, key.public_key.id().short()),
            None => expected.to_owned(),
        }
    }

    /// Whether nothing is wrong but files that machines and programs leave behind.
    fn is_only_littered(&self) -> bool {
        let Verification::Invalid(InvalidSignature::Statement(StatementError::Changed(changes))) =
            self.verification
        else {
            return false;
        };
        changes.iter().all(
            |change| matches!(change, FileChange::Added(path) if self.tree.litter().contains(path)),
        )
    }

    fn hint(&self) -> Option<String> {
        let name = for_people(self.name.as_deref().unwrap_or("NAME"));
        Some(match self.verification {
            Verification::Unsigned => {
                "If it is yours, sign it with `skillyard sign DIR`".to_owned()
            }
            Verification::Invalid(_) if self.is_only_littered() => {
                "Programs that use a skill leave such files behind, and so may somebody who wants them run: remove them and verify again"
                    .to_owned()
            }
            Verification::Invalid(_) => {
                "Do not use it; ask its author for a copy that is whole".to_owned()
            }
            Verification::Untrusted { reason, .. } => match reason {
                Distrust::Unknown | Distrust::Unchecked => match &self.own_key {
                    Some(own) => format!("Trust what you sign with `skillyard key trust {own}`"),
                    None => "If you know whose it is, get their public key and run `skillyard key trust FILE`"
                        .to_owned(),
                },
                Distrust::UnknownAuthority(_) => {
                    "If you trust the authority, run `skillyard key trust ROOT.pem`".to_owned()
                }
                Distrust::Unverifiable(_) => {
                    "Bring Sigstore's trust root with `skillyard key trust trusted_root.json`"
                        .to_owned()
                }
                Distrust::Uncovered(_) => {
                    "Its signature leaves these files out: take them away, or ask its author to sign it with `skillyard sign`"
                        .to_owned()
                }
                Distrust::OtherSigner { .. } => handed_over(&name),
                reason if reason.is_break() => anew(&name),
                reason if reason.is_revocation() => {
                    signers::remedy(self.installed, &name, self.folder)
                }
                _ => return None,
            },
            Verification::Trusted { .. } => return None,
        })
    }
}
