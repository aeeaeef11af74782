//! What changes in a session: the skills in it, what was allowed, and what it cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use super::PreviousModel;
use crate::provider::Usage;

/// What changes in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// The skills in it, in order of activation.
    pub activated: Vec<Activated>,
    /// What installed skills consisted of that became active, where that is not what the session was
    /// told of; whoever makes it again needs all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub editions: BTreeMap<String, Vec<Digest>>,
    /// What the user allowed until it ends.
    pub grants: Vec<Granted>,
    /// What it cost.
    pub usage: Usage,
    /// Scripts and commands that ran.
    pub runs: usize,
    /// What each skill took.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spent: BTreeMap<String, Spent>,
    /// Whose it is, where several people share a machine; without one it is the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The sessions that it was copied from, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<Ancestor>,
    /// The models that it had before, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<PreviousModel>,
    /// The context that its model was found to have, where that is not what the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// The tokens of the longest answer that its model was found to give, where the settings say more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<u32>,
}

/// What a skill took of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens of its instructions and files.
    pub tokens: usize,
    /// Its scripts that ran.
    pub runs: usize,
}

/// A session that another was copied from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The session.
    pub session: String,
    /// How many messages it had then.
    pub messages: usize,
}

/// A skill in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activated {
    /// The skill.
    pub name: String,
    /// What it consists of.
    pub digest: String,
    /// The digest of the envelope.
    pub rendered: String,
    /// The message that holds it.
    pub message: usize,
    /// Whether it did not fit into the last request, so that the model was told to load it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
}

/// Something that the user allowed for a session, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    /// What was allowed.
    #[serde(flatten)]
    pub grant: Grant,
    /// The folder that it is about: elsewhere the same words do something else.
    #[serde(default)]
    pub workspace: String,
    /// The seal of the machine that it was said on: a session may lie where others write.
    #[serde(default)]
    pub seal: String,
}

impl Granted {
    /// Whether both are about the same, whoever said so.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.grant, &self.workspace) == (&other.grant, &other.workspace)
    }

    /// The text that is sealed; it contains the session, so that it is valid in no other.
    pub(crate) fn sealed_text(&self, session: &str) -> Result<String, serde_json::Error> {
        serde_json::to_string(&(session, &self.workspace, &self.grant))
    }
}

/// Something that the user allowed for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Grant {
    /// Scripts of exactly these bytes.
    Scripts {
        /// The skill.
        skill: String,
        /// The bytes.
        digest: String,
    },
    /// Exactly this command.
    Command {
        /// The command.
        command: String,
    },
    /// Changes to files of the workspace.
    Changes,
    /// This tool of an MCP server.
    Lent {
        /// The tool.
        tool: String,
    },
}

impl SessionState {
    /// Whether exactly this envelope is in the session.
    pub(crate) fn has_envelope(&self, name: &str, digest: &Digest, rendered: &Digest) -> bool {
        self.activated.iter().any(|each| {
            each.name == name
                && !each.dropped
                && each.digest == digest.to_string()
                && each.rendered == rendered.to_string()
        })
    }

    /// The digest of a skill if it is active.
    pub(crate) fn active_digest(&self, name: &str) -> Option<String> {
        let found = self.activated.iter().find(|each| each.name == name);
        found.map(|each| each.digest.clone())
    }
}
