//! The shelf of an agent, from the catalog of this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skillyard_agent::session::Session;
use skillyard_agent::shelf::{Caller, Expected, Shelf, ShelfSkill, Withheld};
use skillyard_catalog::resource::{HardLinks, ReadLimits};
use skillyard_catalog::selection::Selection;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, builtin};
use skillyard_format::tokens::estimate;
use skillyard_trust::verdict::OptIn;

use super::kept::KeptSkills;
use crate::agent::{FileAccess, SessionSpec};
use crate::context::Context;
use crate::error::CommandError;
use crate::install::revoked::Revoked;
use crate::library;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter, withheld};
use crate::mcp::{Lenders, PublishedSkills};
use crate::redactor::without_userinfo;

/// The enabled skills of this machine that an agent may use.
pub(crate) fn shelf(context: &Context, wanted: &SessionSpec) -> Result<Shelf, CommandError> {
    shelf_with(context, wanted, None)
}

/// The same, with those that were kept in place of what is here now; then the skills stand in the
/// order in which they are wanted.
fn shelf_with(
    context: &Context,
    wanted: &SessionSpec,
    kept: Option<KeptSkills>,
) -> Result<Shelf, CommandError> {
    let catalog = library::load(context, IndexMode::Use, &wanted.choice)?;
    let permissions = Permissions::to_look(context)?;
    let mut skills = Vec::new();
    let mut withheld = withheld::all(&catalog, &permissions);
    // Where nobody knows what is revoked, all but our own skills are held back anyway.
    for each in Revoked::absent(context).unwrap_or_default() {
        if catalog.find(&each.name).is_none() {
            withheld.insert(each.name.clone(), absent(each));
        }
    }
    // Who asks for one that was altered is refused where it would be read, and that is recorded.
    for skill in catalog.enabled().chain(catalog.altered()) {
        let is_wanted = wanted.only.as_ref().is_none_or(|only| {
            let mut names = only.iter();
            names.any(|name| *name == *skill.record.name)
        });
        if is_wanted {
            skills.push(placed(context, &permissions, skill)?);
        } else {
            withheld.insert(skill.record.name.clone(), withheld::left_out());
        }
    }
    let config = context.config()?;
    if wanted.only.as_ref().is_some_and(Vec::is_empty) && !config.serves_skills() {
        // Who is to have no skills is not told either which there are.
        withheld.clear();
    }
    let limits = ReadLimits {
        max_bytes: config.max_resource_bytes(),
        nested: config.reads_nested_resources(),
        hard_links: HardLinks::Refuse,
        ..ReadLimits::default()
    };
    let index = context.environment.skillyard_home.join("index");
    let most = config.max_skill_md_bytes();
    let mut installed: BTreeMap<String, Expected> = skills
        .iter()
        .filter_map(|each: &ShelfSkill| {
            let (name, folder) = (&each.skill.record.name, &each.skill.record.folder);
            let digests = permissions.expected(name, folder)?;
            let remedy = permissions.remedy(name, folder);
            Some((name.clone(), Expected { digests, remedy }))
        })
        .collect();
    let (mut folder, mut editions) = (None, BTreeMap::new());
    if let Some(mut kept) = kept {
        for each in &skills {
            kept.beside(each);
        }
        let is_kept = |each: &ShelfSkill| kept.editions.contains_key(&*each.skill.record.name);
        skills.retain(|each| !is_kept(each));
        skills.extend(kept.first());
        folder = Some(kept.folder);
        installed.extend(kept.editions.iter().map(|(name, editions)| {
            let digests = editions.iter().map(|each| each.digest).collect();
            // Nobody but this reading has them.
            let remedy = String::new();
            (name.clone(), Expected { digests, remedy })
        }));
        editions = kept.editions;
    }
    let published = match &wanted.lent_before {
        Some(before) => Some(before.clone()),
        None if wanted.lenders.configured.is_empty() => None,
        None => Some(PublishedSkills::list(context, &wanted.lenders)),
    };
    if let Some(published) = &published {
        let selection = match &wanted.lent_before {
            // What a session had is what it is made again with.
            Some(_) => Selection::default(),
            None => library::selection(&config, &wanted.choice)?,
        };
        for mut each in published.shelved(&permissions, &selection) {
            let name = &each.skill.record.name;
            if wanted.lent_before.is_none()
                && let Some(revoked) = published.revoked(&permissions, name)
            {
                each.skill.status = revoked;
            }
            match withheld::of(&each.skill, &permissions) {
                Some(why) => {
                    withheld.insert(each.skill.record.name.clone(), why);
                }
                None => skills.push(each),
            }
        }
    }
    if let Some(only) = wanted.only.as_ref().filter(|_| folder.is_some()) {
        skills.sort_by_key(|each| {
            only.iter()
                .position(|name| *name == *each.skill.record.name)
        });
    }
    let mut shelf = Shelf::new(skills, Some(&index), limits)
        .with_instruction_bytes(most)
        .with_installed(installed)
        .with_editions(editions)
        .with_withheld(withheld);
    if let Some(published) = published {
        shelf = shelf.with_published(Box::new(published));
    }
    Ok(match folder {
        Some(folder) => shelf.with_folder(folder),
        None => shelf,
    })
}

