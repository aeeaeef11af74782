//! What keeps places in writable folders as they are, and is gone when a run ends.

use std::fs::File;
use std::io;
use std::path::Path;
use std::rc::Rc;

use crate::backend::Backend;
use crate::backend::beneath::{Inode, Root, is_change};
use crate::backend::guard::Guard;
use crate::backend::inside::{self, Folder, Step};
use crate::backend::link::Links;
use crate::backend::note::{Note, Text};
use crate::backend::placeholder::Placeholders;
use crate::backend::watch::Watch;
use crate::command::Command;
use crate::error::SandboxError;
use crate::profile::{Access, Mount, Profile};
use crate::sandbox::Sandbox;

/// What keeps places in writable folders as they are.
#[derive(Default)]
pub(super) struct Guarded {
    /// What is to be done in the namespace of the sandbox.
    pub(super) steps: Vec<Step>,
    placeholders: Placeholders,
    pub(super) links: Links,
    /// Whether what is mounted there is still what the names mean outside.
    pub(super) watch: Watch,
    /// It goes last: until then somebody may have to do what we could not.
    note: Option<Note>,
}

impl Guarded {
    /// Looks at everything that is to be mounted. Only bubblewrap can keep single places; the
    /// others refuse such a profile or hold nothing at all.
    pub(super) fn of(
        sandbox: &Sandbox,
        profile: &Profile,
        command: &Command,
    ) -> Result<Self, SandboxError> {
        if sandbox.backend != Backend::Bubblewrap || !inside::is_needed(profile) {
            return Ok(Self::default());
        }
        let opened = profile.mounts.iter().map(|mount| {
            let failed = |source| SandboxError::Mount {
                path: mount.source.clone(),
                source,
            };
            inside::open(mount, &command.directory).map_err(failed)
        });
        let opened: Vec<File> = opened.collect::<Result<_, _>>()?;
        let mut folders = Vec::new();
        for (number, (mount, file)) in profile.mounts.iter().zip(&opened).enumerate() {
            if mount.access == Access::Write && file.metadata().is_ok_and(|found| found.is_dir()) {
                let folder = folder(profile, number, mount, file);
                folders.push(folder.map_err(|source| failed(&mount.source, source))?);
            }
        }
        let first = folders.first().map(|folder| folder.root.path());
        let first = first.unwrap_or(&command.directory);
        guarded(sandbox, profile, &opened, &folders).map_err(|source| failed(first, source))
    }
}

/// Why places cannot be protected: mostly because somebody has just changed them.
fn failed(path: &Path, source: io::Error) -> SandboxError {
    if is_change(&source) {
        let path = path.to_owned();
        return SandboxError::Changed { path, source };
    }
    SandboxError::Setup {
        action: "protect places in the workspace",
        source,
    }
}

fn folder(profile: &Profile, number: usize, mount: &Mount, opened: &File) -> io::Result<Folder> {
    Ok(Folder {
        number,
        root: Rc::new(Root::new(&mount.source, opened.try_clone()?)),
        guard: Guard::of(&mount.source, &profile.protected)?,
    })
}

fn guarded(
    sandbox: &Sandbox,
    profile: &Profile,
    opened: &[File],
    folders: &[Folder],
) -> io::Result<Guarded> {
    let mut guarded = Guarded::default();
    let mut text = Text::default();
    let missing = || {
        let each = folders.iter();
        each.flat_map(|each| each.guard.missing.iter().map(|place| (&each.root, place)))
    };
    for folder in folders.iter().filter(|folder| !folder.guard.is_empty()) {
        text.folder(&folder.root);
    }
    for (root, place) in missing() {
        text.place(root, place);
    }
    for folder in folders {
        guarded.links.note(&folder.root, &folder.guard)?;
    }
    for link in guarded.links.iter() {
        text.link(link)?;
    }
    let notes = sandbox.notes.as_ref().filter(|_| !text.is_empty());
    if let Some(notes) = notes {
        guarded.note = Some(Note::write(notes, &text)?);
    }
    for (root, place) in missing() {
        guarded.placeholders.make(root, place)?;
    }
    let opened = opened.iter().map(Inode::of);
    let opened: Vec<Inode> = opened.collect::<io::Result<_>>()?;
    let (placeholders, watch) = (&guarded.placeholders, &mut guarded.watch);
    guarded.steps = inside::steps(profile, &opened, folders, placeholders, watch)?;
    Ok(guarded)
}
