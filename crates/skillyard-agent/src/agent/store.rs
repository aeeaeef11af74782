//! Agents on disk: `NAME/agent.toml` says which version holds and what each must hash to,
//! `NAME/versions/N.toml` is a version. A version that does not match its hash is refused.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_catalog::own_folder;
use skillyard_format::Digest;
use skillyard_format::SkillName;

use super::Definition;

/// Agents in a folder.
#[derive(Debug, Clone)]
pub struct AgentStore {
    folder: PathBuf,
}

/// An agent as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// The version that holds.
    pub version: u32,
    /// What it says.
    pub definition: Definition,
    /// The hash of every version.
    pub versions: BTreeMap<u32, String>,
}

/// What can go wrong with agents.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The name cannot be one.
    #[error("`{name}` is no name for an agent: {problem}")]
    Name {
        /// The name.
        name: String,
        /// Why.
        problem: String,
    },
    /// There is none of this name.
    #[error("there is no agent `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// One like it.
        nearest: Option<String>,
    },
    /// There is one of this name.
    #[error("there is an agent `{0}` already")]
    Exists(String),
    /// It has no such version.
    #[error("agent `{name}` has no version {version}; it has 1 to {last}")]
    NoVersion {
        /// The agent.
        name: String,
        /// The version.
        version: u32,
        /// The last one.
        last: u32,
    },
    /// A version is not what it was.
    #[error("version {version} of agent `{name}` was changed on disk: its hash does not match")]
    Changed {
        /// The agent.
        name: String,
        /// The version.
        version: u32,
    },
    /// A file is not understood.
    #[error("`{}` cannot be understood", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        source: toml::de::Error,
    },
    /// A definition cannot be written.
    #[error("the agent cannot be written down")]
    Unwritable(#[from] toml::ser::Error),
    /// A file cannot be used.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// `agent.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    current: u32,
    /// The hash of each version, by its number.
    versions: BTreeMap<String, String>,
}

impl AgentStore {
    /// The agents of a folder, which need not be there yet.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// The names of all agents, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let heads = entries.filter(|entry| entry.path().join("agent.toml").is_file());
        let mut names: Vec<String> = heads
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    }

    /// Makes an agent.
    pub fn create(&self, name: &str, definition: &Definition) -> Result<Kept, AgentError> {
        SkillName::new(name).map_err(|problem| AgentError::Name {
            name: name.to_owned(),
            problem: problem.to_string(),
        })?;
        if self.names().iter().any(|each| each == name) {
            return Err(AgentError::Exists(name.to_owned()));
        }
        let head = Head {
            current: 0,
            versions: BTreeMap::new(),
        };
        self.add(name, head, definition)
    }

    /// Makes a new version of an agent; one that says the same is not made.
    pub fn update(&self, name: &str, definition: &Definition) -> Result<Kept, AgentError> {
        let kept = self.load(name)?;
        if kept.definition == *definition {
            return Ok(kept);
        }
        self.add(name, self.head(name)?, definition)
    }

    /// The hash that a version with this definition has.
    pub fn hash(definition: &Definition) -> Result<String, AgentError> {
        let text = toml::to_string(definition)?;
        Ok(Digest::of(text.as_bytes()).to_string())
    }

    fn add(&self, name: &str, mut head: Head, definition: &Definition) -> Result<Kept, AgentError> {
        let text = toml::to_string(definition)?;
        let version = last(&head) + 1;
        let file = self.file(name, version);
        write(&file, &text)?;
        head.current = version;
        let hash = Self::hash(definition)?;
        head.versions.insert(version.to_string(), hash);
        self.write_head(name, &head)?;
        self.load(name)
    }

    /// The agent of a name, in the version that holds.
    pub fn load(&self, name: &str) -> Result<Kept, AgentError> {
        let head = self.head(name)?;
        let definition = self.read(name, &head, head.current)?;
        let versions = head.versions.iter();
        Ok(Kept {
            name: name.to_owned(),
            version: head.current,
            definition,
            versions: versions
                .filter_map(|(number, hash)| Some((number.parse().ok()?, hash.clone())))
                .collect(),
        })
    }

    /// A version of an agent.
    pub fn version(&self, name: &str, version: u32) -> Result<Definition, AgentError> {
        let head = self.head(name)?;
        self.read(name, &head, version)
    }

    /// Lets an older version hold again, as a new one.
    pub fn rollback(&self, name: &str, version: u32) -> Result<Kept, AgentError> {
        let definition = self.version(name, version)?;
        self.update(name, &definition)
    }

    /// Removes an agent with all its versions.
    pub fn delete(&self, name: &str) -> Result<(), AgentError> {
        self.head(name)?;
        let folder = self.folder.join(name);
        fs::remove_dir_all(&folder).map_err(|source| AgentError::Io {
            path: folder,
            source,
        })
    }

    fn file(&self, name: &str, version: u32) -> PathBuf {
        let versions = self.folder.join(name).join("versions");
        versions.join(format!("{version}.toml"))
    }

    fn head(&self, name: &str) -> Result<Head, AgentError> {
        let names = self.names();
        // Only names that were listed become part of a path.
        if !names.iter().any(|each| each == name) {
            let nearest =
                skillyard_format::nearest::nearest(name, names.iter().map(String::as_str));
            return Err(AgentError::Unknown {
                name: name.to_owned(),
                nearest: nearest.map(str::to_owned),
            });
        }
        let path = self.folder.join(name).join("agent.toml");
        let text = read(&path)?;
        toml::from_str(&text).map_err(|source| AgentError::Damaged { path, source })
    }

    fn write_head(&self, name: &str, head: &Head) -> Result<(), AgentError> {
        let path = self.folder.join(name).join("agent.toml");
        write(&path, &toml::to_string(head)?)
    }

    fn read(&self, name: &str, head: &Head, version: u32) -> Result<Definition, AgentError> {
        let Some(hash) = head.versions.get(&version.to_string()) else {
            return Err(AgentError::NoVersion {
                name: name.to_owned(),
                version,
                last: last(head),
            });
        };
        let path = self.file(name, version);
        let text = read(&path)?;
        if Digest::of(text.as_bytes()).to_string() != *hash {
            return Err(AgentError::Changed {
                name: name.to_owned(),
                version,
            });
        }
        toml::from_str(&text).map_err(|source| AgentError::Damaged { path, source })
    }
}

fn last(head: &Head) -> u32 {
    let numbers = head
        .versions
        .keys()
        .filter_map(|number| number.parse().ok());
    numbers.max().unwrap_or_default()
}

fn read(path: &Path) -> Result<String, AgentError> {
    fs::read_to_string(path).map_err(|source| AgentError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file at once or not at all.
fn write(path: &Path, text: &str) -> Result<(), AgentError> {
    let written = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        own_folder::make(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|source: std::io::Error| AgentError::Io {
        path: path.to_owned(),
        source,
    })
}
