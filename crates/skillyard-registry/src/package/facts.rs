//! What is told about a version: the facts in its row, in the index and on its page.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;
use skillyard_format::script::is_script;
use skillyard_format::skill::offer;
use utoipa::ToSchema;

/// What is told about a version besides its digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The description.
    pub description: String,
    /// When to use it, where its `SKILL.md` says so in a field of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// Whom it names as its author, which nobody has checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// What it needs around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The commands it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// References to the skills it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The digest of its files as a ZIP, for clients that read no other archives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zip: Option<Digest>,
    /// Its files.
    #[serde(default)]
    pub files: Vec<FileFact>,
    /// What the scanner found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingFact>,
}

impl Facts {
    /// What models are told of it, which is what it is found by.
    pub fn offer(&self) -> Cow<'_, str> {
        offer(&self.description, self.when_to_use.as_deref())
    }

    /// Whether it brings scripts.
    pub fn has_scripts(&self) -> bool {
        // Of what was published before this was written down, the name and the bit have to do.
        let is_script =
            |file: &FileFact| file.script || is_script(&file.path, file.executable, b"");
        self.files.iter().any(is_script)
    }
}

/// One file, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileFact {
    /// Where it is.
    pub path: String,
    /// Its length.
    pub size: u64,
    /// Whether it is meant to be run.
    #[serde(default, skip_serializing_if = "is_no")]
    pub executable: bool,
    /// Whether it can be run, be it meant to or not.
    #[serde(default, skip_serializing_if = "is_no")]
    pub script: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_no(flag: &bool) -> bool {
    !flag
}

/// One finding, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingFact {
    /// The rule.
    pub code: String,
    /// How bad it is.
    pub severity: String,
    /// The file.
    pub path: String,
    /// What was found.
    pub message: String,
}
