//! Looking whether a folder is a skill, and where links lead.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::read::{Found, read};
use super::{Links, UNREADABLE, Walk};

/// What is said of a `SKILL.md` that is a link: nobody would see when what it leads to changes.
pub(super) const LINKED: &str =
    "it is a symbolic link; link the skill's whole folder, or put the file there";
/// What is said of a link that comes back to itself or to a folder it lies in.
const CIRCLE: &str = "it is a symbolic link that leads in a circle";

pub(super) enum Probe<T> {
    /// The folder is a skill.
    Skill(T),
    /// There is a `SKILL.md`, but it is not to be had.
    Refused(String),
    /// The folder is not a skill.
    None,
}

impl Walk {
    /// Looks whether `folder` holds a `SKILL.md`.
    pub(super) fn probe<T>(&self, folder: &Path, visit: &impl Fn(&Found<'_>) -> T) -> Probe<T> {
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
            _ => Probe::Refused(format!("{UNREADABLE}{error}")),
        }
    }

    /// The file of `folder` is a symbolic link.
    fn probe_link<T>(
        &self,
        folder: &Path,
        file_name: &str,
        visit: &impl Fn(&Found<'_>) -> T,
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
            OFlags::NOFOLLOW,
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
