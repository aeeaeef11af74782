//! The skills of this machine, as the commands see them: configuration put together with
//! the catalog.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::ptr;

use skillyard_catalog::selection::{Layer, NamePattern, Selection};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::{Catalog, CatalogSettings, CatalogSkill};
use skillyard_format::name::known_as;

use crate::alteration;
use crate::commands::list::tilde;
use crate::config::{Config, project};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::trust::TrustFailure;
use crate::install::{absent, chronicle};
use crate::sanitize::visible;
use crate::signing::signers;

/// What a command may change about the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum IndexMode {
    /// Use and keep the index.
    #[default]
    Use,
    /// Use the index and leave it as it is: what was written a moment ago would be read again anyway.
    Look,
    /// Walk everything, and leave the index alone.
    Bypass,
}

/// Flags that choose skills by name.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Choice {
    /// Only skills whose name matches one of these patterns (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub(crate) allow: Vec<String>,
    /// No skills whose name matches one of these patterns (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny: Vec<String>,
}

impl Choice {
    /// Whether anything was said.
    pub(crate) fn is_given(&self) -> bool {
        !self.allow.is_empty() || !self.deny.is_empty()
    }

    /// The layer of the command line, which is the strongest.
    pub(crate) fn layer(&self) -> Result<Layer, CommandError> {
        let patterns = |texts: &[String]| {
            let lists = texts.iter().map(|text| NamePattern::list(text));
            let lists = lists.collect::<Result<Vec<_>, _>>();
            lists
                .map(|lists| lists.concat())
                .map_err(CommandError::Pattern)
        };
        Ok(Layer {
            name: "command line".into(),
            allow: patterns(&self.allow)?,
            deny: patterns(&self.deny)?,
            ..Layer::default()
        })
    }

    /// Whether a skill is chosen.
    pub(crate) fn filter(&self) -> Result<impl Fn(&str) -> bool + use<>, CommandError> {
        let selection = Selection {
            layers: vec![self.layer()?],
        };
        let everything = selection.is_silent();
        Ok(move |name: &str| everything || selection.reason_against(name).is_none())
    }
}

/// Finds all skills.
pub(crate) fn load(
    context: &Context,
    mode: IndexMode,
    choice: &Choice,
) -> Result<Catalog, CommandError> {
    // What an interrupted installation left half done is finished first.
    chronicle::recover(context);
    let mut catalog = discover(context, mode, choice)?;
    alteration::mark(context, mode, &mut catalog)?;
    signers::withdraw(context, &mut catalog);
    Ok(catalog)
}

/// The same without a look at whether installed ones were altered, for who has just installed them.
pub(crate) fn discover(
    context: &Context,
    mode: IndexMode,
    choice: &Choice,
) -> Result<Catalog, CommandError> {
    Ok(Catalog::load(&settings(context, mode, choice)?))
}

/// Everything the catalog depends on.
fn settings(
    context: &Context,
    mode: IndexMode,
    choice: &Choice,
) -> Result<CatalogSettings, CommandError> {
    let environment = &context.environment;
    let config = context.config()?;
    Ok(CatalogSettings {
        limits: config.limits(),
        surroundings: surroundings(context, &config),
        selection: selection(&config, choice)?,
        project_trust: config.project_trust,
        command_folders: environment.path.clone(),
        index_folder: (mode != IndexMode::Bypass).then(|| environment.skillyard_home.join("index")),
        leaves_index: mode == IndexMode::Look,
    })
}

/// What the configuration, as it is now, and the flags say about single skills.
pub(crate) fn selection(config: &Config, choice: &Choice) -> Result<Selection, CommandError> {
    let mut layers = config.selection()?;
    layers.push(choice.layer()?);
    Ok(Selection { layers })
}

/// Where skills are looked for.
pub(crate) fn surroundings(context: &Context, config: &Config) -> Surroundings {
    let environment = &context.environment;
    let home = environment.home.as_deref();
    let surroundings = Surroundings {
        current: environment.current_dir.clone(),
        home: environment.home.clone(),
        agent_variables: environment.agent_variables.clone(),
        skillyard_home: environment.skillyard_home.clone(),
        org: config.org_folders(home),
        extra: config.directories(home),
        preset: config.preset(),
        trusted: Vec::new(),
    };
    let mut trusted = surroundings.projects_of_agents();
    if !trusted.is_empty() {
        project::keep_trusted(environment, config.trust_projects(), &mut trusted);
    }
    Surroundings {
        trusted,
        ..surroundings
    }
}

/// The skill of a name, or an error that says where it is, or names the nearest.
pub(crate) fn find<'a>(
    context: &Context,
    catalog: &'a Catalog,
    name: &str,
) -> Result<&'a CatalogSkill, CommandError> {
    catalog.find(name).ok_or_else(|| {
        if let Some(error) = not_here(context, name) {
            return error;
        }
        // Many skills are called otherwise than the folders that they lie in.
        let is_its_folder =
            |skill: &&CatalogSkill| skill.record.folder.file_name() == Some(OsStr::new(name));
        let lying = catalog.skills.iter().find(is_its_folder);
        let lying = lying.map(|skill| skill.record.name.as_str());
        CommandError::NoSuchSkill {
            name: name.to_owned(),
            nearest: lying.or_else(|| catalog.nearest(name)).map(str::to_owned),
        }
    })
}

