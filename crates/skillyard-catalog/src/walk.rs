//! Finding `SKILL.md` files below a folder, bounded and in a fixed order.
//!
//! A folder is probed by opening its `SKILL.md` relative to its parent, so a skill
//! costs an open, a stat and one read of its first block, and its folder is never
//! listed. Recursion stops at a skill's root: what is nested in a skill belongs to it.
//! Entries are visited in byte order of their names, level by level.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{Dir, FileType, Mode, OFlags, Stat};
use skillyard_format::document::MAX_BYTES;

use crate::ignored::Ignored;

/// Folders that are never looked into.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// Entries of one folder above which they are visited in parallel.
const PARALLEL: usize = 256;
/// Bytes of the first block.
const BLOCK: usize = 4096;

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

/// How symbolic links to folders are treated.
#[derive(Debug, Clone, Default)]
pub enum Links {
    /// They are passed over with a reason.
    #[default]
    Skip,
    /// They are followed when they lead into one of these folders, which are canonical.
    Within(Vec<PathBuf>),
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
pub struct Walk {
    /// How far it goes.
    pub limits: WalkLimits,
    /// What it does with symbolic links.
    pub links: Links,
    /// How much of each file it reads.
    pub extent: Extent,
}

/// When and how large a file or folder was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub modified: i64,
    /// Time of the last change of anything, permissions too; nobody can set it back.
    pub changed: i64,
    /// Size in bytes.
    pub size: u64,
    /// The file's number on its device.
    pub inode: u64,
}

impl Stamp {
    #[expect(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        reason = "the types of a stat differ by platform; equality is all that counts"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
        Self {
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            size: stat.st_size as u64,
            inode: stat.st_ino as u64,
        }
    }
}

/// A `SKILL.md` that was found, as long as it is being looked at.
#[derive(Debug)]
pub struct Found<'a> {
    /// The skill's folder.
    pub folder: &'a Path,
    /// The name of the file, in its own spelling.
    pub file_name: &'a str,
    /// The bytes that were read.
    pub bytes: &'a [u8],
    /// Whether `bytes` is the whole file.
    pub complete: bool,
    /// The file's stamp.
    pub stamp: Stamp,
    file: &'a File,
}

impl Found<'_> {
    /// The whole file, up to one byte more than the format's limit.
    pub fn read_whole(&self) -> io::Result<Vec<u8>> {
        let mut bytes = self.bytes.to_vec();
        if !self.complete {
            read_to(self.file, &mut bytes, Extent::Whole)?;
        }
        Ok(bytes)
    }
}

/// Something that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// What it is.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// A folder that was listed, and its stamp at that time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Listed {
    /// The folder.
    pub path: PathBuf,
    /// Its stamp; a new, removed or renamed entry changes it.
    pub stamp: Stamp,
}

/// Something that decided what was passed over, and its stamp at that time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Watched {
    /// What it is.
    pub path: PathBuf,
    /// Its stamp; `None` when nothing was there.
    pub stamp: Option<Stamp>,
}

impl Watched {
    fn new(path: PathBuf) -> Self {
        Self {
            stamp: Self::stamp_of(&path),
            path,
        }
    }

    /// The stamp of what is at `path` now, behind links.
    pub(crate) fn stamp_of(path: &Path) -> Option<Stamp> {
        rustix::fs::stat(path).ok().as_ref().map(Stamp::of)
    }
}

/// Everything a walk came across, in order.
#[derive(Debug)]
pub struct Walked<T> {
    /// What became of each skill.
    pub skills: Vec<T>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
    /// The folders that were listed.
    pub listed: Vec<Listed>,
    /// What has to change, beside those, for something to be passed over no longer.
    pub watched: Vec<Watched>,
}

impl<T> Walked<T> {
    /// Passes over `path`, for a reason that no folder's stamp tells of when it goes.
    fn skip(&mut self, path: PathBuf, reason: String) {
        self.watched.push(Watched::new(path.clone()));
        self.skipped.push(Skipped { path, reason });
    }
}

