//! The skills that a path on the command line names: a folder, a file, or a whole tree.

mod folder;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use skillyard_catalog::walk::{
    Extent, FoundSkill, Links, SkillWalk, Skipped, UNREADABLE, WalkLimits, WalkScope, Walked,
};

use skillyard_format::rules::{self, Profile};
use skillyard_format::skill::misspelled;
use skillyard_format::{Diagnostic, Document, Severity, Skill, Subject};

pub(crate) use crate::library::skill_files::folder::FolderListing;
pub(crate) use folder::{Contents, LeftOut, contents};

use crate::error::CommandError;

/// How a tree that the user named is walked: far, because it was asked for.
const WALK: SkillWalk = SkillWalk {
    limits: WalkLimits {
        depth: 32,
        folders: 1_000_000,
    },
    links: Links::ToFiles,
    extent: Extent::Whole,
    scope: WalkScope::Usual,
};

/// A `SKILL.md` that was read.
#[derive(Debug, Clone)]
pub(crate) struct SkillFileOnDisk {
    /// The skill's folder, as the user would write it.
    pub(crate) folder: PathBuf,
    /// The name of the file, in its own spelling.
    pub(crate) file_name: String,
    /// The bytes, at most one more than the limit.
    pub(crate) bytes: Vec<u8>,
}

impl SkillFileOnDisk {
    fn new(found: &FoundSkill<'_>) -> Self {
        Self {
            folder: found.folder.to_owned(),
            file_name: found.file_name.to_owned(),
            bytes: found.bytes.to_vec(),
        }
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.file_name)
    }

    /// The name of the folder.
    pub(crate) fn directory(&self) -> Option<Cow<'_, str>> {
        directory_name(&self.folder)
    }
}

/// The name of a folder, also of `.`, `..` and `a/..`.
pub(crate) fn directory_name(folder: &Path) -> Option<Cow<'_, str>> {
    // Taking a path apart costs more than looking for the last slash, which is nearly always enough.
    if let Some(path) = folder.to_str()
        && let Some(name) = path.rsplit('/').next()
        && !matches!(name, "" | "." | "..")
    {
        return Some(Cow::Borrowed(name));
    }
    if let Some(Component::Normal(name)) = folder.components().next_back() {
        return Some(name.to_string_lossy());
    }
    let folder = folder.canonicalize().ok()?;
    let name = folder.file_name()?.to_string_lossy();
    Some(Cow::Owned(name.into_owned()))
}

/// What came of the skills that a path names, and what lies there and was not looked at.
pub(crate) struct Visited<T> {
    /// The answers, in the order of the folders.
    pub(crate) answers: Vec<T>,
    /// What was passed over.
    pub(crate) skipped: Vec<Skipped>,
}

