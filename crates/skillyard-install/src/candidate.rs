//! A skill that was fetched and may be installed.

use std::sync::Arc;

use skillyard_format::rules::{self, Subject};
use skillyard_format::yaml::is_typed;
use skillyard_format::{Digest, Document, Skill, SkillName};
use skillyard_trust::signature::SIGNATURE_FILE;

use crate::lockfile::{Locked, is_folder_name};
use crate::material::misspelled_as;
use crate::origin::Origin;
use crate::reference::Reference;
use crate::tree::{Tree, TreeError, TreeFile};

/// A skill with all its bytes, and where they came from.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name, which will be its folder's; whether it can be one is for [`Self::can_be_placed`].
    pub name: String,
    /// Its description.
    pub description: String,
    /// Whether models are told of it, in every prompt.
    pub model_invocable: bool,
    /// What it says that it needs around it, in one line.
    pub compatibility: Option<String>,
    /// The reference to it alone, without a revision.
    pub source: String,
    /// The revision or version that was asked for.
    pub requested: Option<String>,
    /// Its folder within the source.
    pub path: String,
    /// Where it came from.
    pub origin: Origin,
    /// Its bytes.
    pub tree: Arc<Tree>,
    /// What they were together before another name was written into them.
    pub delivered_as: Option<Digest>,
    /// The references to the skills it needs, as it writes them.
    pub requires: Vec<String>,
    /// The commands it needs.
    pub commands: Vec<String>,
}

/// Why bytes are not a skill that could be installed.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    /// There is no `SKILL.md`.
    #[error("it has no SKILL.md")]
    NoSkillFile,
    /// What could be its `SKILL.md` is called otherwise.
    #[error("{}", misspelled_as(.0))]
    Misspelled(String),
    /// Its `SKILL.md` cannot be loaded.
    #[error("its SKILL.md cannot be loaded: {0}")]
    NotLoadable(String),
    /// Its name cannot be a folder's.
    #[error("its name `{0}` cannot be the name of a folder")]
    Name(String),
    /// The new name cannot be written into it.
    #[error("its SKILL.md has no `name` that could be changed without changing more than that")]
    NotRenamable,
    /// The new name would make its signature worthless.
    #[error("it is signed under its own name, so it cannot have another one here")]
    Signed,
    /// The files with the new name cannot be taken together.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Where a candidate was found.
#[derive(Debug, Clone)]
pub struct CandidateSource {
    /// The reference to it alone, without a revision.
    pub source: String,
    /// The revision or version that was asked for.
    pub requested: Option<String>,
    /// Its folder within the source.
    pub path: String,
    /// The name to fall back to.
    pub folder: Option<String>,
    /// Where it came from.
    pub origin: Origin,
}

impl Candidate {
    /// Reads what the skill says about itself.
    pub fn new(tree: Tree, found: CandidateSource) -> Result<Self, CandidateError> {
        let without = || match tree.misspelled_file() {
            Some(name) => CandidateError::Misspelled(name.to_owned()),
            None => CandidateError::NoSkillFile,
        };
        let file = tree.skill_file().ok_or_else(without)?;
        let document = Document::parse(&file.bytes);
        let folder = found.folder.as_deref();
        let skill = Skill::from_document(&document, folder).ok_or_else(|| {
            CandidateError::NotLoadable(rules::unloadable(&Subject::new(&document, folder)))
        })?;
        Ok(Self {
            requires: skill.requires_skills(),
            commands: skill.requires(),
            model_invocable: skill.is_model_invocable(),
            compatibility: skill.stated_compatibility(),
            description: skill.offer().into_owned(),
            name: skill.name,
            source: found.source,
            requested: found.requested,
            path: found.path,
            origin: found.origin,
            tree: Arc::new(tree),
            delivered_as: None,
        })
    }

    /// Whether a folder can have its name. One that cannot may still get another name.
    pub fn can_be_placed(&self) -> bool {
        can_be_placed(&self.name)
    }

    /// The same skill under another name, which is written into its `SKILL.md`: agents take
    /// the name from there, so a folder of another name alone would settle nothing.
    pub fn renamed(&self, name: &SkillName) -> Result<Self, CandidateError> {
        self.under(name.as_str())
    }

