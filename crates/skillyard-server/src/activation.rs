//! A skill's instructions on their way out: wrapped, with arguments, and recorded.

use std::borrow::Cow;

use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::resource::{BinaryContent, ReadLimits, ReadRange, Resource};
use skillyard_catalog::{CatalogSkill, Status, unhashable};
use skillyard_format::package::Digest;
use skillyard_format::render::activation::{self, Activation};
use skillyard_format::render::arguments::{Arguments, substitute};
use skillyard_format::tokens::estimate;
use skillyard_format::{Document, Skill};
use skillyard_trust::guard::{ActiveSkill, ToolList};

use crate::contents::{Contents, ContentsError};
use crate::host::{Alteration, Revocation};
use crate::request_context::{FileAccess, RequestContext};
use crate::server::Server;
use crate::view::Viewer;

/// A skill that was activated.
#[derive(Debug, Clone)]
pub(crate) struct Activated {
    /// Its name.
    pub(crate) name: String,
    /// The digest of its files.
    pub(crate) digest: Digest,
    /// What a model reads.
    pub(crate) text: String,
    /// The byte of its own file to go on at, if not all of it is in the text.
    pub(crate) next_offset: Option<usize>,
    /// Its other files.
    pub(crate) files: Vec<String>,
    /// What it lets tools do.
    pub(crate) active: ActiveSkill,
}

impl Server {
    /// Activates a skill and records it.
    pub(crate) fn activate(
        &self,
        skill: &CatalogSkill,
        arguments: &str,
        context: RequestContext<'_>,
    ) -> Result<Activated, ContentsError> {
        let own = skill.record.file_name.as_str();
        let opened = Contents::open(skill).and_then(|contents| {
            // First, so that what is read is what was hashed.
            let hashed = self.hashed(skill, &contents);
            let (text, files) = (contents.skill_file()?, contents.list(None)?.files);
            Ok((hashed, text, files))
        });
        let (digest, text, files) = opened.inspect_err(|error| {
            let event = Event::new(EventKind::SkillActivated);
            let event = event.ended(Outcome::Failed, error.to_string());
            self.record(&context.signed(event, skill));
        })?;
        let document = Document::parse(text.as_bytes());
        let files: Vec<String> = files
            .into_iter()
            .map(|file| file.path)
            .filter(|path| path != own)
            .collect();
        let viewer = Viewer::new(context.role, self);
        let standing = self.host.standing(skill, digest.as_ref().ok());
        let standing = viewer.redactor().standing(standing);
        let altered = standing.altered.map(|found| altered(skill, found));
        let known = digest.as_ref().ok().copied();
        let refusal = self.revoked(skill).or(altered);
        let digest = refusal.map_or(digest, Err).inspect_err(|error| {
            let event = Event::new(EventKind::SkillActivated);
            let event = match known {
                Some(digest) => event.digest(digest.to_string()),
                None => event,
            };
            let event = event.ended(Outcome::Denied, error.to_string());
            self.record(&context.signed(event, skill));
        })?;
        let shown = digest.to_string();
        let shared = match context.files {
            FileAccess::Shared => self.host.folder(skill),
            FileAccess::Remote => None,
        };
        let directory = match &shared {
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => format!("skill://{}", skill.record.name),
        };
        let most = self.host.portions().instruction_bytes;
        let portion = activation::portion(&text, document.body(), own, most);
        let arguments = Arguments::of(&document, arguments);
        let body = substitute(&portion.text, &arguments, &directory);
        let next_offset = portion.cursor;
        let parsed = Skill::from_document(&document, Some(&skill.record.name));
        let compatibility = parsed.as_ref().and_then(Skill::stated_compatibility);
        let rendered = activation::render(&Activation {
            name: &skill.record.name,
            digest: &shown,
            origin: &standing.origin,
            third_party: standing.third_party,
            compatibility: compatibility.as_deref(),
            directory: &directory,
            body: &body,
            resources: &files,
        });
        let event = Event::new(EventKind::SkillActivated)
            .digest(shown)
            .tier(standing.tier);
        self.record(&context.signed(event, skill));
        self.metrics.tokens(&skill.record.name, estimate(&rendered));
        Ok(Activated {
            active: active(skill, &document),
            name: skill.record.name.clone(),
            digest,
            text: rendered,
            next_offset,
            files,
        })
    }

    /// About how many tokens a chat has for a skill once it is activated; without its envelope, where
    /// the host does not know.
    pub(crate) fn activation_tokens(&self, skill: &CatalogSkill, document: &Document<'_>) -> usize {
        let told = self.host.activation_tokens(skill);
        told.unwrap_or_else(|| estimate(document.body()))
    }

    /// Whether a skill is for users only, and none has activated it in this conversation.
    pub(crate) fn is_for_users(&self, skill: &CatalogSkill, conversation: Option<&str>) -> bool {
        let name = skill.record.name.as_str();
        let was_loaded = |conversation| self.conversation_skills.has(conversation, name);
        !skill.record.model_invocable && !conversation.is_some_and(was_loaded)
    }

    /// Refuses to a model, and records so, what only users activate.
    pub(crate) fn for_models(
        &self,
        skill: &CatalogSkill,
        event: Event,
        context: RequestContext<'_>,
    ) -> Result<(), ContentsError> {
        if !self.is_for_users(skill, context.acting) {
            return Ok(());
        }
        let error = ContentsError::ForUsers {
            name: skill.record.name.clone(),
        };
        let event = event.ended(Outcome::Denied, error.to_string());
        self.record(&context.signed(event, skill));
        Err(error)
    }

