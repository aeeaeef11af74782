//! Looking whether a folder is a skill, and where links lead.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use skillyard_format::document::MAX_BYTES;

use super::{Extent, Links, SkillWalk, Stamp, UNREADABLE};

/// The reason for a `SKILL.md` that is a link: changes of its target would not be noticed.
pub(super) const LINKED: &str =
    "it is a symbolic link; link the skill's whole folder, or put the file there";
/// The reason for a link to itself or to a folder around it.
const CIRCLE: &str = "it is a symbolic link that leads in a circle";

pub(super) enum Probe<T> {
    /// The folder is a skill.
    Skill(T),
    /// There is a `SKILL.md`, but it cannot be read.
    Refused(String),
    /// The folder is not a skill.
    None,
}

impl SkillWalk {
    /// Looks whether `folder` holds a `SKILL.md`.
    pub(super) fn probe<T>(
        &self,
        folder: &Path,
        visit: &impl Fn(&FoundSkill<'_>) -> T,
    ) -> Probe<T> {
        let file = folder.join("SKILL.md");
        self.probe_file(rustix::fs::CWD, &file, folder, "SKILL.md", visit)
    }

    /// Reads the file at `path` below `parent`, which makes `folder` a skill.
    pub(super) fn probe_file<T>(
        &self,
        parent: impl AsFd,
        path: &Path,
        folder: &Path,
        file_name: &str,
        visit: &impl Fn(&FoundSkill<'_>) -> T,
    ) -> Probe<T> {
        let error = match read(parent, path, folder, file_name, self.extent, visit) {
            Ok(skill) => return Probe::Skill(skill),
            Err(error) => error,
        };
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            return self.probe_link(folder, file_name, visit);
        }
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Probe::None,
            _ => Probe::Refused(format!("{UNREADABLE}{error}")),
        }
    }

    /// The file of `folder` is a symbolic link.
    fn probe_link<T>(
        &self,
        folder: &Path,
        file_name: &str,
        visit: &impl Fn(&FoundSkill<'_>) -> T,
    ) -> Probe<T> {
        if matches!(self.links, Links::Skip | Links::Within(_)) {
            return Probe::Refused(LINKED.into());
        }
        let target = match target_of(&folder.join(file_name)) {
            Ok(target) => target,
            Err(reason) => return Probe::Refused(reason),
        };
        match read(
            rustix::fs::CWD,
            &target,
            folder,
            file_name,
            self.extent,
            visit,
        ) {
            Ok(skill) => Probe::Skill(skill),
            Err(error) => Probe::Refused(format!("{UNREADABLE}{error}")),
        }
    }

    /// Whether a symbolic link leads to a folder that may be looked into.
    pub(super) fn follow(&self, link: &Path, followed: &mut Vec<PathBuf>) -> Result<bool, String> {
        let target = target_of(link)?;
        if !target.is_dir() {
            return Ok(false);
        }
        let allowed = match &self.links {
            Links::Within(allowed) => allowed,
            Links::Skip | Links::ToFiles => return Err("it is a symbolic link".into()),
            Links::ToSkills(root) => return Ok(!target.starts_with(root)),
        };
        let parent = link.parent().and_then(|parent| parent.canonicalize().ok());
        if parent.is_some_and(|parent| parent.starts_with(&target)) {
            return Err(CIRCLE.into());
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

/// Where a symbolic link ends, or why it ends nowhere.
fn target_of(link: &Path) -> Result<PathBuf, String> {
    link.canonicalize().map_err(|error| {
        let circle = rustix::io::Errno::LOOP.raw_os_error();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                "it is a symbolic link to nothing".into()
            }
            _ if error.raw_os_error() == Some(circle) => CIRCLE.into(),
            _ => format!("{UNREADABLE}{error}"),
        }
    })
}

/// Bytes of the first block, which holds the frontmatter of nineteen of twenty real skills. With a
/// whole page of each file, copying was a tenth of all the time of a cold start.
const HEAD_BYTES: usize = 1536;

/// A `SKILL.md` that was found, as long as it is being looked at.
#[derive(Debug)]
pub struct FoundSkill<'a> {
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

impl FoundSkill<'_> {
    /// The name of the skill's folder, if it has one that is text.
    pub(crate) fn directory(&self) -> Option<&str> {
        // Taking a path apart costs more than looking for the last slash, which is nearly always enough.
        let path = self.folder.to_str()?;
        match path.rsplit('/').next() {
            Some("" | "." | "..") | None => self.folder.file_name()?.to_str(),
            name => name,
        }
    }

    /// The whole file, up to one byte more than the format's limit.
    pub(crate) fn read_whole(&self) -> io::Result<Vec<u8>> {
        let mut bytes = self.bytes.to_vec();
        if !self.complete {
            read_to(self.file, &mut bytes, Extent::Whole)?;
        }
        Ok(bytes)
    }
}

/// Opens and reads a file and hands it to `visit`.
pub(super) fn read<T>(
    parent: impl AsFd,
    path: &Path,
    folder: &Path,
    file_name: &str,
    extent: Extent,
    visit: &impl Fn(&FoundSkill<'_>) -> T,
) -> io::Result<T> {
    // Not blocking, so that a pipe of this name cannot hold us up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let file = File::from(rustix::fs::openat(parent, path, flags, Mode::empty())?);
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    let stamp = Stamp::of(&stat);
    let mut bytes = Vec::new();
    let complete = read_to(&file, &mut bytes, extent)?;
    Ok(visit(&FoundSkill {
        folder,
        file_name,
        bytes: &bytes,
        complete,
        stamp,
        file: &file,
    }))
}

/// Continues reading into `bytes`, and returns whether the end was reached.
fn read_to(file: &File, bytes: &mut Vec<u8>, extent: Extent) -> io::Result<bool> {
    match extent {
        Extent::Head => {
            // There is room for exactly one block; less means the end of the file.
            bytes.reserve_exact(HEAD_BYTES);
            let read = rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?;
            Ok(read < HEAD_BYTES)
        }
        Extent::Whole => {
            let rest = (MAX_BYTES + 1).saturating_sub(bytes.len());
            file.take(rest as u64).read_to_end(bytes)?;
            Ok(bytes.len() <= MAX_BYTES)
        }
    }
}
