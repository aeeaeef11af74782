//! The skills of a session as they were: their bytes come from the store, by the digests that the
//! session names, so that an update or a removal does not keep it from being made again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use skillyard_agent::message::{Message, UserPart};
use skillyard_agent::session::Session;
use skillyard_agent::shelf::{Edition, InstalledSkill, ShelfSkill};
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::{Catalog, CatalogSettings, CatalogSkill, Status};
use skillyard_format::Digest;
use skillyard_install::tree::WriteAccess;
use tempfile::TempDir;

use crate::context::Context;
use crate::error::CommandError;
use crate::scope;

/// Skills out of the store, in a folder of their own.
pub(crate) struct KeptSkills {
    /// All editions of each, the first as the session was told of it.
    pub(super) editions: BTreeMap<String, Vec<Edition>>,
    /// Names of skills that became active as something that the store does not have.
    pub(super) elsewhere: BTreeSet<String>,
    /// Where their files are.
    pub(super) folder: TempDir,
}

impl KeptSkills {
    /// Those that a session was told of and that the store has.
    pub(super) fn of(context: &Context, session: &Session) -> Result<Self, CommandError> {
        let folder = tempfile::tempdir_in(&context.environment.temporary)?;
        let store = scope::store(context);
        let mut kept = Self {
            editions: BTreeMap::new(),
            elsewhere: BTreeSet::new(),
            folder,
        };
        // The editions of one name lie in folders of their own.
        let mut layers: Vec<BTreeMap<&str, Digest>> = Vec::new();
        for (name, then) in &session.prompt.installed {
            let mut found = 0;
            for digest in had(session, name, then.digest) {
                // What the store does not have is looked for on disk.
                let Ok(tree) = store.read(digest) else {
                    if digest != then.digest {
                        kept.elsewhere.insert(name.clone());
                    }
                    continue;
                };
                if layers.len() == found {
                    layers.push(BTreeMap::new());
                    std::fs::create_dir(kept.layer(found))?;
                }
                let written = tree.write(&kept.layer(found).join(name), WriteAccess::Editable);
                written.map_err(io::Error::other)?;
                layers[found].insert(name, digest);
                found += 1;
            }
        }
        for (number, layer) in layers.iter().enumerate() {
            kept.take(&kept.layer(number), layer, session);
        }
        Ok(kept)
    }

    /// Takes what lies on disk for one more edition, where the store does not have all of them.
    pub(super) fn beside(&mut self, here: &ShelfSkill) {
        let name = &*here.skill.record.name;
        let editions = self.editions.get_mut(name);
        let editions = editions.filter(|_| self.elsewhere.contains(name));
        let now = || digest(&SkillRoot::open(&here.folder).ok()?).ok();
        if let Some((editions, digest)) = editions.and_then(|all| Some((all, now()?)))
            && editions.iter().all(|each| each.digest != digest)
        {
            let skill = here.clone();
            editions.push(Edition { digest, skill });
        }
    }

    /// The first edition of each.
    pub(super) fn first(&self) -> impl Iterator<Item = ShelfSkill> {
        let first = self
            .editions
            .values()
            .filter_map(|editions| editions.first());
        first.map(|edition| edition.skill.clone())
    }

    /// The folder of the first editions, or of the second.
    fn layer(&self, number: usize) -> PathBuf {
        self.folder.path().join(number.to_string())
    }

    /// Takes the editions that lie in a folder.
    fn take(&mut self, folder: &Path, digests: &BTreeMap<&str, Digest>, session: &Session) {
        let catalog = Catalog::load(&CatalogSettings {
            surroundings: Surroundings {
                current: folder.to_owned(),
                extra: vec![folder.to_owned()],
                ..Surroundings::default()
            },
            ..CatalogSettings::default()
        });
        // Whether its commands are here now does not matter any more.
        for skill in catalog.skills {
            let name = skill.record.folder.file_name().and_then(OsStr::to_str);
            let name = name.map(str::to_owned).unwrap_or_default();
            let then = session.prompt.installed.get(&name);
            if let (Some(then), Some(digest)) = (then, digests.get(&*name)) {
                let (digest, skill) = (*digest, shelved(skill, then));
                let editions = self.editions.entry(name).or_default();
                editions.push(Edition { digest, skill });
            }
        }
    }
}

/// What a session had of a skill: what it was told of, and each that it loaded.
fn had(session: &Session, name: &str, told: Digest) -> Vec<Digest> {
    let mut all = vec![told];
    let named = session.messages.iter().flat_map(|message| match message {
        Message::User { parts } => &parts[..],
        _ => &[],
    });
    let named = named.filter_map(|part| match part {
        UserPart::Skill {
            name: each, digest, ..
        } if each == name => digest.parse().ok(),
        _ => None,
    });
    let later = session.state.editions.get(name).into_iter().flatten();
    let activated = session.state.activated.iter();
    let activated = activated.filter(|each| each.name == name);
    let activated = activated.filter_map(|each| each.digest.parse().ok());
    for digest in named.chain(later.copied()).chain(activated) {
        if !all.contains(&digest) {
            all.push(digest);
        }
    }
    all
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