    /// What is said of a skill that is revoked.
    fn revoked(&self, skill: &CatalogSkill) -> Option<ContentsError> {
        let Revocation { reason, remedy } = self.host.revoked(skill)?;
        let name = skill.record.name.clone();
        Some(ContentsError::Revoked {
            name,
            reason,
            remedy,
        })
    }

    /// Refuses a skill that is revoked, or whose files are not those that were installed.
    fn intact(
        &self,
        skill: &CatalogSkill,
        now: &dyn Fn() -> Option<Digest>,
    ) -> Result<(), ContentsError> {
        let altered = || self.host.altered(skill, now);
        match self.revoked(skill) {
            Some(error) => Err(error),
            None => altered().map_or(Ok(()), |found| Err(self::altered(skill, found))),
        }
    }

    /// Records that a file of the skill is given as it is, or why it may not be: as a load or as
    /// the reading of a file.
    pub(crate) fn give(
        &self,
        skill: &CatalogSkill,
        kind: EventKind,
        path: &str,
        context: RequestContext<'_>,
        hashed: Result<Digest, ContentsError>,
    ) -> Result<Digest, ContentsError> {
        let admitted = self.host.read_limits().admit(path);
        let admitted = admitted.map_err(ContentsError::from);
        let digest = hashed.as_ref().ok().copied();
        let given = admitted.and_then(|()| self.intact(skill, &|| digest));
        let given = given.and(hashed);
        let event = self.with_bytes(Event::new(kind), skill, digest);
        let event = match kind {
            EventKind::SkillActivated => event,
            _ => event.detail("path", path),
        };
        let event = match &given {
            Ok(_) => event,
            Err(error) => event.ended(Outcome::Denied, error.to_string()),
        };
        self.record(&context.signed(event, skill));
        given
    }

    /// What a skill consists of; one that cannot be hashed is remembered, so that no prompt has it
    /// from then on.
    pub(crate) fn hashed(
        &self,
        skill: &CatalogSkill,
        contents: &Contents<'_>,
    ) -> Result<Digest, ContentsError> {
        contents.digest().map_err(|error| {
            if let Some(folder) = self.host.index_folder() {
                unhashable::note(folder, &skill.record.folder, &error);
            }
            if error.is_trouble() && !error.stays() {
                return error.into();
            }
            ContentsError::Unhashable {
                name: skill.record.name.clone(),
                reason: error.whole(),
            }
        })
    }

    /// Hashes a skill for display: one that cannot be hashed gets that as its status.
    pub(crate) fn looked_at<'a>(
        &self,
        skill: &'a CatalogSkill,
        contents: &Contents<'_>,
    ) -> (Cow<'a, CatalogSkill>, Option<Digest>) {
        match self.hashed(skill, contents) {
            Ok(digest) => (Cow::Borrowed(skill), Some(digest)),
            Err(ContentsError::Unhashable { reason, .. }) if skill.status == Status::Enabled => {
                let status = Status::Unhashable { reason };
                let skill = CatalogSkill {
                    status,
                    ..skill.clone()
                };
                (Cow::Owned(skill), None)
            }
            Err(_) => (Cow::Borrowed(skill), None),
        }
    }

    /// An event that says which bytes a skill has, and how far they are trusted.
    fn with_bytes(&self, event: Event, skill: &CatalogSkill, digest: Option<Digest>) -> Event {
        let event = event.tier(self.host.standing(skill, digest.as_ref()).tier);
        match digest {
            Some(digest) => event.digest(digest.to_string()),
            None => event,
        }
    }

    /// Reads a file of a skill and records it.
    pub(crate) fn read_file(
        &self,
        skill: &CatalogSkill,
        path: &str,
        range: ReadRange,
        binary: BinaryContent,
        context: RequestContext<'_>,
    ) -> Result<Resource, ContentsError> {
        let mut digest = None;
        let read = Contents::open(skill).and_then(|it| {
            let hashed = self.hashed(skill, &it);
            digest = hashed.as_ref().ok().copied();
            self.intact(skill, &|| digest)?;
            hashed?;
            let limits = ReadLimits {
                binary,
                ..self.host.read_limits()
            };
            it.read(path, range, limits)
        });
        let event = Event::new(EventKind::ResourceRead).detail("path", path);
        let event = self.with_bytes(event, skill, digest);
        let event = match &read {
            Ok(_) => event,
            Err(error) => event.ended(Outcome::Denied, error.to_string()),
        };
        self.record(&context.signed(event, skill));
        read
    }
}

/// What a skill lets tools do.
pub(crate) fn active(skill: &CatalogSkill, document: &Document<'_>) -> ActiveSkill {
    let folder = skill.record.folder.canonicalize().ok();
    match Skill::from_document(document, Some(&skill.record.name)) {
        Some(parsed) => ActiveSkill {
            name: skill.record.name.clone(),
            ..ActiveSkill::of(&parsed, folder.as_deref())
        },
        // What cannot be read allows nothing.
        None => ActiveSkill {
            name: skill.record.name.clone(),
            folder,
            allowed: ToolList::Unreadable,
            disallowed: ToolList::Absent,
        },
    }
}

fn altered(skill: &CatalogSkill, Alteration { reason, remedy }: Alteration) -> ContentsError {
    ContentsError::Altered {
        name: skill.record.name.clone(),
        reason,
        remedy,
    }
}