    /// The same skill under the name that a lock has for it, which may be an odd one: the skill had
    /// it then, or somebody gave it when every name was taken.
    pub fn under(&self, name: &str) -> Result<Self, CandidateError> {
        if !can_be_placed(name) {
            return Err(CandidateError::Name(name.to_owned()));
        }
        let file = self.tree.skill_file().ok_or(CandidateError::NoSkillFile)?;
        if self.tree.get(SIGNATURE_FILE).is_some() {
            return Err(CandidateError::Signed);
        }
        let document = Document::parse(&file.bytes);
        let changed = renamed(&document, name).ok_or(CandidateError::NotRenamable)?;
        let files = self.tree.files().iter().map(|each| {
            if each.path == file.path {
                TreeFile {
                    bytes: changed.clone().into_bytes(),
                    ..each.clone()
                }
            } else {
                each.clone()
            }
        });
        let tree = Tree::of_any_names(files.collect())?;
        Ok(Self {
            name: name.to_owned(),
            tree: Arc::new(tree.beside_as(&self.tree)),
            delivered_as: self.delivered_as.or(Some(self.tree.digest())),
            ..self.clone()
        })
    }

    /// The address that it came from, where that is known: of what lies in a folder that a project
    /// installed into, only the kind of place is believed.
    pub fn address(&self) -> Option<&str> {
        let is_here = Reference::is_local(&self.source) && Reference::is_local(&self.origin.url);
        (self.origin.kind.is_remote() && !is_here).then_some(&*self.origin.url)
    }

    /// The entry of the lock for it.
    pub fn locked(&self, targets: Vec<String>) -> Locked {
        Locked {
            name: self.name.clone(),
            source: self.source.clone(),
            requested: self.requested.clone(),
            version: self.origin.version.clone(),
            commit: self.origin.commit.clone(),
            origin: self.origin.kind,
            url: self.address().map(str::to_owned),
            digest: self.tree.digest(),
            delivered_as: self.delivered_as,
            signer: None,
            targets,
            linked: false,
            requires: Vec::new(),
            dependency: false,
        }
    }
}

/// The digests that a skill may have had under another name, before it got the one that it has: its
/// name may have been written in quotes.
pub fn under_former_name(tree: &Tree, name: &str) -> Vec<Digest> {
    let digest = |written: String| {
        let file = tree.skill_file()?;
        let document = Document::parse(&file.bytes);
        let span = document.mapping()?.get("name")?.value.span;
        let (start, end) = (
            span.start,
            span.start + span.of(&document.text).trim_end().len(),
        );
        let text = &document.text;
        let text = format!("{}{written}{}", text.get(..start)?, text.get(end..)?);
        let mut files = tree.files().to_vec();
        let changed = files.iter_mut().find(|each| each.path == file.path)?;
        changed.bytes = text.into_bytes();
        Some(Tree::of_any_names(files).ok()?.digest())
    };
    let ways = [name.to_owned(), format!("\"{name}\""), format!("'{name}'")];
    ways.into_iter().filter_map(digest).collect()
}

fn can_be_placed(name: &str) -> bool {
    is_folder_name(name) && !name.starts_with('.')
}

/// The text of a `SKILL.md` with another name, and nothing else that is other.
fn renamed(document: &Document<'_>, name: &str) -> Option<String> {
    let span = document.mapping()?.get("name")?.value.span;
    let text = &document.text;
    let (before, after) = (text.get(..span.start)?, text.get(span.start..)?);
    // A `|` or `>` block takes the line break behind it along.
    let after = after.get(span.of(text).trim_end().len()..)?;
    let space = if before.ends_with(':') { " " } else { "" };
    // Some names, such as `null`, are taken for something else without quotes.
    let quoted = serde_json::Value::from(name).to_string();
    let plain = (!is_typed(name)).then_some(name);
    let ways = plain.into_iter().chain([&*quoted]);
    let mut texts = ways.map(|written| format!("{before}{space}{written}{after}"));
    texts.find(|text| {
        let changed = Document::parse(text.as_bytes());
        let skill = Skill::from_document(&changed, None);
        skill.is_some_and(|skill| skill.name == name)
            && but_for_name(&changed) == but_for_name(document)
            && changed.body() == document.body()
    })
}

/// What a skill says about itself, without its name.
fn but_for_name(document: &Document<'_>) -> Option<serde_json::Map<String, serde_json::Value>> {
    let mut fields = document.mapping()?.to_json();
    fields.remove("name");
    Some(fields)
}
