//! The configuration: what the user's and the project's files say.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skillyard_catalog::selection::{Layer, Pattern};
use skillyard_catalog::source::{OrgFolder, PRESETS, Preset};
use skillyard_catalog::walk::WalkLimits;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::error::CommandError;

/// The user's configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// `[discovery]`.
    pub(crate) discovery: Discovery,
    /// `[skills]`.
    pub(crate) skills: Skills,
    /// `[[org]]`.
    pub(crate) org: Vec<Org>,
}

/// Where and how skills are looked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Discovery {
    /// Further folders, in order.
    pub(crate) directories: Vec<PathBuf>,
    /// The order of sources, by the name of a preset.
    precedence: Option<String>,
    /// Whether skills of a project may be used before it is trusted.
    pub(crate) trust_projects: TrustProjects,
    max_depth: Option<usize>,
    max_folders: Option<usize>,
}

/// Whether skills of a project may be used before it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrustProjects {
    /// Only after `skillyard trust`.
    #[default]
    Ask,
    /// Always.
    Always,
    /// Never, whatever was trusted.
    Never,
}

/// Which skills are wanted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Skills {
    enabled: Vec<String>,
    disabled: Vec<String>,
    allow: Vec<String>,
    deny: Vec<String>,
}

/// A folder of the organisation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Org {
    path: PathBuf,
    #[serde(default)]
    pinned: bool,
}

impl Config {
    /// Reads a file; one that is not there says nothing.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let text = read_text(path)?;
        toml::from_str(&text).map_err(|error| CommandError::Config {
            path: path.to_owned(),
            message: error.to_string().trim().to_owned(),
        })
    }

    /// The order of sources.
    pub(crate) fn preset(&self, path: &Path) -> Result<Preset, CommandError> {
        let Some(name) = &self.discovery.precedence else {
            return Ok(Preset::Default);
        };
        PRESETS
            .iter()
            .find(|(each, _)| each == name)
            .map(|(_, preset)| *preset)
            .ok_or_else(|| {
                let known: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
                CommandError::Config {
                    path: path.to_owned(),
                    message: format!(
                        "`discovery.precedence` is `{name}`; it can be {}",
                        known.join(", ")
                    ),
                }
            })
    }

    /// How far to look.
    pub(crate) fn limits(&self) -> WalkLimits {
        let default = WalkLimits::default();
        WalkLimits {
            depth: self.discovery.max_depth.unwrap_or(default.depth),
            folders: self.discovery.max_folders.unwrap_or(default.folders),
        }
    }

    /// The organisation's folders.
    pub(crate) fn org_folders(&self, home: Option<&Path>) -> Vec<OrgFolder> {
        self.org
            .iter()
            .map(|org| OrgFolder {
                path: expanded(&org.path, home),
                pinned: org.pinned,
            })
            .collect()
    }

    /// Further folders.
    pub(crate) fn directories(&self, home: Option<&Path>) -> Vec<PathBuf> {
        self.discovery
            .directories
            .iter()
            .map(|path| expanded(path, home))
            .collect()
    }

    /// What this file says about single skills.
    pub(crate) fn layer(&self, name: &str, path: &Path) -> Result<Layer, CommandError> {
        let patterns = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Pattern::new(text))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| CommandError::Config {
                    path: path.to_owned(),
                    message: error.to_string(),
                })
        };
        Ok(Layer {
            name: name.to_owned(),
            enabled: patterns(&self.skills.enabled)?,
            disabled: patterns(&self.skills.disabled)?,
            allow: patterns(&self.skills.allow)?,
            deny: patterns(&self.skills.deny)?,
        })
    }

    /// What a project's file may say: it can narrow, and nothing else.
    pub(crate) fn project_layer(path: &Path) -> Result<Layer, CommandError> {
        let config = Self::read(path)?;
        let loosens = !config.org.is_empty()
            || !config.discovery.directories.is_empty()
            || config.discovery.precedence.is_some()
            || config.discovery.trust_projects != TrustProjects::Ask
            || config.discovery.max_depth.is_some()
            || config.discovery.max_folders.is_some()
            || !config.skills.enabled.is_empty();
        if loosens {
            return Err(CommandError::Config {
                path: path.to_owned(),
                message:
                    "a project may only set `skills.disabled`, `skills.allow` and `skills.deny`"
                        .into(),
            });
        }
        config.layer("project", path)
    }
}

/// `~/x` in the home directory.
fn expanded(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Puts `name` into `skills.disabled`, or takes it out; tells whether that changed anything.
pub(crate) fn set_disabled(path: &Path, name: &str, disabled: bool) -> Result<bool, CommandError> {
    let text = read_text(path)?;
    let mut document: DocumentMut =
        text.parse()
            .map_err(|error: toml_edit::TomlError| CommandError::Config {
                path: path.to_owned(),
                message: error.to_string().trim().to_owned(),
            })?;
    let skills = document
        .entry("skills")
        .or_insert(Item::Table(Table::new()));
    let Some(skills) = skills.as_table_like_mut() else {
        return Err(CommandError::Config {
            path: path.to_owned(),
            message: "`skills` is not a table".into(),
        });
    };
    let list = skills.entry("disabled").or_insert(value(Array::new()));
    let Some(list) = list.as_array_mut() else {
        return Err(CommandError::Config {
            path: path.to_owned(),
            message: "`skills.disabled` is not a list".into(),
        });
    };
    let at = list.iter().position(|each| each.as_str() == Some(name));
    match (disabled, at) {
        (true, None) => list.push(name),
        (false, Some(at)) => {
            list.remove(at);
        }
        _ => return Ok(false),
    }
    write_private(path, document.to_string().as_bytes())?;
    Ok(true)
}

/// The text of a file; nothing when it is not there.
pub(crate) fn read_text(path: &Path) -> Result<String, CommandError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(CommandError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Replaces a file that only its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    use std::io::Write as _;
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        // Temporary files are made for their owner alone.
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(bytes)?;
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    };
    write().map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}
