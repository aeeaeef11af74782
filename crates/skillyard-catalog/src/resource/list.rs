//! Listing the files of a skill.

use rustix::fs::Mode;

use super::error::ResourceError;
use super::open::FOLDER;
use super::path::RelativePath;
use super::root::{SkillRoot, explain};
use super::walk::{Visit, Walk, readable, walk};

/// How many files a listing names.
const MAX_FILES: usize = 2_000;

/// The files of a skill, or of a folder in it.
#[derive(Debug, Default)]
pub struct Listing {
    /// The regular files that can be read, in byte order of their paths.
    pub files: Vec<ResourceEntry>,
    /// What is there too but cannot be read, in the same order.
    pub skipped: Vec<Skipped>,
    /// Whether there are more than the 2,000 files a listing names.
    pub truncated: bool,
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    /// The path below the skill's root.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// Whether its owner may execute the file.
    pub executable: bool,
}

/// Something in a skill that cannot be read.
#[derive(Debug)]
pub struct Skipped {
    /// The path below the skill's root.
    pub path: String,
    /// Why it cannot be read.
    pub reason: ResourceError,
}

impl SkillRoot {
    /// Lists the files of the skill, or those below `folder`.
    pub fn list(&self, folder: Option<&str>) -> Result<Listing, ResourceError> {
        let folder = match folder {
            Some(folder) => RelativePath::folder(folder)?,
            None => None,
        };
        let prefix = folder.as_ref().map_or("", RelativePath::as_str);
        let opened = match &folder {
            Some(folder) => self.opener.open(folder, FOLDER),
            None => self.opener.folder(),
        };
        let opened = opened.map_err(|error| explain(prefix, error))?;
        let mut listing = Listing::default();
        walk(opened, prefix, &mut |visit| Ok(listing.add(visit)))?;
        Ok(listing)
    }
}

impl Listing {
    /// The files, if they are all that could be run: what nobody can be shown, because it has a name
    /// that nobody can be given or is one too many, cannot be approved.
    pub fn complete(self) -> Result<Vec<ResourceEntry>, ResourceError> {
        let unshown = self.skipped.into_iter().map(|each| each.reason);
        let unshown = unshown.filter(|reason| {
            let is_name = matches!(reason, ResourceError::NameNotText { .. });
            is_name || matches!(reason, ResourceError::ControlCharacter { .. })
        });
        let limit = MAX_FILES;
        let more = self.truncated;
        let more = more.then_some(ResourceError::TooManyFiles { limit });
        match unshown.chain(more).next() {
            Some(reason) => Err(reason),
            None => Ok(self.files),
        }
    }

    fn add(&mut self, visit: Visit<'_>) -> Walk {
        if self.files.len() == MAX_FILES || self.skipped.len() == MAX_FILES {
            self.truncated = true;
            return Walk::Stop;
        }
        match visit {
            Visit::File { path, stat, .. } => match readable(path).and_then(RelativePath::file) {
                Ok(path) => self.files.push(ResourceEntry {
                    path: path.as_str().to_owned(),
                    size: u64::try_from(stat.st_size).unwrap_or_default(),
                    executable: Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR),
                }),
                Err(reason) => self.skip(String::from_utf8_lossy(path).into_owned(), reason),
            },
            Visit::Link(link) => self.skip(link.text().into_owned(), link.reason()),
            Visit::Litter { .. } => {}
            Visit::Other { path, reason } => self.skip(path, reason),
        }
        Walk::On
    }

    fn skip(&mut self, path: String, reason: ResourceError) {
        self.skipped.push(Skipped { path, reason });
    }
}
