//! Who said it: the layers, from the weakest to the strongest, and a place in each.

use std::path::PathBuf;

use serde_json::{Value, json};

/// A layer of the configuration; a later one is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LayerKind {
    /// What holds without any configuration.
    Default,
    /// The organisation's file.
    Org,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// Variables of the environment.
    Environment,
    /// The command line.
    Flag,
}

impl LayerKind {
    /// The word for users.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Org => "org",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Where a value was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    /// Nowhere.
    Default,
    /// In a file.
    File {
        /// Whose file.
        layer: LayerKind,
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// In a variable.
    Environment(&'static str),
    /// With `--config`.
    Flag,
}

impl SettingOrigin {
    /// The layer it belongs to.
    pub(crate) fn layer(&self) -> LayerKind {
        match self {
            Self::Default => LayerKind::Default,
            Self::File { layer, .. } => *layer,
            Self::Environment(_) => LayerKind::Environment,
            Self::Flag => LayerKind::Flag,
        }
    }

    /// The place, for people.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Default => "default".into(),
            Self::File { path, line, .. } => format!("{}:{line}", path.display()),
            Self::Environment(variable) => (*variable).into(),
            Self::Flag => "--config".into(),
        }
    }

    /// The layer and the place, for people.
    pub(crate) fn described(&self) -> String {
        match self {
            Self::Default => self.place(),
            _ => format!("{} {}", self.layer().as_str(), self.place()),
        }
    }

    /// The layer and the place, for programs.
    pub(crate) fn to_json(&self) -> Value {
        let layer = self.layer().as_str();
        match self {
            Self::File { path, line, .. } => {
                json!({ "layer": layer, "file": path.to_string_lossy(), "line": line })
            }
            Self::Environment(variable) => json!({ "layer": layer, "variable": variable }),
            Self::Default | Self::Flag => json!({ "layer": layer }),
        }
    }
}
