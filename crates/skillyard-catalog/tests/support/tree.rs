//! A home and a project in a temporary folder, and the catalog of what is in them.
#![allow(dead_code, reason = "each test file uses a part")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FileType, Mode, Timespec, Timestamps};
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::walk::{Extent, FoundSkill, Links, SkillWalk, WalkLimits, WalkScope};
use skillyard_catalog::{Catalog, CatalogSettings, ProjectTrust};
use tempfile::TempDir;

/// What was changed longer ago than this is old enough to be believed by an index.
const OLD: Duration = Duration::from_mins(30);

pub(crate) struct Tree {
    /// Removes it at the end.
    _folder: TempDir,
    root: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let tree = Self {
            root: folder.path().canonicalize().unwrap(),
            _folder: folder,
        };
        tree.mkdir("home").mkdir("work");
        tree
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn mkdir(&self, path: &str) -> &Self {
        fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// A valid skill that is called like its folder.
    pub(crate) fn skill(&self, folder: &str, description: &str) -> &Self {
        let name = folder.rsplit('/').next().unwrap();
        self.write(&format!("{folder}/SKILL.md"), skill(name, description))
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) -> &Self {
        symlink(target, self.path(path)).unwrap();
        self
    }

    pub(crate) fn fifo(&self, path: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        self
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        let path = self.path(path);
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
        self
    }

    /// Sets the time of everything that changed just now back by an hour.
    pub(crate) fn age(&self) -> &Self {
        fn age(path: &Path, now: SystemTime) {
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                for entry in fs::read_dir(path).unwrap() {
                    age(&entry.unwrap().path(), now);
                }
            }
            let modified = metadata.modified().unwrap();
            if now.duration_since(modified).is_ok_and(|since| since > OLD) {
                return;
            }
            let then = (now - 2 * OLD).duration_since(UNIX_EPOCH).unwrap();
            let time = Timespec {
                tv_sec: then.as_secs().try_into().unwrap(),
                tv_nsec: then.subsec_nanos().into(),
            };
            let times = Timestamps {
                last_access: time,
                last_modification: time,
            };
            rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
        }
        age(&self.root, SystemTime::now());
        self
    }

    /// The user works in `work`, trusts it, and keeps no index.
    pub(crate) fn settings(&self) -> CatalogSettings {
        CatalogSettings {
            surroundings: Surroundings {
                current: self.path("work"),
                home: Some(self.path("home")),
                skillyard_home: self.path("home/.skillyard"),
                ..Surroundings::default()
            },
            project_trust: ProjectTrust::Trusted,
            ..CatalogSettings::default()
        }
    }

    pub(crate) fn load(&self) -> Catalog {
        Catalog::load(&self.settings())
    }

    pub(crate) fn load_indexed(&self) -> Catalog {
        Catalog::load(&CatalogSettings {
            index_folder: Some(self.path("index")),
            ..self.settings()
        })
    }

    /// `text` without the place of the temporary folder.
    pub(crate) fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.root.display()), "")
    }

    /// The skills that are not inside the binary, as `folder: name`.
    pub(crate) fn found(&self, catalog: &Catalog) -> Vec<String> {
        let on_disk = |folder: &&str| !folder.starts_with("builtin:");
        let mut found = Vec::new();
        for skill in &catalog.skills {
            let folder = self.relative(skill.record.folder.to_str().unwrap());
            if on_disk(&folder.as_str()) {
                found.push(format!("{folder}: {}", skill.record.name));
            }
        }
        found
    }

    /// What was passed over, as `path: reason`.
    pub(crate) fn skipped(&self, catalog: &Catalog) -> Vec<String> {
        let line = |path: &Path, reason: &str| format!("{}: {reason}", path.display());
        let lines = catalog.skipped.iter();
        lines
            .map(|each| self.relative(&line(&each.path, &each.reason)))
            .collect()
    }

    /// What a walk of `root` finds, and what it passes over.
    pub(crate) fn walk(&self, root: &str, links: Links) -> (Vec<String>, Vec<String>) {
        let walk = SkillWalk {
            limits: WalkLimits::default(),
            links,
            extent: Extent::Head,
            scope: WalkScope::Usual,
        };
        let found = |found: &FoundSkill<'_>| {
            self.relative(found.folder.join(found.file_name).to_str().unwrap())
        };
        let walked = walk.run(&self.path(root), found);
        let mut skipped: Vec<String> = walked
            .skipped
            .iter()
            .map(|each| self.relative(&format!("{}: {}", each.path.display(), each.reason)))
            .collect();
        skipped.sort();
        (walked.skills, skipped)
    }
}

/// The text of a valid skill.
pub(crate) fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nDo it.\n")
}

/// Everything a catalog says, also times and inodes.
pub(crate) fn told(catalog: &Catalog) -> String {
    format!(
        "{:#?}",
        (
            &catalog.skills,
            &catalog.shadowed,
            &catalog.skipped,
            &catalog.sources
        )
    )
}
