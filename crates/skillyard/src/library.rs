//! The skills of this machine, as the commands see them: configuration put together with
//! the catalog.

pub(crate) mod alteration;
pub(crate) mod installed;
pub(crate) mod permission;
pub(crate) mod revoked_remedy;
pub(crate) mod signers;
pub(crate) mod skill_files;
pub(crate) mod withheld;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::{fs, ptr};

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::record::Record;
use skillyard_catalog::resource::{ResourceError, SeenFile, SkillRoot, probe_seeing};
use skillyard_catalog::selection::{Layer, NamePattern, Selection};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::{Catalog, CatalogSettings, CatalogSkill, Status, unhashable};
use skillyard_format::Digest;
use skillyard_format::conditions::{Conditions, Unmet};
use skillyard_format::name::known_as;

use crate::config::{Config, project};
use crate::context::Context;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::trust::TrustFailure;
use crate::library::permission::Permissions;
use crate::redactor::without_userinfo;
use crate::scope;
use crate::text::sanitize::visible;
use crate::text::tilde;

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
pub(crate) struct NameFilter {
    /// Only skills whose name matches one of these patterns (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub(crate) allow: Vec<String>,
    /// No skills whose name matches one of these patterns (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny: Vec<String>,
}

impl NameFilter {
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
    choice: &NameFilter,
) -> Result<Catalog, CommandError> {
    // What an interrupted installation left half done is finished first.
    scope::recover(context);
    let mut catalog = discover(context, mode, choice)?;
    alteration::mark(context, mode, &mut catalog)?;
    signers::withdraw(context, &mut catalog);
    Ok(catalog)
}

/// The same without a look at whether installed ones were altered, for who has just installed them.
pub(crate) fn discover(
    context: &Context,
    mode: IndexMode,
    choice: &NameFilter,
) -> Result<Catalog, CommandError> {
    Ok(Catalog::load(&settings(context, mode, choice)?))
}

/// Everything the catalog depends on.
fn settings(
    context: &Context,
    mode: IndexMode,
    choice: &NameFilter,
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
pub(crate) fn selection(config: &Config, choice: &NameFilter) -> Result<Selection, CommandError> {
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
    let scope = scope::scope_of(context, &name)?;
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
pub(crate) enum SkillTarget {
    /// A folder or a file.
    Path(PathBuf),
    /// A skill by its name.
    Name(String),
}

impl SkillTarget {
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
            let catalog = load(context, IndexMode::Use, &NameFilter::default())?;
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
    let catalog = load(context, IndexMode::Use, &NameFilter::default())?;
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

/// What a skill says it needs besides commands.
pub(crate) fn requirements_of(record: &Record) -> Conditions {
    if !Conditions::may_be_in(&record.fields) {
        return Conditions::default();
    }
    let fields = record.fields_json();
    let fields = fields.as_object();
    fields.map(Conditions::of).unwrap_or_default()
}

/// What of that is missing here, one line each.
pub(crate) fn unmet(environment: &Environment, record: &Record) -> Vec<String> {
    let is_set = |name: &str| environment.passed_on(name).is_some();
    let unmet = requirements_of(record).unmet(std::env::consts::OS, is_set);
    unmet.iter().map(told).collect()
}

fn told(unmet: &Unmet) -> String {
    match unmet {
        Unmet::System(systems) => {
            let here = std::env::consts::OS;
            format!("it is for {}, and this is {here}", systems.join(", "))
        }
        Unmet::Variables(names) => match &names[..] {
            [name] => format!("the variable {name} is not set"),
            names => format!("the variables {} are not set", names.join(", ")),
        },
    }
}

/// Looks whether the skills that are meant can be hashed, and gives those that cannot their standing.
pub(crate) fn look_unhashable(
    context: &Context,
    catalog: &mut Catalog,
    is_meant: impl Fn(&CatalogSkill) -> bool,
) {
    for skill in catalog.enabled_mut() {
        if skill.kind == SourceKind::Builtin || !is_meant(skill) {
            continue;
        }
        if let Err(error) = check_unhashable(&skill.record.folder) {
            note_unhashable(context, &skill.record.folder, &error);
            let reason = error.whole();
            skill.status = Status::Unhashable { reason };
        }
    }
}

/// Why the files in a folder cannot be hashed, if they cannot.
pub(crate) fn check_unhashable(folder: &Path) -> Result<(), ResourceError> {
    check_seeing(folder, &mut |_| {})
}

/// The same; tells all that is seen in the folder on the way.
pub(crate) fn check_seeing(
    folder: &Path,
    seen: &mut dyn FnMut(SeenFile<'_>),
) -> Result<(), ResourceError> {
    match SkillRoot::open(folder) {
        Ok(root) => probe_seeing(&root, seen),
        // What is gone is told elsewhere.
        Err(_) => Ok(()),
    }
}

/// Remembers that the files in a folder cannot be hashed.
pub(crate) fn note_unhashable(context: &Context, folder: &Path, error: &ResourceError) {
    let index = context.environment.skillyard_home.join("index");
    unhashable::note(&index, folder, error);
}

/// Tells of those that are new. What cannot be written down now is told the next time.
pub(crate) fn tell_discovery_log<'a>(
    context: &Context,
    skills: impl Iterator<Item = &'a CatalogSkill>,
) {
    let file = seen(context);
    let known = fs::read_to_string(&file).unwrap_or_default();
    let known: HashSet<&str> = known.lines().collect();
    // What comes with the program is nothing that was found.
    let found = skills.filter(|skill| skill.kind != SourceKind::Builtin);
    let found = found.map(|skill| (mark(skill), skill));
    let new: Vec<(String, &CatalogSkill)> =
        found.filter(|(mark, _)| !known.contains(&**mark)).collect();
    if new.is_empty() || record(context, &new).is_err() {
        return;
    }
    let marks: Vec<&str> = new.iter().map(|(mark, _)| &**mark).collect();
    let lines = marks.join("\n") + "\n";
    let options = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(file);
    let _ = options.and_then(|mut file| file.write_all(lines.as_bytes()));
}

/// Where it stands which ones are known.
fn seen(context: &Context) -> PathBuf {
    context.environment.skillyard_home.join("seen")
}

/// What a skill is known by: its name and where it lies.
fn mark(skill: &CatalogSkill) -> String {
    let place = skill.record.folder.as_os_str().as_encoded_bytes();
    let known_by = [skill.record.name.as_bytes(), place].join(&0);
    Digest::of(&known_by).to_hex()[..32].to_owned()
}

fn record(context: &Context, new: &[(String, &CatalogSkill)]) -> Result<(), CommandError> {
    let permissions = Permissions::load(context)?;
    let events = new.iter().map(|(_, skill)| {
        let provenance = permissions.provenance(skill);
        let tier = permissions.verdict(&provenance).tier;
        let event = Event::new(EventKind::SkillDiscovered)
            .skill(&*skill.record.name)
            .source(skill.kind.as_str())
            .tier(tier.as_str())
            .detail("folder", skill.record.folder.display().to_string());
        match &provenance.url {
            Some(url) => event.origin(without_userinfo(url)),
            None => event,
        }
    });
    let events: Vec<Event> = events.collect();
    Ok(context.recorder()?.record_all(&events)?)
}
