//! Which versions are wanted: one grammar for versions of registries and tags of git.
//!
//! A bare version means itself: `1.2.3` is that version, `1.2` any `1.2.*`, `1` any `1.*.*`.
//! Cargo reads a caret into it, but whoever writes `@1.2.3` behind a name expects 1.2.3, and whoever has
//! a tag `1.2` in a repository expects that.

use std::fmt;
use std::str::FromStr;

use semver::{Version, VersionReq};
use skillyard_format::qualified::is_tag;

use super::error::ReferenceError;
use super::revision::Revision;
use super::shown::shown;

/// Which versions are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Requirement {
    /// The highest version that is no prerelease.
    #[default]
    Latest,
    /// The highest version that fits.
    Range {
        /// What a version must fit.
        range: VersionReq,
        /// How it was written, without spaces.
        text: String,
    },
    /// The version that a tag of a registry stands for, such as `beta`.
    Tag(String),
    /// As it was written behind the name of a source of the configuration: where that is a repository,
    /// any revision of it.
    InSource(String),
    /// The very version that a lock names, also when it was withdrawn since; nobody can write this.
    Locked(Version),
}

impl Requirement {
    /// Reads what is wanted of a registry, where a word is a tag.
    pub fn in_registry(text: &str) -> Result<Self, ReferenceError> {
        match text.trim() {
            tag if tag != "latest" && is_tag(tag) => Ok(Self::Tag(tag.to_owned())),
            text => text.parse(),
        }
    }

    /// Reads what is wanted of a source of the configuration, be it a registry or a repository.
    pub(super) fn in_source(text: &str) -> Result<Self, ReferenceError> {
        if Self::in_registry(text).is_err() {
            text.parse::<Revision>()?;
        }
        Ok(Self::InSource(text.trim().to_owned()))
    }

    /// Whether a version fits; a prerelease does only when the requirement names one of the same version.
    pub fn matches(&self, version: &Version) -> bool {
        match self {
            Self::Latest => version.pre.is_empty(),
            Self::Range { range, .. } => range.matches(version),
            // What these stand for only their source knows.
            Self::Tag(_) | Self::InSource(_) => false,
            Self::Locked(locked) => locked == version,
        }
    }

    /// The highest candidate that fits.
    pub fn select<T>(
        &self,
        candidates: impl IntoIterator<Item = (Version, T)>,
    ) -> Option<(Version, T)> {
        candidates
            .into_iter()
            .filter(|(version, _)| self.matches(version))
            .max_by(|(first, _), (second, _)| first.cmp(second))
    }

    /// The highest tag that fits, among those of the skill `name` if it has any of its own.
    ///
    /// Tags read `1.2.3` or `v1.2.3`, and those of one skill among many `name-v1.2.3`,
    /// `name@1.2.3` or `name/v1.2.3`.
    pub fn select_tag<'a>(
        &self,
        tags: impl IntoIterator<Item = &'a str>,
        name: Option<&str>,
    ) -> Option<(Version, &'a str)> {
        let (mut own, mut common) = (Vec::new(), Vec::new());
        for tag in tags {
            if let Some(version) = own_version(tag, name) {
                own.push((version, tag));
            } else if let Some(version) = version(tag) {
                common.push((version, tag));
            }
        }
        self.select(if own.is_empty() { common } else { own })
    }

    /// The tag that is meant, and the version it stands for: the one that is called just as it was
    /// written, else the highest that fits. A skill with tags of its own is versioned by them alone.
    pub fn choose_tag<'a>(
        &self,
        tags: impl IntoIterator<Item = &'a str>,
        name: Option<&str>,
    ) -> Option<(Option<Version>, &'a str)> {
        let tags: Vec<&str> = tags.into_iter().collect();
        let called = match self {
            Self::Range { text, .. } if self.could_be_a_name() => {
                tags.iter().copied().find(|tag| tag == text)
            }
            _ => None,
        };
        if let Some(tag) = called
            && !tags.iter().any(|tag| own_version(tag, name).is_some())
        {
            return Some((version(tag), tag));
        }
        let (version, tag) = self.select_tag(tags, name)?;
        Some((Some(version), tag))
    }

    /// Whether the text could also be the name of a branch or tag, because it has no operator.
    pub fn could_be_a_name(&self) -> bool {
        match self {
            Self::Latest | Self::Tag(_) | Self::InSource(_) | Self::Locked(_) => true,
            Self::Range { text, .. } => {
                text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains([',', '*'])
            }
        }
    }
}

