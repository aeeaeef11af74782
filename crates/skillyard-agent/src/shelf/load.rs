//! Tier 2: a skill's instructions on their way into a session.

use skillyard_catalog::record::Record;
use skillyard_catalog::resource::{
    DigestLimits, FileDigests, ReadLimits, ReadRange, Resource, ResourceContent, SkillRoot,
    file_digests,
};
use skillyard_format::document::MAX_BYTES;
use skillyard_format::render::activation::{self, Activation, portion};
use skillyard_format::render::arguments::{Arguments, substitute};
use skillyard_format::{Digest, Document, Skill};
use skillyard_trust::guard::{ActiveSkill, ToolList};

use super::{Author, Shelf, ShelfError};

/// A skill's instructions, ready for a session.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The skill.
    pub name: String,
    /// What it consists of.
    pub digest: Digest,
    /// The envelope.
    pub text: String,
    /// What the instructions are known by: the digest of the envelope, without arguments that
    /// they do not use.
    pub identity: Digest,
    /// What was written behind the name.
    pub arguments: String,
    /// How many bytes of the instructions were left out because there are too many.
    pub omitted: usize,
    /// What it lets tools do.
    pub active: ActiveSkill,
}

/// Who wants a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The user.
    User,
    /// The model or the router.
    Model,
}

impl Shelf {
    /// Tier 2: a skill's instructions with its arguments.
    pub fn load(&self, name: &str, arguments: &str, caller: Caller) -> Result<Loaded, ShelfError> {
        let found = self.find(name)?;
        let record = &found.skill.record;
        let who = match caller {
            _ if !record.user_invocable && !record.model_invocable => {
                Some("nobody: `disable-model-invocation` is true and `user-invocable` is false")
            }
            Caller::User if !record.user_invocable => Some("the model"),
            Caller::Model if !record.model_invocable => Some("the user"),
            _ => None,
        };
        if let Some(who) = who {
            let name = record.name.clone();
            return Err(ShelfError::NotFor { name, who });
        }
        let root = self.root(found)?;
        let files = file_digests(&root, &DigestLimits::HERE);
        let files = files.map_err(|error| self.unhashable(found, &error))?;
        let whole = files.tree();
        self.intact(&record.name, whole)?;
        let bytes = self.instructions(&root, record)?;
        let hashed = files
            .files
            .iter()
            .find(|file| file.path == *record.file_name);
        if hashed.is_none_or(|file| file.digest != Digest::of(bytes.as_bytes())) {
            return Err(ShelfError::Changed(record.name.clone()));
        }
        let document = Document::parse(bytes.as_bytes());
        let skill = Skill::from_document(&document, Some(&record.name))
            .ok_or_else(|| ShelfError::Unreadable(record.name.clone()))?;
        let most = self.instruction_bytes;
        let portion = portion(&bytes, document.body(), &record.file_name, most);
        let omitted = portion.cursor.map_or(0, |cursor| bytes.len() - cursor);
        let filled = |arguments: &Arguments| substitute(&portion.text, arguments, &found.directory);
        let body = filled(&Arguments::of(&document, arguments));
        let plain = filled(&Arguments::default());
        let others = files.files.iter().map(|file| file.path.clone());
        let resources: Vec<String> = others.filter(|path| *path != *record.file_name).collect();
        let digest = whole.to_string();
        let compatibility = skill.stated_compatibility();
        let rendered = |body: &str| {
            activation::render(&Activation {
                name: &record.name,
                digest: &digest,
                origin: &found.origin,
                third_party: found.author == Author::ThirdParty,
                compatibility: compatibility.as_deref(),
                directory: &found.directory,
                body,
                resources: &resources,
            })
        };
        // Arguments that are only appended do not make other instructions.
        let same = if body.starts_with(plain.trim_end()) {
            rendered(&plain)
        } else {
            rendered(&body)
        };
        let mut active = ActiveSkill::of(&skill, found.folder.canonicalize().ok().as_deref());
        active.name.clone_from(&record.name);
        if found.is_published() {
            // A server's list of tools would widen what other skills allow.
            active.allowed = ToolList::Absent;
        }
        Ok(Loaded {
            name: record.name.clone(),
            digest: whole,
            text: rendered(&body),
            identity: Digest::of(same.as_bytes()),
            arguments: arguments.trim().to_owned(),
            omitted,
            active,
        })
    }

    fn instructions(&self, root: &SkillRoot, record: &Record) -> Result<String, ShelfError> {
        let limits = ReadLimits {
            max_bytes: MAX_BYTES as u64,
            ..self.limits
        };
        let read = root.read(&record.file_name, ReadRange::default(), &limits)?;
        match (read.content, read.next_offset) {
            (ResourceContent::Text(text), None) => Ok(text),
            (ResourceContent::Text(_), Some(_)) => Err(ShelfError::TooLong {
                name: record.name.clone(),
                limit: MAX_BYTES as u64,
            }),
            (ResourceContent::Binary { .. }, _) => Err(ShelfError::Unreadable(record.name.clone())),
        }
    }
}

/// The files of a skill that was hashed; nothing else is read of it.
#[derive(Debug)]
pub struct Hashed {
    pub(super) root: SkillRoot,
    pub(super) files: FileDigests,
    pub(super) limits: ReadLimits,
}

impl Hashed {
    /// What the skill consists of.
    pub fn digest(&self) -> Digest {
        self.files.tree()
    }

    /// A file of it, or a part of one.
    pub fn read(&self, path: &str, range: ReadRange) -> Result<Resource, ShelfError> {
        let (limits, files) = (&self.limits, &self.files);
        Ok(self.root.read_hashed(path, range, limits, files)?)
    }
}
