//! The skills of given folders that a prompt is to hold.
//!
//! What the catalog would keep from a model is kept from it here, too, and whoever named the folder
//! is told so; the reference implementation takes everything that is not disabled, denied or revoked.

use std::path::{Path, PathBuf};

use skillyard_catalog::Status;
use skillyard_catalog::prompt::Room;
use skillyard_catalog::requires::Commands;
use skillyard_catalog::search::{Detail, Hit, Index, Options, SearchDocument};
use skillyard_format::render::catalog::CatalogEntry;
use skillyard_format::{Document, Skill, reference};

use super::PromptSkills;
use crate::commands::prompt::{PromptArgs, PromptFormat};
use crate::context::Context;
use crate::error::CommandError;
use crate::library;
use crate::library::permission::Permissions;
use crate::library::skill_files;
use crate::library::skill_files::{SkillFileOnDisk, load};
use crate::report::for_people;
use crate::text::sanitize::visible;

/// The skills of the given folders; they are made to fit only when a budget is given.
pub(super) fn from_paths(
    context: &Context,
    args: &PromptArgs,
    format: PromptFormat,
) -> Result<PromptSkills, CommandError> {
    let chosen = args.choice.filter()?;
    let mut paths = Paths {
        context,
        args,
        format,
        commands: Commands::new(context.environment.path.clone()),
        permissions: Permissions::load(context)?,
        found: Vec::new(),
    };
    for path in &args.paths {
        paths.add(path)?;
    }
    let all = paths.found.into_iter().map(|(_, entry)| entry);
    let all: Vec<CatalogEntry> = all.filter(|entry| chosen(&entry.name)).collect();
    let room = match args.budget {
        Some(tokens) => Some(Room {
            tokens,
            skills: context.config()?.max_skills(),
        }),
        None => None,
    };
    let task = args.task.as_ref();
    let hits = task.map(|task| ranked(&all, task, args.detail()));
    let hits = hits.unwrap_or_default();
    Ok(PromptSkills::new(all, &hits, room, format.into()))
}

/// The skills that fit a task, the best first.
fn ranked(all: &[CatalogEntry], task: &str, detail: Detail) -> Vec<Hit> {
    let index = Index::build(all.iter().map(|entry| SearchDocument {
        id: entry.name.as_str().into(),
        name: entry.name.as_str().into(),
        description: entry.description.as_str().into(),
        ..SearchDocument::default()
    }));
    let options = Options {
        limit: all.len(),
        detail,
        ..Options::default()
    };
    index.search(task, &options)
}

struct Paths<'a> {
    context: &'a Context,
    args: &'a PromptArgs,
    format: PromptFormat,
    commands: Commands,
    permissions: Permissions,
    /// The skills so far, with their folders.
    found: Vec<(PathBuf, CatalogEntry)>,
}

impl Paths<'_> {
    /// Adds every skill that `path` names, in order of their folders.
    fn add(&mut self, path: &Path) -> Result<(), CommandError> {
        if self.format == PromptFormat::SkillsRef {
            let (folder, entry) = self.reference_entry(path)?;
            let against = self.permissions.selection.reason_against(&entry.name);
            match against.or_else(|| self.revoked(&folder)) {
                Some(reason) => self.left_out(&folder, &reason),
                None => self.found.push((folder, entry)),
            }
            return Ok(());
        }
        let visited = skill_files::read_all(path)?;
        // Nobody looks for skills in what git keeps.
        let skipped = visited.skipped.iter();
        for skipped in skipped.filter(|skipped| !skipped.path.ends_with(".git")) {
            self.left_out(&skipped.path, &skipped.reason);
        }
        let only = visited.answers.len() == 1;
        for file in &visited.answers {
            let document = Document::parse(&file.bytes);
            match load(&file.folder, file, &document) {
                Ok((skill, _)) => self.offer(path, file, &skill),
                Err(error) if only => return Err(error),
                Err(CommandError::NotLoadable { path, reason }) => {
                    self.left_out(&path, &for_people(&reason));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Adds a skill, unless something keeps it from models.
    fn offer(&mut self, path: &Path, file: &SkillFileOnDisk, skill: &Skill) {
        let folder = &file.folder;
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let mut same = self.found.iter();
        let same = same.find(|(_, entry)| entry.name == skill.name);
        let unwanted = self.permissions.selection.reason_against(&skill.name);
        let revoked = self.revoked(folder);
        let reason = match same {
            // Named twice, it is there once.
            Some((known, _)) if *known == whole => return,
            Some((known, _)) => Some(format!("`{}` has the same name", known.display())),
            None if !skill.is_model_invocable() => {
                Some("`disable-model-invocation` keeps it from models".to_owned())
            }
            None if unwanted.is_some() => unwanted,
            None => {
                let unsound = self.permissions.unsound(&skill.name, folder);
                let missing = self.commands.missing(&skill.requires());
                let status = (!missing.is_empty()).then_some(Status::Unavailable { missing });
                let unhashable = || {
                    let reason = library::check_unhashable(folder).err()?.whole();
                    Some(Status::Unhashable { reason })
                };
                let status = || status.or_else(unhashable)?.reason();
                let unsound = unsound.and_then(|status| status.reason());
                unsound.or(revoked).or_else(status)
            }
        };
        if let Some(reason) = reason {
            self.left_out(folder, &reason);
            return;
        }
        let entry = CatalogEntry {
            location: self.location(path, file),
            name: skill.name.clone(),
            description: skill.offer().into_owned(),
        };
        self.found.push((whole, entry));
    }

    fn revoked(&self, folder: &Path) -> Option<String> {
        let reason = self.permissions.revoked(None, folder)?;
        Some(format!("it is revoked: {reason}"))
    }

    /// The entry as the reference implementation makes it; its errors are ours.
    fn reference_entry(&self, path: &Path) -> Result<(PathBuf, CatalogEntry), CommandError> {
        let file: SkillFileOnDisk = match skill_files::read_one(path) {
            Err(CommandError::NotASkill(path) | CommandError::NotASkillFile(path)) => {
                let path = path.canonicalize().unwrap_or(path);
                return Err(CommandError::Reference(format!(
                    "SKILL.md not found in {}",
                    path.display()
                )));
            }
            other => other?,
        };
        let document = Document::parse(&file.bytes);
        let properties =
            reference::read_properties(&document.text).map_err(CommandError::Reference)?;
        let entry = CatalogEntry {
            location: self.location(path, &file),
            name: properties.name,
            description: properties.description,
        };
        Ok((file.folder, entry))
    }

    /// Where a model finds a skill; in a mount it lies as it does below the folder that was named.
    fn location(&self, path: &Path, file: &SkillFileOnDisk) -> Option<String> {
        let folder = &file.folder;
        self.args
            .location(self.format, folder, &file.file_name, || {
                match folder.strip_prefix(path) {
                    Ok(below) if below != Path::new("") => below.to_string_lossy().into_owned(),
                    _ => file.directory().unwrap_or_default().into_owned(),
                }
            })
    }

    fn left_out(&self, path: &Path, reason: &str) {
        self.context.printer.note(&format!(
            "left out {}: {}",
            visible(&path.to_string_lossy()),
            visible(reason)
        ));
    }
}
