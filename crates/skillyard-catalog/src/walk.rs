//! Finding `SKILL.md` files below a folder, bounded and in a fixed order.
//!
//! A folder is probed by opening its `SKILL.md` relative to its parent, so a skill
//! costs an open, a stat and one read of its first block, and its folder is never
//! listed. Recursion stops at a skill's root: what is nested in a skill belongs to it.
//! Entries are visited in byte order of their names, level by level.

mod folder;
mod outcome;
mod probe;

use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use self::folder::OpenFolder;
pub use self::outcome::{Listed, Skipped, Stamp, Walked, WatchedPath};
pub(crate) use self::outcome::{RACY_NANOSECONDS, now};
pub use self::probe::FoundSkill;
use self::probe::Probe;
use crate::ignored;
use crate::parallel;
use crate::private_dir::STAGING_PREFIX;

/// Folders that are usually not looked into.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// How many entries of a folder one thread visits before it takes the next.
const HEADS_PER_BLOCK: usize = 64;
/// As `HEADS_PER_BLOCK`, if whole files are read, which takes longer for each.
const FILES_PER_BLOCK: usize = 32;

/// What the reason of something that could not be read starts with.
pub const UNREADABLE: &str = "it cannot be read: ";
/// Why a folder is skipped whose name cannot be that of a skill.
pub const NO_TEXT: &str = "its name is not UTF-8";
/// What the reason of something too deep starts with.
const DEEPER: &str = "it is deeper than ";
/// What the reason of something starts with that comes after too many folders.
const AFTER: &str = "more than ";

/// Whether folders of this name are usually not looked into.
pub fn is_passed_over(name: &str) -> bool {
    SKIPPED.contains(&name)
}

/// How far a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkLimits {
    /// Deepest folder below the root that may be a skill's.
    pub depth: usize,
    /// Most folders without a `SKILL.md` that are listed.
    pub folders: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self {
            depth: 6,
            folders: 2_000,
        }
    }
}

/// How symbolic links are treated.
#[derive(Debug, Clone, Default)]
pub enum Links {
    /// They are skipped with a reason.
    #[default]
    Skip,
    /// Those to folders are followed when they lead into one of these folders, which are canonical.
    Within(Vec<PathBuf>),
    /// A `SKILL.md` that is one is read, for commands that only inspect it; those to folders are skipped.
    ToFiles,
    /// As [`Links::ToFiles`], and those to folders are followed when they lead to a skill's folder outside of this folder, which is
    /// canonical; what they lead to inside is looked at where it lies.
    ToSkills(PathBuf),
}

/// Which folders are skipped though they could be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WalkScope {
    /// Those of version control, of packages and of builds, and what the tree itself ignores:
    /// skills are not expected there.
    #[default]
    Usual,
    /// None, not even what the tree itself ignores.
    Everything,
}

/// How much of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The first block, which nearly always holds the frontmatter.
    Head,
    /// Everything, up to the limit of the format.
    Whole,
}

/// What a walk looks for and how.
#[derive(Debug, Clone)]
pub struct SkillWalk {
    /// How far it goes.
    pub limits: WalkLimits,
    /// What it does with symbolic links.
    pub links: Links,
    /// How much of each file it reads.
    pub extent: Extent,
    /// What it passes over.
    pub scope: WalkScope,
}

/// A folder that may be a skill's.
struct Child<'a> {
    name: &'a str,
    /// Whether it is a link to a folder.
    link: bool,
}

