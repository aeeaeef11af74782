//! What was seen before of a skill: who signed it, and how new it was.
//!
//! The first trusted signature that is accepted for a name pins its signer. Another signer, an older
//! version, or other bytes under the same version are refused from then on, unless who asks names
//! just these bytes or this version. Another publisher may have a skill of the same name, by another
//! trusted signer; what one signer made is compared wherever it was published.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::signature::policy::Moment;
use crate::signature::statement::SignedFacts;

/// What was last accepted of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The skill's name.
    pub skill: String,
    /// Where it is published, as [`super::SkillContext::publisher`] has it; anywhere without.
    #[serde(default)]
    pub publisher: Option<String>,
    /// Who signed it, as [`super::Signer::pin`] writes it.
    pub signer: String,
    /// The newest version.
    pub version: Option<String>,
    /// Its tree digest without the signature.
    pub digest: Digest,
    /// When it says it was signed.
    pub signed: Option<Moment>,
    /// When it was first accepted here.
    pub seen: Moment,
}

/// What was asked for of a skill, which decides whether it may be older than what was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedVersion<'a> {
    /// What its source has now.
    #[default]
    Newest,
    /// This very version, in whatever bytes its signer gave it.
    Version(&'a str),
    /// These very bytes, as a lock or a commit names them.
    Bytes,
    /// What its source has now, though it be older: it takes the place of what was seen.
    Older,
}

impl RequestedVersion<'_> {
    /// Whether a step back is what was asked for.
    pub(super) fn allows(self, rollback: &Rollback) -> bool {
        match (self, rollback) {
            (Self::Version(asked), Rollback::Older { found, .. }) => is_version(asked, found),
            (Self::Newest | Self::Version(_), _) => false,
            (Self::Bytes | Self::Older, _) => true,
        }
    }
}

/// Whether a version was asked for as a whole: `1.2` may be any `1.2.*`.
fn is_version(asked: &str, found: &str) -> bool {
    let asked = asked.trim().trim_start_matches('=').trim_start();
    let asked = semver::Version::parse(asked.trim_start_matches('v')).ok();
    asked.is_some() && asked == version(found)
}

/// A step back from what was seen before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rollback {
    /// A lower version.
    #[error("it is version {found}, and {seen} was seen before")]
    Older {
        /// The version here.
        found: String,
        /// The version that was seen.
        seen: String,
    },
    /// No version where there was one.
    #[error("it has no version, and {0} was seen before")]
    Unversioned(String),
    /// Versions that cannot be compared.
    #[error("it is version {found}, and it cannot be told whether that is newer than {seen}")]
    Unordered {
        /// The version here.
        found: String,
        /// The version that was seen.
        seen: String,
    },
    /// Other bytes under the same version.
    #[error("it is version {0} again, with other content than was seen before")]
    SameVersion(String),
    /// An older signature of a skill without versions.
    #[error("it was signed at {found}, and a signature of {seen} was seen before")]
    SignedEarlier {
        /// When this one was made.
        found: Timestamp,
        /// When the one that was seen was made.
        seen: Timestamp,
    },
}

impl Pin {
    /// Puts it in the place of what was remembered of the same skill.
    pub fn put_into(self, pins: &mut Vec<Self>) {
        let is_same = |each: &Self| {
            each.skill == self.skill
                && (each.publisher.is_none() || each.publisher == self.publisher)
        };
        pins.retain(|each| !is_same(each));
        pins.push(self);
    }

    /// Whether the skill is older than what was seen.
    pub(super) fn check(&self, facts: &SignedFacts) -> Result<(), Rollback> {
        if facts.digest == self.digest {
            return Ok(());
        }
        match (&facts.version, &self.version) {
            (None, Some(seen)) => Err(Rollback::Unversioned(seen.clone())),
            (Some(found), Some(seen)) => compare(found, seen),
            (_, None) => self.check_time(facts),
        }
    }

    /// Checks a signature by the previous key: the same bytes, signed again since, are
    /// older by their signature alone.
    pub(super) fn check_earlier(&self, facts: &SignedFacts) -> Result<(), Rollback> {
        self.check(facts)?;
        if facts.digest == self.digest {
            return self.check_time(facts);
        }
        Ok(())
    }

    fn check_time(&self, facts: &SignedFacts) -> Result<(), Rollback> {
        let found = facts.details.as_ref().map(|details| details.signed);
        match (found, self.signed) {
            (Some(found), Some(Moment(seen))) if found < seen => {
                Err(Rollback::SignedEarlier { found, seen })
            }
            _ => Ok(()),
        }
    }
}

fn compare(found: &str, seen: &str) -> Result<(), Rollback> {
    if found == seen {
        return Err(Rollback::SameVersion(seen.to_owned()));
    }
    let (Some(new), Some(old)) = (version(found), version(seen)) else {
        return Err(Rollback::Unordered {
            found: found.to_owned(),
            seen: seen.to_owned(),
        });
    };
    if new > old {
        return Ok(());
    }
    Err(Rollback::Older {
        found: found.to_owned(),
        seen: seen.to_owned(),
    })
}

/// A version; authors write `1`, `1.2` and `v1.2.3` too.
fn version(text: &str) -> Option<semver::Version> {
    let text = text.trim().trim_start_matches('v');
    let dots = text.split(['-', '+']).next()?.matches('.').count();
    let padding = ".0".repeat(2_usize.saturating_sub(dots));
    let end = text.find(['-', '+']).unwrap_or(text.len());
    semver::Version::parse(&format!("{}{padding}{}", &text[..end], &text[end..])).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_authors_write_them() {
        for (found, seen, newer) in [
            ("1.0.1", "1.0.0", true),
            ("1.10", "1.9", true),
            ("2", "1.9.9", true),
            ("v1.2", "1.1.9", true),
            ("1.0.0", "1.0.0-rc.1", true),
            ("1.0.0-rc.1", "1.0.0", false),
            ("0.9", "1", false),
            ("1.0", "1.0.0", false),
        ] {
            assert_eq!(compare(found, seen).is_ok(), newer, "{found} {seen}");
        }
        assert!(matches!(compare("b", "a"), Err(Rollback::Unordered { .. })));
    }

    #[test]
    fn only_a_whole_version_names_one() {
        let rollback = Rollback::Older {
            found: "1.2.0".into(),
            seen: "1.2.9".into(),
        };
        for (asked, is_named) in [
            ("1.2.0", true),
            ("=1.2.0", true),
            ("v1.2.0", true),
            ("1.2", false),
            ("^1.2.0", false),
            ("1.2.1", false),
            ("beta", false),
        ] {
            let asked = RequestedVersion::Version(asked);
            assert_eq!(asked.allows(&rollback), is_named, "{asked:?}");
        }
        let other_bytes = Rollback::SameVersion("1.2.0".into());
        assert!(!RequestedVersion::Version("1.2.0").allows(&other_bytes));
        assert!(RequestedVersion::Bytes.allows(&other_bytes));
    }
}
