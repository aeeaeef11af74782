//! Why a registry gave nothing.

use semver::Version;

use crate::fetch::http::HttpError;

/// Why a registry gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The registry has no such skill.
    #[error("{registry} has no skill `{name}`")]
    NotFound {
        /// The registry.
        registry: String,
        /// The skill.
        name: String,
        /// The nearest that it has, if somebody looked.
        nearest: Option<String>,
        /// What its user calls the registry, unless it is the only one.
        alias: Option<String>,
    },
    /// No version fits.
    #[error("`{name}` has no version that fits `{requirement}`{}", those(.versions))]
    NoVersion {
        /// The skill.
        name: String,
        /// What was asked for.
        requirement: String,
        /// The highest versions there are.
        versions: Vec<String>,
    },
    /// Every version was withdrawn by its owners.
    #[error("every version of `{name}` was withdrawn")]
    AllWithdrawn {
        /// The skill.
        name: String,
    },
    /// Only a version that its owners withdrew fits.
    #[error("`{name}@{version}` was withdrawn{}", .reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    Withdrawn {
        /// The skill.
        name: String,
        /// The version.
        version: Version,
        /// What its owners say.
        reason: Option<String>,
        /// Whether there is another version that they did not withdraw.
        has_others: bool,
    },
    /// What was published as a skill is another one.
    #[error("what {registry} gives as `{name}` calls itself `{named}` in its SKILL.md")]
    Misnamed {
        /// The registry.
        registry: String,
        /// What it was published as.
        name: String,
        /// Its own name.
        named: String,
    },
    /// What every registry has is not there.
    #[error("no registry answers at {registry}")]
    NotARegistry {
        /// The address.
        registry: String,
    },
    /// It is files that somebody exported, without anybody who could look something up or change it.
    #[error("{registry} only gives out files: it takes no search, tags, owners or publishing")]
    PlainFiles {
        /// The address.
        registry: String,
    },
    /// The registry wants to know who asks.
    #[error("{registry} wants a token, or refuses the one it was sent")]
    Unauthorized {
        /// The registry.
        registry: String,
        /// What its user calls it, unless it is the only one.
        alias: Option<String>,
    },
    /// The index contradicts itself.
    #[error("the index of {registry} is not sound: {problem}")]
    Index {
        /// The registry.
        registry: String,
        /// What is wrong.
        problem: String,
    },
    /// The index has lost or changed what was used before.
    #[error("the index of {registry} is not what it was: {problem}")]
    TakenBack {
        /// The registry.
        registry: String,
        /// What is wrong.
        problem: String,
    },
    /// The log contradicts what was said or seen before.
    #[error("the log of {registry} cannot be believed: {problem}")]
    Log {
        /// The registry.
        registry: String,
        /// What is wrong.
        problem: String,
    },
    /// Nothing is known, and nobody may be asked.
    #[error("`{name}` of {registry} was never seen, and offline nobody can be asked")]
    NeverSeen {
        /// The registry.
        registry: String,
        /// The skill.
        name: String,
    },
    /// What was seen cannot be kept.
    #[error("what {registry} said cannot be kept")]
    Memory {
        /// The registry.
        registry: String,
        /// Why.
        source: std::io::Error,
    },
    /// A request failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

fn those(versions: &[String]) -> String {
    match versions {
        [] => "; it has none".to_owned(),
        [version] => format!("; the highest is {version}"),
        versions => format!("; the highest are {}", versions.join(", ")),
    }
}
