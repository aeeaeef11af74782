//! Skills that MCP servers publish, on the shelf of an agent.
//!
//! They are kept outside every folder in which skills are looked for, under their server's name
//! and the digest of what it listed, and compared with that list each time they are needed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skillyard_agent::mcp_client::{McpLimits, PublishedSkill, Servers};
use skillyard_agent::session::Session;
use skillyard_agent::shelf::{Author, Published, ShelfSkill};
use skillyard_catalog::record::Record;
use skillyard_catalog::selection::Selection;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::walk::Stamp;
use skillyard_catalog::{CatalogSkill, Status, private_dir};
use skillyard_format::Digest;
use skillyard_format::skill::switch;
use skillyard_install::tree::{Tree, TreeFile, TreeLimits, WriteAccess};
use skillyard_trust::provenance::{Origin, Provenance};

use super::Lenders;
use crate::context::Context;
use crate::library::permission::Permissions;
use crate::text::sanitize::visible;

/// The file that keeps what a server listed.
const ENTRY: &str = "entry.json";

/// The skills of servers, and where their files go.
#[derive(Clone)]
pub(crate) struct PublishedSkills {
    servers: Arc<Servers>,
    folder: PathBuf,
    skills: BTreeMap<String, PublishedSkill>,
}

impl std::fmt::Debug for PublishedSkills {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.skills.keys()).finish()
    }
}

impl PublishedSkills {
    /// What the servers publish, which were started before.
    pub(crate) fn list(context: &Context, lenders: &Lenders) -> Self {
        let mut skills = BTreeMap::new();
        let folder = self::folder(context);
        for lent in &lenders.lent {
            for skill in &lent.skills.skills {
                remember(&folder, skill);
                skills.insert(skill.qualified_name(), skill.clone());
            }
            for rejected in &lent.skills.rejected {
                context.printer.detail(&format!(
                    "passed over `{}` of MCP server `{}`: {}",
                    visible(&rejected.uri),
                    lent.server,
                    visible(&rejected.reason)
                ));
            }
        }
        Self {
            servers: Arc::clone(&lenders.servers),
            folder,
            skills,
        }
    }

    /// What a session was told of, without asking a server: for a replay.
    pub(crate) fn remembered(context: &Context, session: &Session) -> Self {
        let folder = self::folder(context);
        let prompt = &session.prompt;
        let mut skills = BTreeMap::new();
        for name in &prompt.skills {
            let Some((server, _)) = name.split_once(':') else {
                continue;
            };
            let mut loaded = session.state.activated.iter();
            let loaded = loaded.find(|each| each.name == *name);
            let is_it = |skill: &PublishedSkill| match prompt.published.get(name) {
                Some(then) => mark(skill) == *then,
                // Older sessions know only what they loaded.
                None => loaded.is_none_or(|then| {
                    let tree = Tree::read(&place(&folder, skill), &TreeLimits::default());
                    tree.is_ok_and(|tree| tree.digest().to_string() == then.digest)
                }),
            };
            let found = recalled(&folder, server)
                .into_iter()
                .find(|skill| skill.qualified_name() == *name && is_it(skill));
            skills.extend(found.map(|skill| (name.clone(), skill)));
        }
        Self {
            servers: Arc::default(),
            folder,
            skills,
        }
    }

    /// A skill of a server as it was last loaded, for who wants to approve it.
    pub(crate) fn loaded(context: &Context, name: &str) -> Option<CatalogSkill> {
        let (server, _) = name.split_once(':')?;
        let folder = self::folder(context);
        let mut skills = recalled(&folder, server).into_iter();
        let skill = skills.find(|skill| {
            skill.qualified_name() == name && is_intact(skill, &place(&folder, skill))
        })?;
        let published = Self {
            servers: Arc::default(),
            folder,
            skills: BTreeMap::from([(name.to_owned(), skill)]),
        };
        let skill = published.skills.get(name)?;
        Some(published.catalogued(name, skill, &Selection::default()))
    }

    /// Keeps what is revoked from who is new; a session that had it is made again with it.
    pub(crate) fn revoked(&self, permissions: &Permissions, name: &str) -> Option<Status> {
        let reason = permissions.revoked_elsewhere(self.skills.get(name)?)?;
        Some(Status::Revoked { reason })
    }

    /// The skills for a shelf, some of which may not be wanted; no file of them has been read.
    pub(crate) fn shelved(
        &self,
        permissions: &Permissions,
        selection: &Selection,
    ) -> Vec<ShelfSkill> {
        let provenance = Provenance::of(Origin::Mcp);
        let tier = permissions.verdict(&provenance).tier.as_str();
        let skills = self.skills.iter().map(|(name, skill)| ShelfSkill {
            skill: self.catalogued(name, skill, selection),
            folder: self.place(skill),
            directory: format!("skill:{name}"),
            origin: format!("the MCP server `{}`, {}", skill.server, skill.uri),
            tier: tier.to_owned(),
            author: Author::ThirdParty,
        });
        skills.collect()
    }