/// That a skill is locked and not here, if that is so.
pub(crate) fn not_here(context: &Context, name: &str) -> Option<CommandError> {
    let name = known_as(name).into_owned();
    let scope = absent::scope_of(context, &name)?;
    Some(CommandError::NotHere { name, scope })
}

/// The skill that lies in a folder which is named by its path.
pub(crate) fn lying_at<'a>(catalog: &'a Catalog, path: &str) -> Option<&'a CatalogSkill> {
    if !looks_like_path(OsStr::new(path)) {
        return None;
    }
    let whole = Path::new(path).canonicalize().ok()?;
    let is_there =
        |skill: &&CatalogSkill| skill.record.folder.canonicalize().ok().as_ref() == Some(&whole);
    catalog.skills.iter().find(is_there)
}

/// The skill that a name means to whoever uses it, or an error that names the nearest.
pub(crate) fn meant<'a>(
    context: &Context,
    catalog: &'a Catalog,
    name: &str,
) -> Result<&'a CatalogSkill, CommandError> {
    find(context, catalog, name).map(|listed| catalog.resolve(name).unwrap_or(listed))
}

/// The same; where it is not the one that is listed, it is said.
pub(crate) fn named<'a>(
    context: &Context,
    catalog: &'a Catalog,
    name: &str,
) -> Result<&'a CatalogSkill, CommandError> {
    let (listed, meant) = (
        find(context, catalog, name)?,
        meant(context, catalog, name)?,
    );
    if !ptr::eq(listed, meant) {
        let home = context.environment.home.as_deref();
        let folder = |skill: &CatalogSkill| tilde(&skill.record.folder, home);
        let note = format!(
            "`{}` is `{}`: the project of `{}` is not trusted",
            meant.record.name,
            folder(meant),
            folder(listed)
        );
        context.printer.note(&visible(&note));
    }
    Ok(meant)
}

/// What a word on the command line names: a path to a skill, or else a skill of the catalog.
pub(crate) enum Target {
    /// A folder or a file.
    Path(PathBuf),
    /// A skill by its name.
    Name(String),
}

impl Target {
    /// A plain word is a skill of the catalog; only where there is none of that name it is the
    /// folder or file that exists here. Whoever chose the current folder must not be able to put
    /// another skill in its place.
    pub(crate) fn of(context: &Context, word: &OsStr) -> Result<Self, CommandError> {
        let path = Path::new(word);
        let name = word.to_string_lossy().into_owned();
        let is_doubtful = if looks_like_path(word) {
            // Some names have a slash in them, too.
            let is_path = name.starts_with(['.', '/', '~']) || path.exists();
            if is_path {
                return Ok(Self::Path(path.to_owned()));
            }
            true
        } else {
            is_skill_here(path)
        };
        if is_doubtful {
            let catalog = load(context, IndexMode::Use, &Choice::default())?;
            if catalog.find(&name).is_none() {
                return Ok(Self::Path(path.to_owned()));
            }
        }
        Ok(Self::Name(name))
    }

    /// The same for answers that others rely on, where a word that is a skill here and another one of
    /// the catalog is an error.
    pub(crate) fn certain(context: &Context, word: &OsStr) -> Result<Self, CommandError> {
        refuse_either(context, [word])?;
        Self::of(context, word)
    }
}

/// Refuses plain words that are the folder of a skill here and the name of another skill.
pub(crate) fn refuse_either<'a>(
    context: &Context,
    words: impl IntoIterator<Item = &'a OsStr>,
) -> Result<(), CommandError> {
    let words = words.into_iter();
    let mut doubtful = words
        .filter(|word| !looks_like_path(word) && is_skill_here(Path::new(word)))
        .peekable();
    if doubtful.peek().is_none() {
        return Ok(());
    }
    let catalog = load(context, IndexMode::Use, &Choice::default())?;
    for word in doubtful {
        let word = word.to_string_lossy();
        let Some(skill) = catalog.resolve(&word) else {
            continue;
        };
        let folder = &skill.record.folder;
        let real = |path: &Path| path.canonicalize().ok();
        let is_builtin = skill.kind == SourceKind::Builtin;
        if is_builtin || real(folder) != real(Path::new(&*word)) {
            return Err(TrustFailure::Either {
                word: word.into_owned(),
                skill: (!is_builtin).then(|| folder.clone()),
            }
            .into());
        }
    }
    Ok(())
}

/// Whether a path leads to a skill or to a file.
fn is_skill_here(path: &Path) -> bool {
    path.join("SKILL.md").exists() || path.join("skill.md").exists() || path.is_file()
}

/// Whether a word can only be meant as a path.
pub(crate) fn looks_like_path(word: &OsStr) -> bool {
    let bytes = word.as_encoded_bytes();
    bytes.contains(&b'/') || bytes.starts_with(b".")
}