impl Walk {
    /// Walks `root` and hands each skill to `visit`, which may be called in parallel.
    ///
    /// A root that does not exist, or cannot be read, is not an error: it holds no skills.
    pub fn run<T: Send>(&self, root: &Path, visit: impl Fn(&Found<'_>) -> T + Sync) -> Walked<T> {
        let mut walked = Walked {
            skills: Vec::new(),
            skipped: Vec::new(),
            listed: Vec::new(),
            watched: Vec::new(),
        };
        match self.probe(rustix::fs::CWD, root, "", &visit) {
            Probe::Skill(skill) => {
                walked.skills.push(skill);
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
                        "more than {} folders without a SKILL.md were found before it",
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
        visit: &(impl Fn(&Found<'_>) -> T + Sync),
        walked: &mut Walked<T>,
        next: &mut Vec<PathBuf>,
        followed: &mut Vec<PathBuf>,
    ) {
        let opened = match Opened::new(folder) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                walked.skip(folder.to_owned(), format!("it cannot be read: {error}"));
                return;
            }
        };
        walked.listed.push(Listed {
            path: folder.to_owned(),
            stamp: opened.stamp,
        });
        if let Some(name) = opened.spelling() {
            // The folder is a skill after all, under a name that is not probed for.
            self.visit_spelling(folder, &opened.folder, name, visit, walked);
            return;
        }
        let ignored = Ignored::of(folder, &opened.names);
        let mut children: Vec<(PathBuf, bool)> = Vec::with_capacity(opened.names.len());
        for (name, kind) in &opened.names {
            let path = folder.join(name);
            match kind {
                FileType::Directory | FileType::Symlink if SKIPPED.contains(&name.as_str()) => {
                    let reason = format!("folders called `{name}` are never looked into");
                    walked.skipped.push(Skipped { path, reason });
                }
                FileType::Directory if ignored.matches(name) => walked.skipped.push(Skipped {
                    path,
                    reason: "it is ignored by a `.gitignore` beside it".into(),
                }),
                FileType::Directory => children.push((path, false)),
                FileType::Symlink => match self.follow(&path, followed) {
                    Ok(true) => children.push((path, true)),
                    Ok(false) => walked.watched.push(Watched::new(path)),
                    Err(reason) => walked.skip(path, reason),
                },
                _ if Ignored::is_list(name) => walked.watched.push(Watched::new(path)),
                _ => {}
            }
        }
        for name in opened.unnameable {
            walked.skipped.push(Skipped {
                path: folder.join(name),
                reason: "its name is not UTF-8".into(),
            });
        }
        if depth > self.limits.depth {
            walked
                .skipped
                .extend(children.into_iter().map(|(path, _)| Skipped {
                    path,
                    reason: format!("it is deeper than {} folders", self.limits.depth),
                }));
            return;
        }
        let look = |(path, link): &(PathBuf, bool)| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            // What lies behind a link is opened by its path: it was checked, and may be far away.
            if *link {
                self.probe(rustix::fs::CWD, path, "", visit)
            } else {
                self.probe(&opened.folder, path, name, visit)
            }
        };
        let probed: Vec<Probe<T>> = if children.len() > PARALLEL {
            children.par_iter().with_min_len(64).map(look).collect()
        } else {
            children.iter().map(look).collect()
        };
        for ((path, _), probe) in children.into_iter().zip(probed) {
            match probe {
                Probe::Skill(skill) => walked.skills.push(skill),
                Probe::Refused(reason) => walked.skip(path.join("SKILL.md"), reason),
                Probe::None => next.push(path),
            }
        }
    }

    fn visit_spelling<T>(
        &self,
        folder: &Path,
        descriptor: &OwnedFd,
        name: &str,
        visit: &impl Fn(&Found<'_>) -> T,
        walked: &mut Walked<T>,
    ) {
        match self.probe_file(descriptor, Path::new(name), folder, name, visit) {
            Probe::Skill(skill) => walked.skills.push(skill),
            Probe::Refused(reason) => walked.skip(folder.join(name), reason),
            // It was there a moment ago.
            Probe::None => {}
        }
    }

    /// Looks whether `folder`, called `name` below `parent`, holds a `SKILL.md`.
    fn probe<T>(
        &self,
        parent: impl AsFd,
        folder: &Path,
        name: &str,
        visit: &impl Fn(&Found<'_>) -> T,
    ) -> Probe<T> {
        let file = if name.is_empty() {
            folder.join("SKILL.md")
        } else {
            Path::new(name).join("SKILL.md")
        };
        self.probe_file(parent, &file, folder, "SKILL.md", visit)
    }

    /// Reads the file at `path` below `parent`, which makes `folder` a skill.
    fn probe_file<T>(
        &self,
        parent: impl AsFd,
        path: &Path,
        folder: &Path,
        file_name: &str,
        visit: &impl Fn(&Found<'_>) -> T,
    ) -> Probe<T> {
        let error = match read(
            parent,
            path,
            OFlags::NOFOLLOW,
            folder,
            file_name,
            self.extent,
            visit,
        ) {
            Ok(skill) => return Probe::Skill(skill),
            Err(error) => error,
        };
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            return self.probe_link(folder, file_name, visit);
        }
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Probe::None,
            _ => Probe::Refused(format!("it cannot be read: {error}")),
        }
    }

    /// The file of `folder` is a symbolic link.
    fn probe_link<T>(
        &self,
        folder: &Path,
        file_name: &str,
        visit: &impl Fn(&Found<'_>) -> T,
    ) -> Probe<T> {
        let Ok(target) = folder.join(file_name).canonicalize() else {
            return Probe::Refused("it is a symbolic link to nothing".into());
        };
        let within = folder
            .canonicalize()
            .is_ok_and(|folder| target.starts_with(folder));
        if let Links::Within(allowed) = &self.links
            && !within
            && !allowed.iter().any(|root| target.starts_with(root))
        {
            return Probe::Refused(format!(
                "it is a symbolic link to `{}`, outside every allowed folder",
                target.display()
            ));
        }
        match read(
            rustix::fs::CWD,
            &target,
            OFlags::NOFOLLOW,
            folder,
            file_name,
            self.extent,
            visit,
        ) {
            Ok(skill) => Probe::Skill(skill),
            Err(error) => Probe::Refused(format!("it cannot be read: {error}")),
        }
    }

    /// Whether a symbolic link leads to a folder that may be looked into.
    fn follow(&self, link: &Path, followed: &mut Vec<PathBuf>) -> Result<bool, String> {
        let target = match link.canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err("it is a symbolic link to nothing".into());
            }
            Err(_) => return Err("it is a symbolic link that leads in a circle".into()),
        };
        if !target.is_dir() {
            return Ok(false);
        }
        let Links::Within(allowed) = &self.links else {
            return Err("it is a symbolic link".into());
        };
        let parent = link.parent().and_then(|parent| parent.canonicalize().ok());
        if parent.is_some_and(|parent| parent.starts_with(&target)) {
            return Err("it is a symbolic link that leads in a circle".into());
        }
        if !allowed.iter().any(|root| target.starts_with(root)) {
            return Err(format!(
                "it is a symbolic link to `{}`, outside every allowed folder",
                target.display()
            ));
        }
        if followed.contains(&target) {
            return Err(format!(
                "it is a symbolic link to `{}`, which was visited already",
                target.display()
            ));
        }
        followed.push(target);
        Ok(true)
    }
}

/// A folder that is open, with its entries in byte order.
struct Opened {
    folder: OwnedFd,
    stamp: Stamp,
    names: Vec<(String, FileType)>,
    /// Folders and links whose names are not UTF-8, so that no skill can be called like them.
    unnameable: Vec<String>,
}

impl Opened {
    fn new(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())?;
        let stamp = Stamp::of(&rustix::fs::fstat(&folder)?);
        let mut names = Vec::new();
        let mut unnameable = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                if entry.file_type() != FileType::RegularFile {
                    unnameable.push(entry.file_name().to_string_lossy().into_owned());
                }
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => kind_of(&folder, name),
                kind => kind,
            };
            names.push((name.to_owned(), kind));
        }
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        unnameable.sort_unstable();
        Ok(Self {
            folder,
            stamp,
            names,
            unnameable,
        })
    }

    /// The file that makes this folder a skill, if it is called like one.
    fn spelling(&self) -> Option<&str> {
        let files = || {
            self.names
                .iter()
                .filter(|(_, kind)| *kind != FileType::Directory)
                .map(|(name, _)| name.as_str())
        };
        files().find(|name| *name == "skill.md").or_else(|| {
            files().find(|name| name.eq_ignore_ascii_case("skill.md") && *name != "SKILL.md")
        })
    }
}

