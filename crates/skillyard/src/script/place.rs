//! Where a script is: the skill, and a copy of it that is what its digest says.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillyard_agent::script::{Copy, Scratch};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, Status, builtin};
use skillyard_format::Document;
use skillyard_sandbox::UserIds;

use crate::context::Context;
use crate::error::{CommandError, RunError, UNHASHABLE_REMEDY};
use crate::library;
use crate::library::permission::Permissions;
use crate::library::skill_files::load;
use crate::library::{IndexMode, NameFilter, SkillTarget, skill_files, withheld};
use crate::scope;

/// A skill that has scripts.
#[derive(Debug)]
pub(crate) struct SkillPlace {
    /// Its name.
    pub(crate) name: String,
    /// Its folder; empty for one inside the binary.
    pub(crate) folder: PathBuf,
    /// Where it came from; `None` if it was named by its path.
    pub(crate) source: Option<SourceKind>,
    /// The fields of its frontmatter.
    pub(crate) fields: Value,
}

impl SkillPlace {
    /// The skill that a word on the command line names, and why its standing does not let it run.
    pub(crate) fn find(
        context: &Context,
        word: &OsStr,
    ) -> Result<(Self, Option<RunError>), CommandError> {
        let name = match SkillTarget::of(context, word)? {
            SkillTarget::Path(path) => return Self::wanted(context, Self::at(context, &path)?),
            SkillTarget::Name(name) => name,
        };
        let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
        let skill = library::named(context, &catalog, &name)?;
        let blocked = |reason: String, hint: &str| RunError::Blocked {
            skill: name.clone(),
            reason,
            hint: hint.to_owned(),
        };
        let obstacle = match &skill.status {
            // What its files are is looked at when they are copied, and what is revoked is refused
            // then.
            Status::Enabled | Status::Altered | Status::Revoked { .. } => None,
            Status::HeldBack { reason } => {
                Some(blocked(reason.clone(), withheld::HELD_BACK_REMEDY))
            }
            Status::Unhashable { reason } => {
                let reason = format!("its files cannot be hashed: {reason}");
                Some(blocked(reason, UNHASHABLE_REMEDY))
            }
            Status::Untrusted => {
                let reason = "it belongs to a project that you have not trusted".to_owned();
                let permissions = Permissions::load(context)?;
                let hint = permissions.trust_remedy(&skill.record.folder);
                Some(blocked(reason, &hint))
            }
            Status::Disabled { reason } => {
                Some(disabled(&Permissions::load(context)?, &name, reason))
            }
            Status::Unavailable { missing } => {
                let reason = format!(
                    "it needs commands that are not here: {}",
                    missing.join(", ").replace('|', " or ")
                );
                Some(blocked(reason, "Install them, then run the command again"))
            }
        };
        Ok((Self::of(skill), obstacle))
    }

    /// The same skill, and whether it is disabled or denied: by its path it is no other.
    fn wanted(context: &Context, skill: Self) -> Result<(Self, Option<RunError>), CommandError> {
        let permissions = Permissions::load(context)?;
        let unwanted = permissions.unwanted(&skill.name, &skill.folder);
        let obstacle = unwanted.map(|(name, reason)| disabled(&permissions, &name, &reason));
        Ok((skill, obstacle))
    }

    /// A skill of the catalog.
    pub(crate) fn of(skill: &CatalogSkill) -> Self {
        Self {
            name: skill.record.name.clone(),
            folder: match skill.kind {
                SourceKind::Builtin => PathBuf::new(),
                _ => skill.record.folder.clone(),
            },
            source: Some(skill.kind),
            fields: skill.record.fields_json(),
        }
    }

    fn at(context: &Context, path: &Path) -> Result<Self, CommandError> {
        let file = skill_files::read_one(path)?;
        let document = Document::parse(&file.bytes);
        let (skill, _) = load(&file.folder, &file, &document)?;
        Ok(Self {
            name: skill.name,
            folder: known_folder(context, &file.folder)?,
            source: None,
            fields: Value::Object(skill.frontmatter.to_json()),
        })
    }
}

/// A folder that was named by its path, as locks and projects know it.
pub(crate) fn known_folder(context: &Context, folder: &Path) -> Result<PathBuf, CommandError> {
    let whole = folder.canonicalize().map_err(|source| CommandError::Read {
        path: folder.to_owned(),
        source,
    })?;
    if scope::store(context).folder_around(&whole).is_some() {
        // The link is what a lock names, and many can lead to the same bytes.
        return Ok(context.environment.current_dir.join(folder));
    }
    Ok(whole)
}

fn disabled(permissions: &Permissions, name: &str, reason: &str) -> RunError {
    RunError::Blocked {
        skill: name.to_owned(),
        reason: format!("it is disabled: {reason}"),
        hint: permissions.disabled_remedy(name),
    }
}

/// A copy of a skill, where a sandbox can read it.
pub(crate) fn copy(
    skill: &SkillPlace,
    temporary: &Path,
    identity: Option<UserIds>,
) -> Result<Copy, CommandError> {
    let owner = identity.map(|each| (each.uid, each.gid));
    if skill.source != Some(SourceKind::Builtin) {
        return Ok(Copy::make(&skill.name, &skill.folder, temporary, owner)?);
    }
    let failed = |source| CommandError::Write {
        path: temporary.to_owned(),
        source,
    };
    let written = Scratch::make(temporary, 0o700).map_err(failed)?;
    let folder = builtin::materialise(&skill.name, written.path()).map_err(failed)?;
    Ok(Copy::make(&skill.name, &folder, temporary, owner)?)
}