/// The skills that a session was told of, as they were then: those of the store by the digests
/// that it names, those of MCP servers as they were listed, and the others as they are now in the
/// folder where it began.
pub(crate) fn shelf_of(context: &Context, session: &Session) -> Result<Shelf, CommandError> {
    let context = &context.in_folder(Path::new(&session.workspace));
    let wanted = SessionSpec {
        choice: NameFilter::default(),
        only: Some(session.prompt.skills.clone()),
        opt_in: OptIn::No,
        lenders: Lenders::default(),
        lent_before: Some(PublishedSkills::remembered(context, session)),
        files: FileAccess::None,
    };
    shelf_with(context, &wanted, Some(KeptSkills::of(context, session)?))
}

/// About how many tokens a session has for a skill once it is activated without arguments.
pub(crate) fn activation_tokens(
    context: &Context,
    permissions: &Permissions,
    skill: &CatalogSkill,
) -> Option<usize> {
    let placed = placed(context, permissions, skill).ok()?;
    let most = context.config().ok()?.max_skill_md_bytes();
    let shelf = Shelf::new(vec![placed], None, ReadLimits::default()).with_instruction_bytes(most);
    let load = |caller| shelf.load(&skill.record.name, "", caller).ok();
    let loaded = load(Caller::User).or_else(|| load(Caller::Model))?;
    Some(estimate(&loaded.text))
}

/// The folder of a skill; one inside the binary is written out.
pub(crate) fn folder_of(context: &Context, skill: &CatalogSkill) -> Result<PathBuf, CommandError> {
    if skill.kind != SourceKind::Builtin {
        return Ok(skill.record.folder.clone());
    }
    let folder = context.environment.skillyard_home.join("builtin");
    builtin::materialise(&skill.record.name, &folder).map_err(|source| CommandError::Write {
        path: folder.clone(),
        source,
    })
}

fn placed(
    context: &Context,
    permissions: &Permissions,
    skill: &CatalogSkill,
) -> Result<ShelfSkill, CommandError> {
    let folder = folder_of(context, skill)?;
    let mut provenance = permissions.provenance(skill);
    let tier = permissions.verdict(&provenance).tier;
    let address = provenance.url.take();
    provenance.url = address.map(|url| without_userinfo(&url).into_owned());
    Ok(ShelfSkill::at(folder, skill, &provenance, tier))
}

/// What keeps a skill that is locked and in no folder.
fn absent(revoked: Revoked) -> Withheld {
    Withheld {
        reason: revoked.reason,
        detail: None,
        remedy: Some(revoked.hint),
    }
}