fn kind_of(folder: &OwnedFd, name: &str) -> FileType {
    rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
}

enum Probe<T> {
    /// The folder is a skill.
    Skill(T),
    /// There is a `SKILL.md`, but it is not to be had.
    Refused(String),
    /// The folder is not a skill.
    None,
}

thread_local! {
    /// A block for heads, which stays one block, and a buffer for whole files, which grows.
    static BUFFERS: [RefCell<Vec<u8>>; 2] = const { [RefCell::new(Vec::new()), RefCell::new(Vec::new())] };
}

/// Opens and reads a file and hands it to `visit`.
fn read<T>(
    parent: impl AsFd,
    path: &Path,
    follow: OFlags,
    folder: &Path,
    file_name: &str,
    extent: Extent,
    visit: &impl Fn(&Found<'_>) -> T,
) -> io::Result<T> {
    // Not blocking, so that a pipe of this name cannot hold us up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | follow;
    let file = File::from(rustix::fs::openat(parent, path, flags, Mode::empty())?);
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    let stamp = Stamp::of(&stat);
    BUFFERS.with(|[head, whole]| {
        let buffer = match extent {
            Extent::Head => head,
            Extent::Whole => whole,
        };
        // The buffer is taken out, because `visit` may walk again on this thread.
        let mut bytes = buffer.take();
        bytes.clear();
        let complete = read_to(&file, &mut bytes, extent)?;
        let found = Found {
            folder,
            file_name,
            bytes: &bytes,
            complete,
            stamp,
            file: &file,
        };
        let result = visit(&found);
        buffer.replace(bytes);
        Ok(result)
    })
}

/// Reads on into `bytes`, and tells whether the end was reached.
///
/// A regular file is at its end when it gives less than was asked for.
fn read_to(file: &File, bytes: &mut Vec<u8>, extent: Extent) -> io::Result<bool> {
    match extent {
        Extent::Head => {
            // The buffer has room for exactly one block, so no more is asked for.
            bytes.reserve_exact(BLOCK);
            let read = rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?;
            Ok(read < BLOCK)
        }
        Extent::Whole => {
            while bytes.len() <= MAX_BYTES {
                bytes.reserve(bytes.len().max(BLOCK * 4));
                let read = rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?;
                if read == 0 || bytes.len() < bytes.capacity() {
                    return Ok(true);
                }
            }
            bytes.truncate(MAX_BYTES + 1);
            Ok(false)
        }
    }
}
