//! Agents on disk: `NAME/agent.toml` says which version holds and what each must hash to,
//! `NAME/versions/N.toml` is a version. A version that does not match its hash is refused.
//!
//! Versions are added under a lock on the folder, and no file of one is written over. Nobody holds
//! the lock while they think: a change to what does not hold any more is made again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_catalog::private_dir;
use skillyard_format::Digest;
use skillyard_format::SkillName;

use super::Definition;
use super::error::AgentError;

/// Agents in a folder.
#[derive(Debug, Clone)]
pub struct AgentStore {
    folder: PathBuf,
}

/// An agent as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAgent {
    /// Its name.
    pub name: String,
    /// The version that holds.
    pub version: u32,
    /// What it says.
    pub definition: Definition,
    /// The hash of every version.
    pub versions: BTreeMap<u32, String>,
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentChange {
    /// The version that held before.
    pub before: u32,
    /// The agent now.
    pub kept: StoredAgent,
}

impl AgentChange {
    /// Whether there is a new version.
    pub fn is_new(&self) -> bool {
        self.before != self.kept.version
    }
}

/// `agent.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionIndex {
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
    pub fn create(&self, name: &str, definition: &Definition) -> Result<StoredAgent, AgentError> {
        SkillName::new(name).map_err(|problem| AgentError::Name {
            name: name.to_owned(),
            problem: problem.to_string(),
        })?;
        let _lock = self.lock()?;
        if self.names().iter().any(|each| each == name) {
            return Err(AgentError::Exists(name.to_owned()));
        }
        let head = VersionIndex {
            current: 0,
            versions: BTreeMap::new(),
        };
        self.add(name, head, definition)
    }

    /// Makes a new version of an agent; one that says the same is not made. Whoever changes it
    /// meanwhile is not passed over: `apply` is called again, on what they made of it.
    pub fn change<E: From<AgentError>>(
        &self,
        name: &str,
        mut apply: impl FnMut(&mut Definition) -> Result<(), E>,
    ) -> Result<AgentChange, E> {
        loop {
            let kept = self.load(name)?;
            let before = kept.version;
            let mut definition = kept.definition.clone();
            apply(&mut definition)?;
            if kept.definition == definition {
                return Ok(AgentChange { before, kept });
            }
            let _lock = self.lock()?;
            let head = self.head(name)?;
            // A number alone could be another agent's that was made since.
            let hash = head.versions.get(&before.to_string());
            if head.current == before && hash == kept.versions.get(&before) {
                let kept = self.add(name, head, &definition)?;
                return Ok(AgentChange { before, kept });
            }
        }
    }

    /// The hash that a version with this definition has.
    pub fn hash(definition: &Definition) -> Result<String, AgentError> {
        let text = toml::to_string(definition)?;
        Ok(Digest::of(text.as_bytes()).to_string())
    }

    fn add(
        &self,
        name: &str,
        mut head: VersionIndex,
        definition: &Definition,
    ) -> Result<StoredAgent, AgentError> {
        let text = toml::to_string(definition)?;
        let mut version = last(&head) + 1;
        // What a crash left behind is no version, and stays as it is.
        while self.file(name, version).exists() {
            version += 1;
        }
        write(&self.file(name, version), &text, Overwrite::No)?;
        head.current = version;
        let hash = Self::hash(definition)?;
        head.versions.insert(version.to_string(), hash);
        self.write_head(name, &head)?;
        self.load(name)
    }

    /// The agent of a name, in the version that holds.
    pub fn load(&self, name: &str) -> Result<StoredAgent, AgentError> {
        let head = self.head(name)?;
        let definition = self.read(name, &head, head.current)?;
        let versions = head.versions.iter();
        Ok(StoredAgent {
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

    /// Lets an older version hold again, as a new one, whatever became of the one that holds.
    pub fn rollback(&self, name: &str, version: u32) -> Result<AgentChange, AgentError> {
        let _lock = self.lock()?;
        let head = self.head(name)?;
        let before = head.current;
        let definition = self.read(name, &head, version)?;
        let is_current = |current| current == definition;
        let kept = if self.read(name, &head, before).is_ok_and(is_current) {
            self.load(name)?
        } else {
            self.add(name, head, &definition)?
        };
        Ok(AgentChange { before, kept })
    }

    /// Removes an agent with all its versions.
    pub fn delete(&self, name: &str) -> Result<(), AgentError> {
        self.head(name)?;
        let _lock = self.lock()?;
        let folder = self.folder.join(name);
        fs::remove_dir_all(&folder).map_err(|source| AgentError::Io {
            path: folder,
            source,
        })
    }

    /// Waits until nobody else adds a version; holds until it is dropped. The folder itself is
    /// locked, so no file is left behind.
    fn lock(&self) -> Result<File, AgentError> {
        let locked = || {
            fs::create_dir_all(&self.folder)?;
            let folder = File::open(&self.folder)?;
            loop {
                match folder.lock() {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => return other.map(|()| folder),
                }
            }
        };
        locked().map_err(|source| AgentError::Io {
            path: self.folder.clone(),
            source,
        })
    }

    fn file(&self, name: &str, version: u32) -> PathBuf {
        let versions = self.folder.join(name).join("versions");
        versions.join(format!("{version}.toml"))
    }

    fn head(&self, name: &str) -> Result<VersionIndex, AgentError> {
        let names = self.names();
        // Only names that were listed become part of a path.
        if !names.iter().any(|each| each == name) {
            let nearest = skillyard_format::text::nearest(name, names.iter().map(String::as_str));
            return Err(AgentError::Unknown {
                name: name.to_owned(),
                nearest: nearest.map(str::to_owned),
            });
        }
        let path = self.folder.join(name).join("agent.toml");
        let text = read(&path)?;
        toml::from_str(&text).map_err(|source| AgentError::Damaged { path, source })
    }

    fn write_head(&self, name: &str, head: &VersionIndex) -> Result<(), AgentError> {
        let path = self.folder.join(name).join("agent.toml");
        write(&path, &toml::to_string(head)?, Overwrite::Yes)
    }

    fn read(
        &self,
        name: &str,
        head: &VersionIndex,
        version: u32,
    ) -> Result<Definition, AgentError> {
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

fn last(head: &VersionIndex) -> u32 {
    let numbers = head
        .versions
        .keys()
        .filter_map(|number| number.parse().ok());
    numbers.max().unwrap_or_default()
}

/// Whether an existing file is replaced.
#[derive(Clone, Copy)]
enum Overwrite {
    /// An existing file is an error.
    No,
    Yes,
}

/// Reads a file.
fn read(path: &Path) -> Result<String, AgentError> {
    fs::read_to_string(path).map_err(|source| AgentError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file atomically.
fn write(path: &Path, text: &str, overwrite: Overwrite) -> Result<(), AgentError> {
    let written = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        private_dir::create(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        match overwrite {
            Overwrite::No => file.persist_noclobber(path)?,
            Overwrite::Yes => file.persist(path)?,
        };
        Ok(())
    };
    written().map_err(|source: io::Error| AgentError::Io {
        path: path.to_owned(),
        source,
    })
}
