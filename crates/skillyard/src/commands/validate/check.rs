//! The checking of what one path names.

use std::path::{Path, PathBuf};

use skillyard_catalog::walk::{FoundSkill, Skipped};
use skillyard_format::rules::{self, Profile as RuleProfile, Subject};
use skillyard_format::{Document, fix, reference};

use super::Profile;
use super::delivery::Delivery;
use crate::commands::validate::ValidateArgs;
use crate::commands::validate::mend::FixScope;
use crate::error;
use crate::error::CommandError;
use crate::library::skill_files;
use crate::library::skill_files::{FolderListing, directory_name};
use crate::report::{Checked, NOT_CHECKED, NOT_LOOKED_INTO};

/// Checks every skill that `path` names, in order of their folders.
pub(super) fn check_path(
    path: &Path,
    args: &ValidateArgs,
    delivery: &Delivery<'_>,
    reach: Option<&FixScope<'_>>,
    checked: &mut Vec<Checked>,
    passed: &mut Vec<Skipped>,
) -> Result<(), CommandError> {
    match skill_files::visit(path, |found| check_file(found, args, delivery, reach)) {
        Ok(visited) => {
            checked.extend(visited.answers);
            // Whatever is in there, nobody has seen that it is valid.
            let (hidden, chosen): (Vec<Skipped>, Vec<Skipped>) =
                visited.skipped.into_iter().partition(Skipped::hides);
            // Nobody looks for skills in what git keeps.
            let chosen = chosen.into_iter();
            passed.extend(chosen.filter(|each| !each.path.ends_with(".git")));
            checked.extend(hidden.into_iter().map(|each| {
                let message = format!("it was not looked into: {}", each.reason);
                unchecked(each.path, NOT_LOOKED_INTO, message)
            }));
        }
        // What is wrong with one path must not hide what came of the others.
        Err(error) if args.paths.len() > 1 && args.profile != Profile::SkillsRef => {
            let message = error.to_string();
            checked.push(unchecked(path.to_owned(), NOT_CHECKED, message));
        }
        Err(error) => checked.push(reference_without_file(path, args.profile, error)?),
    }
    Ok(())
}

/// What nobody could look into, and why.
fn unchecked(path: PathBuf, code: &'static str, message: String) -> Checked {
    let is_file = path.ends_with("SKILL.md") || code == NOT_CHECKED;
    let help = error::remedy(&path);
    let file = is_file.then(|| path.clone());
    let mut unchecked = Checked::from_messages(path, file, vec![message]);
    for diagnostic in &mut unchecked.diagnostics {
        diagnostic.code = code;
        diagnostic.help.clone_from(&help);
    }
    unchecked
}

/// The reference validator calls a folder without a `SKILL.md` invalid, and a file too.
fn reference_without_file(
    path: &Path,
    profile: Profile,
    error: CommandError,
) -> Result<Checked, CommandError> {
    if profile != Profile::SkillsRef {
        return Err(error);
    }
    let message = match error {
        CommandError::NoSkills(_) => "Missing required file: SKILL.md".to_owned(),
        CommandError::NotASkillFile(path) => format!("Not a directory: {}", path.display()),
        other => return Err(other),
    };
    Ok(Checked::from_messages(
        path.to_owned(),
        Some(PathBuf::from("SKILL.md")),
        vec![message],
    ))
}

fn check_file(
    found: &FoundSkill<'_>,
    args: &ValidateArgs,
    delivery: &Delivery<'_>,
    reach: Option<&FixScope<'_>>,
) -> Checked {
    let directory = directory_name(found.folder);
    let file = || found.folder.join(found.file_name);
    // One that cannot be written says nothing about the others.
    let mended = reach.map(|reach| reach.mend(found, &file(), directory.as_deref()));
    let (fixed, unwritten) = match mended {
        None => (None, None),
        Some(Ok(fixed)) => (fixed, None),
        Some(Err(why)) => (None, Some(why)),
    };
    let file = (found.file_name != "SKILL.md").then(file);
    let (bytes, count) = match &fixed {
        Some(fixed) => (fixed.text.as_bytes(), fixed.count),
        None => (found.bytes, 0),
    };
    let mut checked = if args.profile == Profile::SkillsRef {
        let messages = reference_messages(bytes, found.file_name, directory.as_deref());
        Checked::from_messages(found.folder.to_owned(), file, messages)
    } else {
        let document = Document::parse(bytes);
        let rules = match args.profile {
            Profile::Strict => RuleProfile::Strict,
            Profile::Load => RuleProfile::Load,
            Profile::Spec | Profile::SkillsRef => RuleProfile::Spec,
        };
        let listing = (rules != RuleProfile::Load).then(|| FolderListing::of(found.folder));
        let subject = Subject {
            document: &document,
            file_name: found.file_name,
            directory: directory.as_deref(),
            files: listing.as_ref().map(|listing| &*listing.files),
        };
        let mut diagnostics = rules::check(&subject, rules);
        if let Some(listing) = &listing {
            diagnostics.extend(delivery.check(found.folder, rules));
            let holds_repository = listing.may_hold_repository();
            delivery
                .linking
                .note(found.folder, &document, holds_repository);
        }
        // A repair may make room for another, so what `--fix` would do is found by doing it.
        let fixable = if diagnostics.iter().any(|each| !each.fix.is_empty()) {
            fix::fix(bytes, found.file_name, directory.as_deref()).map_or(0, |fixed| fixed.count)
        } else {
            0
        };
        let name = document
            .mapping()
            .and_then(|fields| fields.get("name")?.value.as_str());
        Checked {
            folder: found.folder.to_owned(),
            file,
            name: name.map(str::to_owned),
            text: if diagnostics.is_empty() {
                String::new()
            } else {
                document.text.into_owned()
            },
            diagnostics,
            fixable,
            fixed: 0,
        }
    };
    checked.fixed = count;
    if let Some(why) = unwritten {
        checked.fixable = 0;
        checked.diagnostics.push(why);
    }
    checked
}

fn reference_messages(bytes: &[u8], file_name: &str, directory: Option<&str>) -> Vec<String> {
    if !matches!(file_name, "SKILL.md" | "skill.md") {
        return vec!["Missing required file: SKILL.md".to_owned()];
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => reference::validate(text, directory.unwrap_or_default()),
        // The reference crashes here.
        Err(error) => vec![format!("SKILL.md is not UTF-8: {error}")],
    }
}
