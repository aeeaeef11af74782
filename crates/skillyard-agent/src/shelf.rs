//! The skills that an agent can reach, tier by tier.
//!
//! Tier 1 is what the catalog knows already. Tier 2 is read when a skill is loaded, and the bytes
//! that are rendered are the bytes that were hashed. Tier 3 is read file by file.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use skillyard_catalog::CatalogSkill;
use skillyard_catalog::finder::Finder;
use skillyard_catalog::resource::{
    Content, DigestLimits, ReadLimits, ReadRange, Resource, ResourceError, SkillRoot, digest,
    file_digests,
};
use skillyard_catalog::search::{Detail, Options};
use skillyard_format::document::MAX_BYTES;
use skillyard_format::render::activation::{self, Activation};
use skillyard_format::render::arguments::{Arguments, substitute};
use skillyard_format::render::catalog::CatalogEntry;
use skillyard_format::{Digest, Document, Skill};
use skillyard_trust::guard::{ActiveSkill, ToolList};

/// The skills that an agent can reach.
#[derive(Debug)]
pub struct Shelf {
    skills: Vec<ShelfSkill>,
    offered: Vec<usize>,
    finder: Finder,
    limits: ReadLimits,
    instruction_bytes: usize,
    published: Option<Box<dyn Published>>,
}

/// Whoever brings the files of skills that MCP servers publish, when they are first needed.
pub trait Published: fmt::Debug + Send + Sync {
    /// Puts the files into the skill's folder, or says why they cannot be had.
    fn bring(&self, name: &str) -> Result<(), String>;
}

/// Most bytes of a `SKILL.md` that a model gets at once, unless something else is said.
pub const INSTRUCTION_BYTES: usize = 200_000;

/// A skill and what is known of its standing.
#[derive(Debug, Clone)]
pub struct ShelfSkill {
    /// What the catalog knows.
    pub skill: CatalogSkill,
    /// Its folder, also if it comes from inside the binary.
    pub folder: PathBuf,
    /// How a model is told where it is.
    pub directory: String,
    /// Where it came from, in words or as a URL.
    pub origin: String,
    /// The trust tier.
    pub tier: String,
    /// Whether the user has vouched for its text.
    pub author: Author,
}

impl ShelfSkill {
    /// Whether an MCP server publishes it: only then its name has a colon.
    pub fn is_published(&self) -> bool {
        self.skill.record.name.contains(':')
    }

    /// Where it came from as a URI, without credentials and without the paths of this machine.
    pub fn uri(&self) -> String {
        let record = &self.skill.record;
        let Some((scheme, rest)) = self.origin.split_once("://") else {
            return format!("skillyard:{}/{}", self.skill.kind.as_str(), record.name);
        };
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let (authority, path) = match rest[..end].split_once('/') {
            Some((authority, path)) => (authority, format!("/{path}")),
            None => (&rest[..end], String::new()),
        };
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        format!("{scheme}://{host}{path}")
    }
}

/// Whose words a skill is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user's, their organisation's, or ours.
    Known,
    /// Somebody else's.
    ThirdParty,
}

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