    fn catalogued(
        &self,
        name: &str,
        skill: &PublishedSkill,
        selection: &Selection,
    ) -> CatalogSkill {
        CatalogSkill {
            record: Box::new(self.record(name, skill)),
            source: usize::MAX,
            kind: SourceKind::Mcp,
            status: match selection.reason_against(name) {
                Some(reason) => Status::Disabled { reason },
                None => Status::Enabled,
            },
        }
    }

    fn record(&self, name: &str, skill: &PublishedSkill) -> Record {
        let size = skill.manifest.files.get("SKILL.md").map(|file| file.size);
        let mut fields = skill.frontmatter.clone();
        fields.retain(|key, _| !matches!(key.as_str(), "name" | "description"));
        let is_false =
            |value: &serde_json::Value| switch(&value.to_string().replace('"', "")) == Some(false);
        let description = skill.offer().into_owned();
        let user_invocable = !fields.get("user-invocable").is_some_and(is_false);
        Record {
            folder: self.place(skill),
            file_name: "SKILL.md".to_owned(),
            stamp: Stamp {
                modified: 0,
                changed: 0,
                size: size.unwrap_or_default(),
                inode: 0,
            },
            name: name.to_owned(),
            description,
            model_invocable: skill.is_model_invocable(),
            user_invocable,
            fields: serde_json::Value::Object(fields).to_string(),
            requires: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn place(&self, skill: &PublishedSkill) -> PathBuf {
        place(&self.folder, skill)
    }

    fn fetch(&self, skill: &PublishedSkill, place: &Path) -> Result<(), String> {
        let told = |error: &dyn std::error::Error| error.to_string();
        let files = self.servers.fetch(skill, &AtomicBool::new(false));
        let files = files.map_err(|error| told(&error))?;
        let files = files.into_iter().map(|(file, bytes)| TreeFile {
            path: file.path,
            executable: false,
            bytes,
        });
        let tree = Tree::new(files.collect()).map_err(|error| told(&error))?;
        let parent = place.parent().unwrap_or(place);
        private_dir::create(parent).map_err(|error| told(&error))?;
        // What is there is not what was listed, or the place is free.
        let _ = fs::remove_dir_all(place);
        let staging = tempfile::tempdir_in(parent).map_err(|error| told(&error))?;
        let staged = staging.path().join("skill");
        tree.write(&staged, WriteAccess::Editable)
            .map_err(|error| told(&error))?;
        match fs::rename(&staged, place) {
            // Another process may have been quicker, with the same files.
            Err(_) if is_intact(skill, place) => Ok(()),
            other => other.map_err(|error| told(&error)),
        }
    }
}

/// Where skills of servers are kept.
pub(crate) fn folder(context: &Context) -> PathBuf {
    context.environment.skillyard_home.join("mcp")
}

/// Where the files of a skill go.
fn place(folder: &Path, skill: &PublishedSkill) -> PathBuf {
    let folder = folder.join(&skill.server);
    folder.join(mark(skill)).join(&skill.name)
}

/// What tells this listing of a skill from any other.
fn mark(skill: &PublishedSkill) -> String {
    skill.fingerprint().to_hex()[..32].to_owned()
}

/// Keeps what a server listed, so that a session can be made again without it.
fn remember(folder: &Path, skill: &PublishedSkill) {
    let place = place(folder, skill);
    let Some(parent) = place.parent() else {
        return;
    };
    // What cannot be kept costs a replay, and nothing now.
    let _ = private_dir::create(parent)
        .and_then(|()| fs::write(parent.join(ENTRY), skill.entry.to_string()));
}

/// What was kept of a server, the newest first.
fn recalled(folder: &Path, server: &str) -> Vec<PublishedSkill> {
    if !skillyard_agent::mcp_client::is_server_name(server) {
        return Vec::new();
    }
    let marks = fs::read_dir(folder.join(server)).into_iter().flatten();
    let mut found: Vec<_> = marks
        .filter_map(|mark| {
            let file = mark.ok()?.path().join(ENTRY);
            let time = fs::metadata(&file).ok()?.modified().ok()?;
            let entry = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
            let skill = PublishedSkill::parse(server, &entry, &McpLimits::default()).ok()?;
            Some((time, skill))
        })
        .collect();
    found.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    found.into_iter().map(|(_, skill)| skill).collect()
}

impl Published for PublishedSkills {
    fn bring(&self, name: &str) -> Result<(), String> {
        let skill = self.skills.get(name).ok_or("no server publishes it now")?;
        let place = self.place(skill);
        if is_intact(skill, &place) {
            return Ok(());
        }
        self.fetch(skill, &place)
    }

    fn mark(&self, name: &str) -> Option<String> {
        self.skills.get(name).map(mark)
    }
}

/// Whether a folder holds exactly the files that were listed.
fn is_intact(skill: &PublishedSkill, place: &Path) -> bool {
    let Ok(tree) = Tree::read(place, &TreeLimits::default()) else {
        return false;
    };
    let listed = &skill.manifest.files;
    let same = |file: &TreeFile| {
        let listed = listed.get(&file.path);
        listed.is_some_and(|listed| listed.digest == Digest::of(&file.bytes))
    };
    tree.files().len() == listed.len() && tree.files().iter().all(same)
}