impl SkillWalk {
    /// Walks `root` and hands each skill to `visit`, which may be called in parallel.
    ///
    /// A root that does not exist, or cannot be read, is not an error: it holds no skills.
    pub fn run<T: Send>(
        &self,
        root: &Path,
        visit: impl Fn(&FoundSkill<'_>) -> T + Sync,
    ) -> Walked<T> {
        let mut walked = Walked {
            skills: Vec::new(),
            skipped: Vec::new(),
            listed: Vec::new(),
            watched: Vec::new(),
        };
        match self.probe(root, &visit) {
            Probe::Skill(skill) => {
                walked.skills = vec![skill];
                return walked;
            }
            Probe::Refused(reason) => walked.skip(root.join("SKILL.md"), reason),
            Probe::None => {}
        }
        let mut level = vec![root.to_owned()];
        let mut budget = self.limits.folders;
        let mut ancestors = Vec::new();
        for depth in 1..=self.limits.depth + 1 {
            let mut next = Vec::new();
            for folder in level {
                if budget == 0 {
                    let reason = format!(
                        "{AFTER}{} folders without a SKILL.md were found before it",
                        self.limits.folders
                    );
                    walked.skip(folder, reason);
                    continue;
                }
                budget -= 1;
                self.list(
                    &folder,
                    depth,
                    &visit,
                    &mut walked,
                    &mut next,
                    &mut ancestors,
                );
            }
            level = next;
        }
        walked
    }

    /// Lists one folder: its skills are visited, its other folders go into `next`.
    fn list<T: Send>(
        &self,
        folder: &Path,
        depth: usize,
        visit: &(impl Fn(&FoundSkill<'_>) -> T + Sync),
        walked: &mut Walked<T>,
        next: &mut Vec<PathBuf>,
        followed: &mut Vec<PathBuf>,
    ) {
        let opened = match OpenFolder::new(folder) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                walked.skip(folder.to_owned(), format!("{UNREADABLE}{error}"));
                return;
            }
        };
        let descriptor = match opened.descriptor() {
            Ok(descriptor) => descriptor,
            Err(error) => {
                walked.skip(folder.to_owned(), format!("{UNREADABLE}{error}"));
                return;
            }
        };
        walked.listed.push(Listed {
            path: folder.to_owned(),
            stamp: opened.stamp,
        });
        if let Some(name) = opened.spelling() {
            // The folder is a skill after all, under a name that is not probed for.
            self.visit_spelling(folder, descriptor, name, visit, walked);
            return;
        }
        let is_usual = self.scope == WalkScope::Usual;
        let names = opened.names.iter().map(|(name, _)| name.as_str());
        let ignored = ignored::patterns_in(folder, names.filter(|_| is_usual));
        let mut children: Vec<Child<'_>> = Vec::with_capacity(opened.names.len());
        for (name, kind) in &opened.names {
            let path = || folder.join(name);
            match *kind {
                // What waits in there is on its way to its place.
                FileType::Directory if name.starts_with(STAGING_PREFIX) => {}
                FileType::Directory | FileType::Symlink if is_usual && is_passed_over(name) => {
                    let reason = format!("folders called `{name}` are never looked into");
                    walked.skipped.push(Skipped {
                        path: path(),
                        reason,
                    });
                }
                FileType::Directory if ignored.matched(name, true).is_ignore() => {
                    walked.skipped.push(Skipped {
                        path: path(),
                        reason: "it is ignored by a `.gitignore` beside it".into(),
                    });
                }
                FileType::Directory => children.push(Child { name, link: false }),
                FileType::Symlink => match self.follow(&path(), followed) {
                    Ok(true) => children.push(Child { name, link: true }),
                    Ok(false) => walked.watched.push(WatchedPath::new(path())),
                    Err(reason) => walked.skip(path(), reason),
                },
                _ if ignored::is_ignore_file(name) => walked.watched.push(WatchedPath::new(path())),
                _ => {}
            }
        }
        for name in &opened.unnameable {
            walked.skipped.push(Skipped {
                path: folder.join(name),
                reason: NO_TEXT.into(),
            });
        }
        if depth > self.limits.depth {
            walked
                .skipped
                .extend(children.into_iter().map(|child| Skipped {
                    path: folder.join(child.name),
                    reason: format!("{DEEPER}{} folders", self.limits.depth),
                }));
            return;
        }
        let look = |(): &mut (), child: &Child<'_>| {
            let path = folder.join(child.name);
            // What a link leads to is opened by its path: it was checked, and may be far away.
            if child.link {
                let file = path.join("SKILL.md");
                self.probe_file(rustix::fs::CWD, &file, &path, "SKILL.md", visit)
            } else {
                let file = Path::new(child.name).join("SKILL.md");
                self.probe_file(descriptor, &file, &path, "SKILL.md", visit)
            }
        };
        let block = match self.extent {
            Extent::Head => HEADS_PER_BLOCK,
            Extent::Whole => FILES_PER_BLOCK,
        };
        let probed = parallel::map(&children, block, || (), look);
        walked.skills.reserve(probed.len());
        for (child, probe) in children.into_iter().zip(probed) {
            match probe {
                Probe::Skill(skill) => walked.skills.push(skill),
                Probe::Refused(reason) => {
                    walked.skip(folder.join(child.name).join("SKILL.md"), reason);
                }
                Probe::None if child.link && matches!(self.links, Links::ToSkills(_)) => {
                    let reason = "it is a symbolic link to a folder that is no skill's";
                    walked.skip(folder.join(child.name), reason.into());
                }
                Probe::None => next.push(folder.join(child.name)),
            }
        }
    }

    fn visit_spelling<T>(
        &self,
        folder: &Path,
        descriptor: BorrowedFd<'_>,
        name: &str,
        visit: &impl Fn(&FoundSkill<'_>) -> T,
        walked: &mut Walked<T>,
    ) {
        match self.probe_file(descriptor, Path::new(name), folder, name, visit) {
            Probe::Skill(skill) => walked.skills.push(skill),
            Probe::Refused(reason) => walked.skip(folder.join(name), reason),
            // It was there a moment ago.
            Probe::None => {}
        }
    }
}
