//! `[discovery]`, `[skills]` and `[[org]]`: where skills are looked for, and which are wanted.

use std::path::{Path, PathBuf};

use skillyard_catalog::selection;
use skillyard_catalog::selection::NamePattern;
use skillyard_catalog::source::OrgFolder;
use skillyard_catalog::source::SourceOrder;
use skillyard_catalog::surroundings::{PRESETS, Preset};
use skillyard_catalog::walk::WalkLimits;

use super::Config;
use super::project::TO_RENAME;
use crate::config::value::ConfigValue;
use crate::error::CommandError;
use crate::error::config_origin::LayerKind;
use crate::text::shell::shell_word;

/// Whether skills of a project may be used before it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustProjects {
    /// Only after `skillyard trust`.
    Ask,
    /// Always.
    Always,
    /// Never, whatever was trusted.
    Never,
}

impl TrustProjects {
    /// What the user can do about a project that is not trusted.
    pub(crate) fn remedy(self, root: &Path, typed: &str) -> String {
        match self {
            Self::Never => "`discovery.trust_projects` is `never`, so no project's skills are used, whatever is trusted; `skillyard config get discovery.trust_projects --show-origin` says who wants it so".into(),
            Self::Ask | Self::Always if root.to_str().is_none() => {
                format!("The project cannot be trusted: {TO_RENAME}")
            }
            Self::Ask | Self::Always => {
                let folder = shell_word(typed);
                format!("Look at the project's skills, then run `skillyard trust {folder}`")
            }
        }
    }
}

impl Config {
    /// Whether skills of a project may be used before it is trusted.
    pub(crate) fn trust_projects(&self) -> TrustProjects {
        match self.text("discovery.trust_projects").as_deref() {
            Some("always") => TrustProjects::Always,
            Some("never") => TrustProjects::Never,
            _ => TrustProjects::Ask,
        }
    }

    /// The order of sources.
    pub(crate) fn preset(&self) -> Preset {
        if let Some(words) = self.list("discovery.precedence") {
            let order = SourceOrder::new(words.iter().map(String::as_str));
            return order.map_or(Preset::Default, Preset::Own);
        }
        let name = self.text("discovery.precedence").unwrap_or_default();
        let preset = PRESETS.iter().find(|(each, _)| *each == name);
        preset.map_or(Preset::Default, |(_, preset)| *preset)
    }

    /// How far to look.
    pub(crate) fn limits(&self) -> WalkLimits {
        let default = WalkLimits::default();
        WalkLimits {
            depth: self.count("discovery.max_depth").unwrap_or(default.depth),
            folders: self
                .count("discovery.max_folders")
                .unwrap_or(default.folders),
        }
    }

    /// The organisation's folders, of all layers.
    pub(crate) fn org_folders(&self, home: Option<&Path>) -> Vec<OrgFolder> {
        let mut folders = Vec::new();
        for setting in self.all("org") {
            if let ConfigValue::OrgFolders(each) = &setting.value {
                folders.extend(each.iter().map(|org| OrgFolder {
                    path: expanded(&org.path, home),
                    pinned: org.pinned,
                }));
            }
        }
        folders
    }

    /// Further folders.
    pub(crate) fn directories(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let folders = self.list("discovery.directories").unwrap_or_default();
        folders
            .iter()
            .map(|path| expanded(Path::new(path), home))
            .collect()
    }

    /// What each layer says about single skills, the strongest last.
    pub(crate) fn selection(&self) -> Result<Vec<selection::Layer>, CommandError> {
        let kinds = [
            LayerKind::Org,
            LayerKind::User,
            LayerKind::Project,
            LayerKind::Environment,
            LayerKind::Flag,
        ];
        let layers = kinds.into_iter().map(|kind| {
            Ok(selection::Layer {
                name: kind.as_str().to_owned(),
                enabled: self.patterns("skills.enabled", kind)?,
                disabled: self.patterns("skills.disabled", kind)?,
                allow: self.patterns("skills.allow", kind)?,
                deny: self.patterns("skills.deny", kind)?,
            })
        });
        let mut layers = layers.collect::<Result<Vec<_>, CommandError>>()?;
        let silent = self.mcp_without_skills();
        let silent = silent.map(|server| NamePattern::new(&format!("{server}:*")));
        let deny: Vec<NamePattern> = silent
            .collect::<Result<_, _>>()
            .map_err(CommandError::Pattern)?;
        layers.push(selection::Layer {
            name: "mcp.servers".to_owned(),
            deny,
            ..selection::Layer::default()
        });
        Ok(layers)
    }

    fn patterns(&self, key: &str, layer: LayerKind) -> Result<Vec<NamePattern>, CommandError> {
        let settings = self.all(key).filter(|each| each.origin.layer() == layer);
        let texts = settings.filter_map(|setting| match &setting.value {
            ConfigValue::List(texts) => Some(texts),
            _ => None,
        });
        let patterns = texts
            .flatten()
            .map(|text| NamePattern::new(text).map_err(CommandError::Pattern));
        patterns.collect()
    }
}

/// `~/x` in the home directory.
pub(super) fn expanded(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}