/// Hands every skill that `path` names to `visit`, in parallel, and returns the answers in
/// the order of the folders.
///
/// A path that names no skill is an error, and so is a `SKILL.md` that cannot be read where there is
/// no other.
pub(crate) fn visit<T: Send>(
    path: &Path,
    visit: impl Fn(&FoundSkill<'_>) -> T + Sync,
) -> Result<Visited<T>, CommandError> {
    walk(&WALK, path, visit)
}

/// The same with nothing left out that can be looked into, whatever the tree says of itself; only
/// links that lead out of it to anything but a skill are not followed.
pub(crate) fn visit_everything<T: Send>(
    path: &Path,
    visit: impl Fn(&FoundSkill<'_>) -> T + Sync,
) -> Result<Visited<T>, CommandError> {
    let root = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let everything = SkillWalk {
        links: Links::ToSkills(root),
        scope: WalkScope::Everything,
        ..WALK
    };
    walk(&everything, path, visit)
}

fn walk<T: Send>(
    walk: &SkillWalk,
    path: &Path,
    visit: impl Fn(&FoundSkill<'_>) -> T + Sync,
) -> Result<Visited<T>, CommandError> {
    // A folder called `skill.md` is possible, and a folder all the same.
    let root = if names_skill_file(path) && !path.is_dir() {
        folder_of(path)?
    } else {
        path
    };
    let Walked {
        mut skills,
        mut skipped,
        ..
    } = walk.run(root, |found| {
        // Where the root is a skill itself it is the only one, and needs no place in an order.
        let folder = found.folder.as_os_str();
        let place = (folder != root.as_os_str()).then(|| folder.to_owned());
        (place, visit(found))
    });
    if skills.is_empty() || root != path {
        // Only now is it worth a look what the path is.
        check_path(path)?;
    }
    for refused in skipped.iter_mut().filter(|each| is_refusal(each, root)) {
        // The error says itself that it cannot be read.
        let reason = refused.reason.strip_prefix(UNREADABLE);
        let reason = reason.unwrap_or(&refused.reason).to_owned();
        if skills.is_empty() {
            return Err(CommandError::Refused {
                reason,
                path: refused.path.clone(),
            });
        }
        // It says nothing about the others, which were looked at, and perhaps mended.
        refused.reason = format!("{UNREADABLE}{reason}");
    }
    if skills.is_empty() && !skipped.iter().any(Skipped::hides) {
        return Err(CommandError::NoSkills(path.to_owned()));
    }
    skills.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(Visited {
        answers: skills.into_iter().map(|(_, answer)| answer).collect(),
        skipped,
    })
}

/// What cannot be read must be said; links and ignored folders were passed over on purpose.
fn is_refusal(skipped: &Skipped, root: &Path) -> bool {
    let unreadable = skipped.reason.starts_with(UNREADABLE);
    unreadable || skipped.path == root || skipped.path.ends_with("SKILL.md")
}

/// Whether the path is a folder, or a file that can be a skill's.
fn check_path(path: &Path) -> Result<(), CommandError> {
    let metadata = fs::metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => CommandError::NoSuchPath(path.to_owned()),
        _ => CommandError::Read {
            path: path.to_owned(),
            source,
        },
    })?;
    if !metadata.is_dir() {
        folder_of(path)?;
    }
    Ok(())
}

/// Whether the last part of `path` is called like a `SKILL.md`.
fn names_skill_file(path: &Path) -> bool {
    // Seen at the last byte, mostly: taking a path apart costs more.
    let end = path.as_os_str().as_encoded_bytes().last();
    matches!(end, Some(b'd' | b'D' | b'/' | b'.'))
        && (path.file_name().and_then(OsStr::to_str)).is_some_and(is_skill_file_name)
}

fn is_skill_file_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("skill.md")
}

/// The folder of a file that is called like a `SKILL.md`.
fn folder_of(path: &Path) -> Result<&Path, CommandError> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if !is_skill_file_name(name) {
        return Err(CommandError::NotASkillFile(path.to_owned()));
    }
    Ok(match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    })
}

/// Reads the one skill in `path`, which is its folder or its file.
pub(crate) fn read_one(path: &Path) -> Result<SkillFileOnDisk, CommandError> {
    let not_a_skill = || CommandError::NotASkill(path.to_owned());
    let found = match visit(path, SkillFileOnDisk::new) {
        Err(CommandError::NoSkills(_)) => return Err(not_a_skill()),
        other => other?.answers,
    };
    let mut found = found.into_iter();
    let one = found.next().filter(|_| found.len() == 0);
    let folder = if path.is_dir() {
        path
    } else {
        folder_of(path)?
    };
    match one {
        Some(file) if file.folder == folder => Ok(file),
        _ => Err(not_a_skill()),
    }
}

/// Refuses to hand on a skill whose file only some systems take for a `SKILL.md`.
pub(crate) fn refuse_misspelled(folder: &Path) -> Result<(), CommandError> {
    let entries = fs::read_dir(folder).map_err(|source| CommandError::Read {
        path: folder.to_owned(),
        source,
    })?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let names: Vec<OsString> = names.collect();
    match misspelled(names.iter().filter_map(|name| name.to_str())) {
        Some(name) => Err(CommandError::Misspelled(folder.join(name))),
        None => Ok(()),
    }
}

/// Reads every skill that `path` names.
pub(crate) fn read_all(path: &Path) -> Result<Visited<SkillFileOnDisk>, CommandError> {
    visit(path, SkillFileOnDisk::new)
}

/// Loads a skill leniently, with what is wrong about it.
pub(crate) fn load(
    path: &Path,
    file: &SkillFileOnDisk,
    document: &Document<'_>,
) -> Result<(Skill, Vec<Diagnostic>), CommandError> {
    let directory = file.directory();
    let subject = Subject {
        file_name: &file.file_name,
        ..Subject::new(document, directory.as_deref())
    };
    let problems = rules::check(&subject, Profile::Load);
    let reason = problems
        .iter()
        .find(|each| each.severity == Severity::Error);
    match (Skill::from_document(document, directory.as_deref()), reason) {
        (Some(skill), None) => Ok((skill, problems)),
        (_, reason) => Err(CommandError::NotLoadable {
            path: path.to_owned(),
            reason: reason.map_or_else(|| "it has no name".into(), |each| each.message.clone()),
        }),
    }
}