/// Why a skill cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// There is no such skill here.
    #[error("there is no skill `{name}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        name: String,
        /// A name like it.
        nearest: Option<String>,
    },
    /// Its author wants one kind of caller only.
    #[error("skill `{name}` can only be activated by {who}")]
    NotFor {
        /// The skill.
        name: String,
        /// Who may.
        who: &'static str,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// It is not a skill any more.
    #[error("the `SKILL.md` of skill `{0}` cannot be understood")]
    Unreadable(String),
    /// The server that publishes it does not give it.
    #[error("skill `{name}` cannot be had from its server: {problem}")]
    Unpublished {
        /// The skill.
        name: String,
        /// Why.
        problem: String,
    },
    /// It changed between two looks.
    #[error("skill `{0}` changed while it was read")]
    Changed(String),
    /// Its instructions are longer than is allowed.
    #[error("the `SKILL.md` of skill `{name}` has more than {limit} bytes")]
    TooLong {
        /// The skill.
        name: String,
        /// The limit.
        limit: u64,
    },
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
    /// The given skills, in their order; the search index is kept in `index_folder`.
    pub fn new(skills: Vec<ShelfSkill>, index_folder: Option<&Path>, limits: ReadLimits) -> Self {
        let is_offered = |at: &usize| skills[*at].skill.record.model_invocable;
        let offered: Vec<usize> = (0..skills.len()).filter(is_offered).collect();
        let found: Vec<&CatalogSkill> = offered.iter().map(|at| &skills[*at].skill).collect();
        let finder = Finder::load(&found, index_folder);
        Self {
            skills,
            offered,
            finder,
            limits,
            instruction_bytes: INSTRUCTION_BYTES,
            published: None,
        }
    }

    /// The same, with another limit for the bytes of a `SKILL.md` that a model gets at once.
    #[must_use]
    pub fn with_instruction_bytes(self, most: usize) -> Self {
        Self {
            instruction_bytes: most,
            ..self
        }
    }

    /// The same shelf, with who brings the files of published skills.
    #[must_use]
    pub fn with_published(mut self, published: Box<dyn Published>) -> Self {
        self.published = Some(published);
        self
    }

    /// The folder of a skill, with its files in it.
    fn root(&self, found: &ShelfSkill) -> Result<SkillRoot, ShelfError> {
        if found.is_published()
            && let Some(published) = &self.published
        {
            let name = found.skill.record.name.to_string();
            let brought = published.bring(&name);
            brought.map_err(|problem| ShelfError::Unpublished { name, problem })?;
        }
        Ok(SkillRoot::open(&found.folder)?)
    }

    /// The skills that a model is told of.
    pub fn offered(&self) -> impl Iterator<Item = &ShelfSkill> {
        self.offered.iter().map(|at| &self.skills[*at])
    }

    /// All skills.
    pub fn all(&self) -> &[ShelfSkill] {
        &self.skills
    }

    /// The entries of the catalog, without locations.
    pub fn entries(&self) -> Vec<CatalogEntry> {
        let entries = self.offered().map(|each| CatalogEntry {
            name: each.skill.record.name.to_string(),
            description: each.skill.record.description.to_string(),
            location: None,
        });
        entries.collect()
    }

    /// The best skills for a task, with their scores.
    pub fn search(&self, task: &str, limit: usize) -> Vec<(&ShelfSkill, f32)> {
        let options = Options {
            limit,
            detail: Detail::Ranking,
            ..Options::default()
        };
        let hits = self.finder.index.search(task, &options);
        let found = hits.iter().filter_map(|hit| {
            let at = *self.offered.get(hit.document as usize)?;
            Some((&self.skills[at], hit.score))
        });
        found.collect()
    }

    /// The skill of a name.
    pub fn find(&self, name: &str) -> Result<&ShelfSkill, ShelfError> {
        let wanted = skillyard_format::name::normalise(name);
        let found = self
            .skills
            .iter()
            .find(|each| *each.skill.record.name == wanted);
        found.ok_or_else(|| {
            let names = self
                .skills
                .iter()
                .map(|each| each.skill.record.name.as_str());
            ShelfError::Unknown {
                name: name.to_owned(),
                nearest: skillyard_format::nearest::nearest(name, names).map(str::to_owned),
            }
        })
    }

    /// What a skill consists of now.
    pub fn digest(&self, name: &str) -> Result<Digest, ShelfError> {
        let root = self.root(self.find(name)?)?;
        Ok(digest(&root)?)
    }

    /// Tier 2: a skill's instructions with its arguments.
    pub fn load(&self, name: &str, arguments: &str, caller: Caller) -> Result<Loaded, ShelfError> {
        let found = self.find(name)?;
        let record = &found.skill.record;
        let who = match caller {
            Caller::User if !record.user_invocable => Some("the model"),
            Caller::Model if !record.model_invocable => Some("the user"),
            _ => None,
        };
        if let Some(who) = who {
            let name = record.name.to_string();
            return Err(ShelfError::NotFor { name, who });
        }
        let root = self.root(found)?;
        let files = file_digests(&root, &DigestLimits::default())?;
        let whole = digest(&root)?;
        let bytes = self.instructions(&root, record)?;
        let hashed = files
            .files
            .iter()
            .find(|file| file.path == *record.file_name);
        if hashed.is_none_or(|file| file.digest != Digest::of(bytes.as_bytes())) {
            return Err(ShelfError::Changed(record.name.to_string()));
        }
        let document = Document::parse(bytes.as_bytes());
        let skill = Skill::from_document(&document, Some(&record.name))
            .ok_or_else(|| ShelfError::Unreadable(record.name.to_string()))?;
        let (body, omitted) = self.cut(&bytes, document.body(), &record.file_name);
        let filled = |arguments: &Arguments| substitute(&body, arguments, &found.directory);
        let body = filled(&Arguments::parse(arguments));
        let plain = filled(&Arguments::default());
        let others = files.files.iter().map(|file| file.path.clone());
        let resources: Vec<String> = others.filter(|path| *path != *record.file_name).collect();
        let digest = whole.to_string();
        let rendered = |body: &str| {
            activation::render(&Activation {
                name: &record.name,
                digest: &digest,
                origin: &found.origin,
                third_party: found.author == Author::ThirdParty,
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
        active.name = record.name.to_string();
        if found.is_published() {
            // A server's list of tools would widen what other skills allow.
            active.allowed = ToolList::Absent;
        }
        Ok(Loaded {
            name: record.name.to_string(),
            digest: whole,
            text: rendered(&body),
            identity: Digest::of(same.as_bytes()),
            arguments: arguments.trim().to_owned(),
            omitted,
            active,
        })
    }

    fn instructions(
        &self,
        root: &SkillRoot,
        record: &skillyard_catalog::record::Record,
    ) -> Result<String, ShelfError> {
        let limits = ReadLimits {
            max_bytes: MAX_BYTES as u64,
            ..self.limits
        };
        let read = root.read(&record.file_name, ReadRange::default(), &limits)?;
        match (read.content, read.next_offset) {
            (Content::Text(text), None) => Ok(text),
            (Content::Text(_), Some(_)) => Err(ShelfError::TooLong {
                name: record.name.to_string(),
                limit: MAX_BYTES as u64,
            }),
            (Content::Binary { .. }, _) => Err(ShelfError::Unreadable(record.name.to_string())),
        }
    }

    /// The instructions as far as a model gets them at once, and how many bytes are left out.
    fn cut<'a>(&self, file: &str, body: &'a str, name: &str) -> (Cow<'a, str>, usize) {
        let Some(omitted) = file.len().checked_sub(self.instruction_bytes) else {
            return (body.into(), 0);
        };
        let head = file.len().saturating_sub(body.len());
        let end = body.floor_char_boundary(self.instruction_bytes.saturating_sub(head));
        if omitted == 0 || end == body.len() {
            return (body.into(), 0);
        }
        let cursor = head + end;
        let note = format!(
            "{}\n\n[These are the first {cursor} of the {} bytes of `{name}`. Go on with \
             `skill_read`, path `{name}`, cursor {cursor}.]",
            &body[..end],
            file.len()
        );
        (note.into(), file.len() - cursor)
    }

    /// Tier 3: a file of a skill, or a part of it.
    pub fn read(&self, name: &str, path: &str, range: ReadRange) -> Result<Resource, ShelfError> {
        let root = self.root(self.find(name)?)?;
        Ok(root.read(path, range, &self.limits)?)
    }

    /// The files of a skill, without reading any.
    pub fn files(&self, name: &str, folder: Option<&str>) -> Result<Vec<String>, ShelfError> {
        let root = self.root(self.find(name)?)?;
        let listing = root.list(folder)?;
        Ok(listing.files.into_iter().map(|file| file.path).collect())
    }
}
