//! Putting the layers together: which are read, in which order, and what a project may not say.

use std::path::Path;
use std::sync::LazyLock;

use skillyard_catalog::ProjectTrust;

use super::final_block::unused;
use super::layer::{Layer, Setting};
use super::schema::{self, Project};
use super::{Config, project};
use crate::config::value::ConfigValue;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::{LayerKind, SettingOrigin};
use crate::files::private;
use crate::files::private::Owner;
use crate::redactor::Redactor;

impl Config {
    /// Reads all layers; what is wrong in any of them is told at once.
    pub(crate) fn load(
        environment: &Environment,
        flags: &[String],
        redactor: &Redactor,
    ) -> Result<Self, CommandError> {
        let (mut config, problems) = Self::without_project(environment, flags, redactor)?;
        if !problems.is_empty() {
            return Err(CommandError::Configuration(problems));
        }
        // Whether a project has a say is decided without it.
        config.project_trust = project::trust(environment, config.trust_projects())?;
        if config.project_trust == ProjectTrust::Trusted {
            let problems = match project::config_file(environment) {
                Some(file) => {
                    let layer = config.file(LayerKind::Project, &file)?;
                    config.add_project(layer)
                }
                None => Vec::new(),
            };
            if !problems.is_empty() {
                return Err(CommandError::Configuration(problems));
            }
        }
        Ok(config)
    }

    /// All layers but the project's, and what is wrong with them.
    pub(crate) fn without_project(
        environment: &Environment,
        flags: &[String],
        redactor: &Redactor,
    ) -> Result<(Self, Vec<ConfigError>), CommandError> {
        let mut config = Self {
            defaults: &DEFAULTS,
            said: Vec::new(),
            unused: Vec::new(),
            warnings: Vec::new(),
            project_trust: ProjectTrust::Untrusted,
            environment: environment.clone(),
            redactor: redactor.clone(),
        };
        // Without the policy that was named there would be none, and nobody would notice.
        if environment.names_org_config() && !environment.org_config.exists() {
            return Err(CommandError::Refused {
                path: environment.org_config.clone(),
                reason: "`SKILLYARD_ORG_CONFIG` names it, and it is not there".to_owned(),
            });
        }
        let mut problems = Vec::new();
        let layers = [
            config.file(LayerKind::Org, &environment.org_config)?,
            config.file(LayerKind::User, &environment.config_file())?,
            Layer::of_environment(environment),
            Layer::of_flags(flags),
        ];
        for layer in layers {
            config.learn(&layer.settings);
            config.said.extend(layer.settings);
            problems.extend(layer.problems);
        }
        config.lock();
        Ok((config, problems))
    }

    /// What would be wrong with the project's file, whether it has a say or not.
    pub(crate) fn problems_of_project(&self) -> Result<Vec<ConfigError>, CommandError> {
        let Some(file) = project::config_file(&self.environment) else {
            return Ok(Vec::new());
        };
        let layer = self.clone().file(LayerKind::Project, &file)?;
        Ok(self.problems_with_project(layer))
    }

    /// What would be wrong with such a file of the project.
    pub(crate) fn problems_with_project(&self, layer: Layer) -> Vec<ConfigError> {
        self.clone().add_project(layer)
    }

    /// Puts the project's settings below the environment's, but for those that loosen.
    fn add_project(&mut self, layer: Layer) -> Vec<ConfigError> {
        let mut problems = layer.problems;
        let mut settings = layer.settings;
        let before = |each: &Setting| each.origin.layer() < LayerKind::Project;
        let mut unused_ones = Vec::new();
        settings.retain(|setting| {
            // Who wrote the project could not know of the block, so it is no error.
            if let Some(problem) = self.lifted_by(setting, LayerKind::Project) {
                unused_ones.push(unused(setting, problem));
                return false;
            }
            let problem = loosened(setting, self.below_project(&setting.key));
            let is_fine = problem.is_none();
            problems.extend(problem.map(|problem| ConfigError {
                at: Some(setting.origin.clone()),
                problem,
            }));
            is_fine
        });
        self.warnings.extend(unused_ones);
        self.learn(&settings);
        let at = self.said.partition_point(before);
        self.said.splice(at..at, settings);
        self.lock();
        problems
    }

    /// What one layer says, whether it counts or not.
    pub(crate) fn of_layer(&self, kind: LayerKind) -> Result<Vec<Setting>, CommandError> {
        if kind == LayerKind::Project
            && self.project_trust != ProjectTrust::Trusted
            && let Some(file) = project::config_file(&self.environment)
        {
            let settings = self.clone().file(kind, &file)?.settings;
            self.learn(&settings);
            return Ok(settings);
        }
        let said = self.said.iter().filter(|each| each.origin.layer() == kind);
        Ok(said.cloned().collect())
    }

    fn file(&mut self, kind: LayerKind, path: &Path) -> Result<Layer, CommandError> {
        let owner = match kind {
            LayerKind::Project => Owner::Project,
            _ => Owner::User,
        };
        let file = private::read(path, owner)?;
        let layer = Layer::of_file(kind, path, &file.text);
        if kind != LayerKind::Project {
            let path = path.display();
            let holds_secret = layer
                .settings
                .iter()
                .any(|setting| setting.value.holds_secret());
            if file.mode & 0o002 != 0 {
                self.warnings.push(format!(
                    "everyone on this machine can change `{path}`: run `chmod go-w` on it"
                ));
            } else if file.mode & 0o044 != 0 && holds_secret && kind == LayerKind::User {
                self.warnings.push(format!(
                    "others on this machine can read the secrets in `{path}`: run `chmod 600` on it"
                ));
            }
        }
        Ok(layer)
    }

    /// Keeps the secrets in settings, and the values of the variables they name, from being said.
    fn learn(&self, settings: &[Setting]) {
        for setting in settings {
            let template = match &setting.value {
                ConfigValue::Auth(auth) => auth.template(),
                ConfigValue::Token(token) => token,
                ConfigValue::Address(address) => {
                    self.redactor.learn_address(&address.written());
                    continue;
                }
                _ => continue,
            };
            let variables = template.variables();
            let variables = variables.filter_map(|name| self.environment.variable(name));
            for secret in template.secrets().cloned().chain(variables) {
                if setting.key.starts_with("models.") {
                    self.redactor.learn_model_key(secret.expose());
                } else {
                    self.redactor.learn(secret.expose());
                }
            }
        }
    }
}

/// Why a project may not set this, given what holds without it.
pub(crate) fn loosened(setting: &Setting, weaker: Option<&Setting>) -> Option<ConfigProblem> {
    if setting.entry.project != Project::Tighten {
        return None;
    }
    let weaker = weaker?;
    let is_tight = setting
        .entry
        .kind
        .is_as_tight(&setting.value, &weaker.value);
    (!is_tight).then(|| ConfigProblem::Loosens {
        key: setting.key.clone(),
        than: format!("{} ({})", weaker.value, weaker.origin.described()),
    })
}

/// What holds without any configuration, whenever it is read.
static DEFAULTS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let settings = schema::defaults().filter_map(|(key, entry, plain)| {
        Some(Setting {
            key,
            entry,
            value: entry.kind.read_plain(plain).ok()?,
            origin: SettingOrigin::Default,
        })
    });
    settings.collect()
});
