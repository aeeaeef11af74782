//! The skills of this machine, as the commands see them: configuration put together with
//! the catalog.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use skillyard_catalog::selection::{Layer, Pattern, Selection};
use skillyard_catalog::source::Surroundings;
use skillyard_catalog::{Catalog, CatalogSkill, Settings};

use crate::context::Context;
use crate::error::CommandError;

/// What a command may change about the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum IndexMode {
    /// Use and keep the index.
    #[default]
    Use,
    /// Walk everything, and leave the index alone.
    Bypass,
}

/// Flags that choose skills by name.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Choice {
    /// Only skills whose name matches this pattern (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub(crate) allow: Vec<String>,
    /// No skills whose name matches this pattern (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub(crate) deny: Vec<String>,
}

impl Choice {
    /// The layer of the command line, which is the strongest.
    pub(crate) fn layer(&self) -> Result<Layer, CommandError> {
        let patterns = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Pattern::new(text))
                .collect::<Result<Vec<_>, _>>()
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
        Ok(move |name: &str| selection.reason_against(name).is_none())
    }
}

/// Finds all skills.
pub(crate) fn load(
    context: &Context,
    mode: IndexMode,
    choice: &Choice,
) -> Result<Catalog, CommandError> {
    // What an interrupted installation left half done is finished first.
    skillyard_install::recover_all(&context.environment.skillyard_home);
    Ok(Catalog::load(&settings(context, mode, choice)?))
}

/// What the configuration files say, and whether the project has a say.
pub(crate) struct Configuration {
    /// The user's.
    pub(crate) user: Config,
    /// The project's, once it is trusted: before that not even to hide the user's skills.
    pub(crate) project: Option<Config>,
    /// The project's file.
    pub(crate) project_file: PathBuf,
    surroundings: Surroundings,
}

impl Configuration {
    /// Reads the files.
    pub(crate) fn read(context: &Context) -> Result<Self, CommandError> {
        let environment = &context.environment;
        let config_file = environment.config_file();
        let user = Config::read(&config_file)?;
        let home = environment.home.as_deref();
        let surroundings = Surroundings {
            current: environment.current_dir.clone(),
            home: environment.home.clone(),
            skillyard_home: environment.skillyard_home.clone(),
            org: user.org_folders(home),
            extra: user.directories(home),
            preset: user.preset(&config_file)?,
        };
        let root = surroundings.project_root();
        let is_trusted = match user.discovery.trust_projects {
            TrustProjects::Always => true,
            TrustProjects::Never => false,
            TrustProjects::Ask => is_trusted(context, root)?,
        };
        let project_file = root.join(".skillyard/config.toml");
        let project = if is_trusted {
            Some(Config::read_project(&project_file)?)
        } else {
            None
        };
        Ok(Self {
            user,
            project,
            project_file,
            surroundings,
        })
    }

    /// Whether the user trusts the project.
    pub(crate) fn project_trust(&self) -> ProjectTrust {
        match self.project {
            Some(_) => ProjectTrust::Trusted,
            None => ProjectTrust::Untrusted,
        }
    }
}

/// Everything the catalog depends on.
fn settings(context: &Context, mode: IndexMode, choice: &Choice) -> Result<Settings, CommandError> {
    let environment = &context.environment;
    let config = context.config()?;
    let home = environment.home.as_deref();
    let mut layers = config.selection()?;
    let configuration = Configuration::read(context)?;
    let project_trust = configuration.project_trust();
    let Configuration {
        user: config,
        project,
        project_file,
        surroundings,
    } = configuration;
    let mut layers = vec![config.layer("user", &environment.config_file())?];
    if let Some(project) = project {
        layers.push(project.layer("project", &project_file)?);
    }
    layers.push(choice.layer()?);
    Ok(Settings {
        limits: config.limits(),
        surroundings: Surroundings {
            current: environment.current_dir.clone(),
            home: environment.home.clone(),
            skillyard_home: environment.skillyard_home.clone(),
            org: config.org_folders(home),
            extra: config.directories(home),
            preset: config.preset(),
        },
        selection: Selection { layers },
        project_trust: config.project_trust,
        command_folders: environment.path.clone(),
        index_folder: (mode == IndexMode::Use).then(|| environment.skillyard_home.join("index")),
    })
}

fn is_trusted(context: &Context, project: &Path) -> Result<bool, CommandError> {
    let project = project
        .canonicalize()
        .unwrap_or_else(|_| project.to_owned());
    let trusted = trusted::list(&context.environment.approvals_file())?;
    Ok(trusted.iter().any(|folder| project.starts_with(folder)))
}

/// The skill of a name, or an error that names the nearest.
pub(crate) fn find<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a CatalogSkill, CommandError> {
    catalog.find(name).ok_or_else(|| CommandError::NoSuchSkill {
        name: name.to_owned(),
        nearest: catalog.nearest(name).map(str::to_owned),
    })
}

/// What a word on the command line names: a path to a skill, or else a skill of the catalog.
pub(crate) enum Target {
    /// A folder or a file.
    Path(PathBuf),
    /// A skill by its name.
    Name(String),
}

impl Target {
    /// A path is what exists, or looks like a path.
    pub(crate) fn of(word: &OsStr) -> Self {
        let path = Path::new(word);
        let bytes = word.as_encoded_bytes();
        let looks_like_path = bytes.contains(&b'/') || bytes.starts_with(b".");
        let is_skill =
            path.join("SKILL.md").exists() || path.join("skill.md").exists() || path.is_file();
        if looks_like_path || is_skill {
            Self::Path(path.to_owned())
        } else {
            Self::Name(word.to_string_lossy().into_owned())
        }
    }
}
