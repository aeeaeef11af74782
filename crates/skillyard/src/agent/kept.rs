//! The skills of a session as they were: their bytes come from the store, by the digests that the
//! session names, so that an update or a removal does not keep it from being made again.

use std::collections::BTreeMap;
use std::io;

use skillyard_agent::session::Session;
use skillyard_agent::shelf::{InstalledSkill, ShelfSkill};
use skillyard_catalog::source::Surroundings;
use skillyard_catalog::{Catalog, CatalogSkill, Settings, Status};
use skillyard_format::Digest;
use skillyard_install::tree::Access;
use tempfile::TempDir;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::place;

/// Skills out of the store, in a folder of their own.
pub(crate) struct KeptSkills {
    /// The skills.
    pub(super) skills: Vec<ShelfSkill>,
    /// What each consists of.
    pub(super) digests: BTreeMap<String, Vec<Digest>>,
    /// Where their files are.
    pub(super) folder: TempDir,
}

impl KeptSkills {
    /// Those that a session was told of and that the store has.
    pub(super) fn of(context: &Context, session: &Session) -> Result<Self, CommandError> {
        let folder = tempfile::tempdir_in(&context.environment.temporary)?;
        let store = place::store(context);
        let mut digests = BTreeMap::new();
        for (name, then) in &session.prompt.installed {
            let digest = loaded(session, name).unwrap_or(then.digest);
            // What the store does not have is looked for on disk.
            if let Ok(tree) = store.read(digest) {
                let written = tree.write(&folder.path().join(name), Access::Editable);
                written.map_err(io::Error::other)?;
                digests.insert(name.clone(), vec![digest]);
            }
        }
        let catalog = Catalog::load(&Settings {
            surroundings: Surroundings {
                current: folder.path().to_owned(),
                extra: vec![folder.path().to_owned()],
                ..Surroundings::default()
            },
            ..Settings::default()
        });
        // Whether its commands are here now does not matter any more.
        let skills = catalog.skills.iter().filter_map(|skill| {
            let name = skill.record.folder.file_name()?.to_str()?;
            let then = session.prompt.installed.get(name)?;
            Some(shelved(skill.clone(), then))
        });
        Ok(Self {
            skills: skills.collect(),
            digests,
            folder,
        })
    }
}

/// What a session had of a skill when it loaded it last.
fn loaded(session: &Session, name: &str) -> Option<Digest> {
    let mut activated = session.state.activated.iter();
    let found = activated.find(|each| each.name == name)?;
    found.digest.parse().ok()
}

fn shelved(mut skill: CatalogSkill, then: &InstalledSkill) -> ShelfSkill {
    if then.altered {
        skill.status = Status::Altered;
    }
    ShelfSkill {
        folder: skill.record.folder.clone(),
        directory: then.directory.clone(),
        origin: then.origin.clone(),
        tier: then.tier.clone(),
        author: then.author,
        skill,
    }
}
