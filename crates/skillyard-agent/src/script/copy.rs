//! A copy of a skill that is what its digest says.
//!
//! The copy is made while hashing. Whatever happens to the skill between the question whether
//! it may run and the moment it does, what runs is what was asked about.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::resource::{DigestLimits, ResourceError, SkillCopy, SkillRoot, copy_hashed};
use skillyard_format::Digest;
use skillyard_format::script::is_script;
use skillyard_format::text::nearest;

use super::interpreter::beginning;
use super::{Scratch, ScriptError};

/// A copy of a skill, which goes when it is dropped.
#[derive(Debug)]
pub struct Copy {
    holder: Scratch,
    skill: String,
    snapshot: SkillCopy,
}

impl Copy {
    /// Copies the skill in a folder to where a sandbox can read it. `owner` is who programs in the
    /// sandbox will be, if not the user who starts them.
    pub fn make(
        skill: &str,
        folder: &Path,
        temporary: &Path,
        owner: Option<(u32, u32)>,
    ) -> Result<Self, ScriptError> {
        let failed = |source| ScriptError::Write {
            path: temporary.to_owned(),
            source,
        };
        // Others may pass to a name that they cannot list; the folder itself is closed.
        let holder = Scratch::make(temporary, 0o711).map_err(failed)?;
        let copy = holder.path().join(plain(skill));
        let prepare = || {
            fs::create_dir(&copy)?;
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o700))?;
            match owner {
                Some((user, group)) => std::os::unix::fs::chown(&copy, Some(user), Some(group)),
                None => Ok(()),
            }
        };
        prepare().map_err(failed)?;
        let root = SkillRoot::open(folder)?;
        let snapshot = copy_hashed(&root, &DigestLimits::HERE, &copy);
        let snapshot = snapshot.map_err(|error| match error {
            ResourceError::Copy { source, .. } => failed(source),
            error => ScriptError::Unhashable {
                skill: skill.to_owned(),
                error,
            },
        })?;
        Ok(Self {
            holder,
            skill: skill.to_owned(),
            snapshot,
        })
    }

    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        self.holder.path().join(plain(&self.skill))
    }

    /// The digest of the skill.
    pub fn digest(&self) -> Digest {
        self.snapshot.digest
    }

    /// The path and the digest of a script: by its path, or by its name in `scripts/`.
    pub fn script(&self, word: &str) -> Result<(&str, Digest), ScriptError> {
        let path = word.strip_prefix("./").unwrap_or(word);
        let inside = format!("scripts/{path}");
        let files = &self.snapshot.files;
        let found = files.iter().find(|(each, _)| each == path);
        let found = found.or_else(|| files.iter().find(|(each, _)| *each == inside));
        found
            .map(|(path, digest)| (path.as_str(), *digest))
            .ok_or_else(|| {
                let scripts = self.scripts();
                let near = |word: &str| nearest(word, scripts.iter().copied());
                let near = near(path).or_else(|| near(&inside));
                ScriptError::NoSuchScript {
                    skill: self.skill.clone(),
                    script: word.to_owned(),
                    nearest: near.map(str::to_owned),
                    scripts: scripts.iter().map(|&path| path.to_owned()).collect(),
                }
            })
    }

    /// The paths of all scripts, wherever they lie.
    fn scripts(&self) -> Vec<&str> {
        let folder = self.folder();
        let files = self.snapshot.files.iter().map(|(path, _)| path.as_str());
        let scripts = files.filter(|path| {
            let file = folder.join(path);
            let mode = fs::metadata(&file).map_or(0, |found| found.permissions().mode());
            is_script(path, mode & 0o100 != 0, &beginning(&file))
        });
        scripts.collect()
    }
}

/// A name that is surely a name of a folder.
fn plain(name: &str) -> &str {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match name {
        name if !name.is_empty() && name.len() <= 64 && name.chars().all(fine) => name,
        _ => "skill",
    }
}
