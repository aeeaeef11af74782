//! Who wants a skill, and in which versions.

use std::collections::BTreeSet;
use std::fmt;

use semver::Version;
use skillyard_format::Digest;

use crate::candidate::Candidate;
use crate::lockfile::{Locked, rules_out};
use crate::origin::OriginKind;
use crate::reference::Requirement;

/// Who wants a skill of their own accord.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asker {
    /// `skills.toml`.
    Manifest,
    /// The user.
    User,
}

/// Who wants a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Requester {
    /// Another skill.
    Skill(String),
    /// Not a skill.
    Asker(Asker),
}

/// What somebody wants of a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Demand {
    pub(super) who: Requester,
    /// The source of the skill that is meant.
    pub(super) source: String,
    /// The versions or the revision that will do.
    pub(super) requested: Option<String>,
    /// The bytes that will do, where no version says otherwise.
    pub(super) bytes: Option<Digest>,
}

/// A skill as those see it who want it: one that was found, or one that is installed.
pub(super) struct OfferedSkill<'a> {
    requested: Option<&'a str>,
    version: Option<&'a str>,
    origin: OriginKind,
    bytes: Digest,
}

impl<'a> From<&'a Candidate> for OfferedSkill<'a> {
    fn from(candidate: &'a Candidate) -> Self {
        Self {
            requested: candidate.requested.as_deref(),
            version: candidate.origin.version.as_deref(),
            origin: candidate.origin.kind,
            bytes: candidate.tree.digest(),
        }
    }
}

impl<'a> From<&'a Locked> for OfferedSkill<'a> {
    fn from(entry: &'a Locked) -> Self {
        Self {
            requested: entry.requested.as_deref(),
            version: entry.version.as_deref(),
            origin: entry.origin,
            bytes: entry.digest,
        }
    }
}

impl Demand {
    /// Whether a skill of this source is what is wanted.
    pub(super) fn allows<'a>(&self, offer: impl Into<OfferedSkill<'a>>) -> bool {
        let Some(requested) = self.requested.as_deref() else {
            return true;
        };
        let offer = offer.into();
        // What was found by the same request, or has the same bytes, will do, but not under a version
        // that was not asked for: the lock would contradict itself.
        let is_other = |version| rules_out(requested, version, offer.origin);
        let is_same = offer.requested == Some(requested) || self.bytes == Some(offer.bytes);
        is_same && !offer.version.is_some_and(is_other) || fits(requested, offer.version)
    }

    /// What somebody wants who gets this where nobody wants anything else.
    pub(super) fn of(who: Requester, candidate: &Candidate) -> Self {
        Self {
            who,
            source: candidate.source.clone(),
            requested: candidate.requested.clone(),
            bytes: Some(candidate.tree.digest()),
        }
    }

    /// Whether it may be met by a version that is not the newest.
    pub(super) fn leaves_open(&self) -> bool {
        let requested = self.requested.as_ref();
        requested.is_none_or(|requested| requested.parse::<Requirement>().is_ok())
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.who {
            Requester::Skill(name) => write!(f, "`{name}` needs ")?,
            Requester::Asker(Asker::Manifest) => f.write_str("skills.toml asks for ")?,
            Requester::Asker(Asker::User) => f.write_str("you ask for ")?,
        }
        match &self.requested {
            Some(requested) => write!(f, "`{requested}`"),
            None => f.write_str("any"),
        }
    }
}

/// Whether a version is one of those that were requested.
pub(super) fn fits(requested: &str, version: Option<&str>) -> bool {
    let version = version.and_then(|version| Version::parse(version).ok());
    let requirement = requested.parse::<Requirement>();
    version.is_some_and(|version| requirement.is_ok_and(|each| each.matches(&version)))
}

/// What is to be requested so that all get what they want within a limit, if anything is. What a name
/// stands for may not be what the others want.
pub(super) fn combined<'a>(
    demands: impl Iterator<Item = &'a Demand>,
    limit: Option<&'a str>,
) -> Option<String> {
    let requested = demands.filter_map(|demand| demand.requested.as_deref());
    together(&requested.chain(limit).collect())
}

/// What several request, as one request: all their ranges, or the first of the names, which says
/// more than a range.
pub(crate) fn together(requested: &BTreeSet<&str>) -> Option<String> {
    let names = requested.iter().copied();
    if let Some(name) = names.clone().find(|text| is_name(text)) {
        return Some(name.to_owned());
    }
    // It says nothing beside a range.
    let is_said = |text: &&str| requested.len() == 1 || *text != "latest";
    let ranges: Vec<&str> = names.filter(is_said).collect();
    Some(ranges.join(",")).filter(|text| !text.is_empty())
}

/// Whether the name of a tag, a branch or a commit is requested, and no range of versions.
fn is_name(text: &str) -> bool {
    text.parse::<Requirement>().is_err()
}