impl FromStr for Requirement {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let error = |problem: String| ReferenceError::Requirement {
            requirement: shown(text),
            problem,
        };
        let text = text.trim();
        if matches!(text, "latest" | "*") {
            return Ok(Self::Latest);
        }
        if text.contains("||") {
            let problem = "`||` between ranges is not known; write one of them, or one around both, such as `>=1, <3`";
            return Err(error(problem.to_owned()));
        }
        let parts: Vec<&str> = comparators(text).into_iter().map(without_v).collect();
        if parts.is_empty() {
            return Err(error("it is empty".to_owned()));
        }
        let exact: Vec<String> = parts.iter().map(|part| with_operator(part)).collect();
        let range =
            VersionReq::parse(&exact.join(",")).map_err(|problem| error(problem.to_string()))?;
        Ok(Self::Range {
            range,
            text: parts.join(","),
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Tag(text) | Self::InSource(text) | Self::Range { text, .. } => f.write_str(text),
            Self::Locked(version) => version.fmt(f),
        }
    }
}

/// The version that a tag without the name of a skill stands for.
fn version(tag: &str) -> Option<Version> {
    Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok()
}

/// The version that a tag of the skill `name` stands for.
fn own_version(tag: &str, name: Option<&str>) -> Option<Version> {
    let rest = tag.strip_prefix(name?)?;
    version(rest.strip_prefix(['-', '@', '/'])?)
}

/// The parts between commas or, as npm writes it, spaces; an operator may stand apart from its version.
fn comparators(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in text.split(',') {
        let mut rest = part.trim();
        while !rest.is_empty() {
            let operator = rest.len()
                - rest
                    .trim_start_matches(['<', '>', '=', '^', '~', ' '])
                    .len();
            let end = rest[operator..]
                .find(' ')
                .map_or(rest.len(), |end| operator + end);
            parts.push(rest[..end].trim());
            rest = rest[end..].trim_start();
        }
    }
    parts
}

/// A `v` before a version is how tags write it, and says nothing.
fn without_v(part: &str) -> &str {
    let version = part.strip_prefix('v');
    version
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(part)
}

