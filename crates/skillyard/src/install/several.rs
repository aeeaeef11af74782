//! Skills of several sources, or many of one.

use std::collections::{BTreeMap, BTreeSet};

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::lockfile::Lockfile;
use skillyard_install::reference::Reference;

use super::pick::Pick;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::source_resolver::SourceResolver;
use crate::text::sanitize::visible;

/// Chooses from all sources. A name that is said of several must be in one of them.
pub(crate) fn chosen(
    supply: &mut SourceResolver<'_>,
    sources: &[Reference],
    pick: &Pick,
) -> Result<Vec<Candidate>, CommandError> {
    supply.expect(sources);
    let mut roots = Vec::new();
    let mut absent: BTreeMap<String, Vec<CommandError>> = BTreeMap::new();
    for source in sources {
        let mut pick = Some(pick.clone());
        while let Some(wanted) = &pick {
            match supply.candidates(source, wanted) {
                Ok(found) => {
                    roots.extend(found);
                    break;
                }
                Err(CommandError::Install(InstallFailure::RegistryAnswer(
                    error @ RegistryError::Withdrawn { .. },
                ))) => {
                    // Who has a version already goes on having it.
                    let pinned = match &error {
                        RegistryError::Withdrawn { version, .. } => {
                            supply.pinned(source, version)?
                        }
                        _ => None,
                    };
                    let Some(found) = pinned else {
                        return Err(InstallFailure::from(error).into());
                    };
                    roots.push(found);
                    break;
                }
                Err(error) => {
                    // A name of the source itself is asked of nobody else.
                    let name = match &error {
                        CommandError::Install(InstallFailure::NotOffered { name, .. })
                            if wanted.says(name) =>
                        {
                            name.clone()
                        }
                        _ => return Err(supply.misplaced(source, error)),
                    };
                    pick = wanted.without(&name);
                    absent.entry(name).or_default().push(error);
                }
            }
        }
    }
    let nowhere = |errors: Vec<CommandError>| {
        let is_nowhere = errors.len() == sources.len();
        errors.into_iter().next().filter(|_| is_nowhere)
    };
    match absent.into_values().find_map(nowhere) {
        Some(error) => Err(error),
        None => Ok(roots),
    }
}

/// Of several skills of one name only one can be installed; all of them are told at once.
pub(crate) fn same_names(roots: &[Candidate]) -> Result<(), InstallFailure> {
    let mut of_name: BTreeMap<&str, Vec<&Candidate>> = BTreeMap::new();
    for root in roots {
        let same = of_name.entry(&root.name).or_default();
        if same
            .iter()
            .all(|other| other.tree.digest() != root.tree.digest())
        {
            same.push(root);
        }
    }
    let folder = |root: &&Candidate| match root.path.as_str() {
        "" => root.source.clone(),
        path => path.to_owned(),
    };
    let several = of_name.into_iter().filter(|(_, same)| same.len() > 1);
    let several: Vec<(String, Vec<String>)> = several
        .map(|(name, same)| (name.to_owned(), same.iter().map(folder).collect()))
        .collect();
    if several.is_empty() {
        return Ok(());
    }
    Err(InstallFailure::SameNames(several))
}

/// Says of skills that were left out and come along all the same who needs them.
pub(crate) fn tell_of_needed(context: &Context, except: &[String], needed: &[Needed]) {
    for each in needed.iter().filter(|each| each.dependency) {
        let Candidate { name, path, .. } = &each.candidate;
        let is_meant = |word: &String| {
            let word = word.trim_start_matches("./").trim_end_matches('/');
            word == name || word == path
        };
        let needs = |other: &&Needed| other.requires.iter().any(|it| it.name == *name);
        if let Some(by) = needed.iter().find(needs)
            && except.iter().any(is_meant)
        {
            let by = &by.candidate.name;
            let note = format!("`{name}` was left out, and comes along: `{by}` needs it");
            context.printer.note(&visible(&note));
        }
    }
}

/// Tells of new skills whose names only differ in case from those of others: where the file system
/// knows no case, only one of them can be there.
pub(crate) fn tell_of_alike(context: &Context, lock: &Lockfile, needed: &[Needed]) {
    let installed = lock.skills().iter().map(|entry| entry.name.as_str());
    let wanted = needed.iter().map(|each| each.candidate.name.as_str());
    let mut of_name: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in installed.chain(wanted) {
        of_name.entry(name.to_lowercase()).or_default().insert(name);
    }
    let is_new = |name: &&str| lock.get(name).is_none();
    let alike = of_name.into_values();
    for names in alike.filter(|names| names.len() > 1 && names.iter().any(is_new)) {
        let names: Vec<&str> = names.into_iter().collect();
        let note = format!(
            "`{}` are one name on systems that know no case (macOS, Windows), and cannot be installed there together; `--name` gives one of them another",
            names.join("`, `")
        );
        context.printer.warn(&note);
    }
}