fn with_operator(part: &str) -> String {
    let bare = part.starts_with(|c: char| c.is_ascii_digit());
    let numbers = part.split(['-', '+']).next().unwrap_or_default();
    // Wildcards are complete by themselves.
    if bare && !numbers.contains(['*', 'x', 'X']) {
        format!("={part}")
    } else {
        part.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(requirement: &str, versions: &[&str]) -> Option<String> {
        let requirement: Requirement = requirement.parse().unwrap();
        let candidates = versions
            .iter()
            .map(|text| (Version::parse(text).unwrap(), ()));
        requirement
            .select(candidates)
            .map(|(version, ())| version.to_string())
    }

    #[test]
    fn the_highest_version_that_fits_is_selected() {
        let versions = [
            "0.9.0",
            "1.0.0",
            "1.2.0",
            "1.2.3",
            "1.10.0",
            "2.0.0",
            "3.0.0-rc.1",
        ];
        for (requirement, expected) in [
            ("latest", "2.0.0"),
            ("*", "2.0.0"),
            ("1", "1.10.0"),
            ("1.2", "1.2.3"),
            ("1.2.0", "1.2.0"),
            ("v1.2.0", "1.2.0"),
            ("1.x", "1.10.0"),
            ("1.2.*", "1.2.3"),
            ("^1", "1.10.0"),
            ("~1.2", "1.2.3"),
            (">=1, <2", "1.10.0"),
            (">=1 <2", "1.10.0"),
            (">= 1 , < 1.2.3", "1.2.0"),
            ("3.0.0-rc.1", "3.0.0-rc.1"),
            (">=3.0.0-rc.0", "3.0.0-rc.1"),
        ] {
            assert_eq!(
                best(requirement, &versions).as_deref(),
                Some(expected),
                "{requirement}"
            );
        }
        for requirement in ["3", "^3", "1.2.4", ">2", "=0.9.1"] {
            assert_eq!(best(requirement, &versions), None, "{requirement}");
        }
    }

    #[test]
    fn prereleases_are_never_the_latest() {
        assert_eq!(best("latest", &["1.0.0-alpha"]), None);
    }

    #[test]
    fn tags_of_the_skill_come_before_common_ones() {
        let tags = [
            "v1.0.0",
            "v1.4.0",
            "pdf-v1.1.0",
            "pdf@1.2.0",
            "pdf/v1.0.9",
            "docx-v1.9.0",
            "nightly",
            "v1.5.0-rc.1",
        ];
        let tag = |requirement: &str, name| {
            let requirement: Requirement = requirement.parse().unwrap();
            requirement.select_tag(tags, name).map(|(_, tag)| tag)
        };
        assert_eq!(tag("^1", Some("pdf")), Some("pdf@1.2.0"));
        assert_eq!(tag("^1", Some("docx")), Some("docx-v1.9.0"));
        assert_eq!(tag("^1", Some("xlsx")), Some("v1.4.0"));
        assert_eq!(tag("latest", None), Some("v1.4.0"));
        assert_eq!(tag("1.5.0-rc.1", None), Some("v1.5.0-rc.1"));
        assert_eq!(tag("^2", Some("pdf")), None);
    }

    #[test]
    fn a_tag_that_is_called_so_comes_first() {
        let chosen = |requirement: &str, tags: &[&'static str]| {
            let requirement: Requirement = requirement.parse().unwrap();
            let chosen = requirement.choose_tag(tags.iter().copied(), Some("pdf"));
            chosen.map(|(version, tag)| (version.map(|version| version.to_string()), tag))
        };
        let some = |version: &str| Some(version.to_owned());
        let tags = ["1.2", "1.2.5", "v1.3.0", "1.3.0"];
        assert_eq!(chosen("1.2", &tags), Some((None, "1.2")));
        for range in ["~1.2", "1.2.*", "=1.2"] {
            assert_eq!(chosen(range, &tags), Some((some("1.2.5"), "1.2.5")));
        }
        assert_eq!(chosen("1.3.0", &tags), Some((some("1.3.0"), "1.3.0")));
        assert_eq!(chosen("1.3", &tags).unwrap().0, some("1.3.0"));
        // A word is not meant by it.
        assert_eq!(chosen("latest", &["latest", "1.0.0"]).unwrap().1, "1.0.0");
        // Nor a tag of the whole where the skill has its own.
        let tags = ["1.2", "pdf-v1.2.0"];
        assert_eq!(chosen("1.2", &tags), Some((some("1.2.0"), "pdf-v1.2.0")));
        assert_eq!(chosen("1.1", &tags), None);
    }

    #[test]
    fn words_are_tags_in_registries_only() {
        let tag = |text: &str| Requirement::in_registry(text).unwrap();
        assert_eq!(tag("beta"), Requirement::Tag("beta".to_owned()));
        assert_eq!(tag("latest"), Requirement::Latest);
        assert_eq!(tag("v1.2"), "1.2".parse().unwrap());
        assert!("beta".parse::<Requirement>().is_err());
        assert!(Requirement::in_registry("Beta").is_err());
    }

    #[test]
    fn texts_that_are_no_requirement_are_refused() {
        for text in [
            "",
            ",",
            "^",
            "abc",
            "1.2.3.4",
            "^1 || ^2",
            ">=",
            "1..2",
            "--x",
            "^99999999999999999999",
        ] {
            assert!(text.parse::<Requirement>().is_err(), "{text}");
        }
    }
}
