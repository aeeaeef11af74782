//! Where a command installs: the scope, the store and the agents' folders.

mod portable;
mod scopes;
mod wanted_scope;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use portable::Around;
use skillyard_catalog::agents::{AGENTS, Agent, Home, Variables};
use skillyard_catalog::surroundings::{Preset, Surroundings, has_project_files};
use skillyard_install::LeftFolder;
use skillyard_install::lockfile::Lockfile;
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::InstalledState;
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;
use skillyard_install::store::Store;
use skillyard_install::target::{self, AgentChoice, TargetError};
use skillyard_install::transaction;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::chronicle;
use crate::install::written;

use scopes::neighbours;
pub(crate) use scopes::{all, deciding, is_among_own, scopes};
pub(crate) use wanted_scope::{ScopeArgs, ScopeName};

/// The scope a command works in, and what lies around it.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) scope: Scope,
    pub(crate) store: Store,
    pub(crate) records: Records,
    home: Option<PathBuf>,
    agent_variables: Variables,
    /// The order of sources; where it cannot be read, commands say why.
    pub(crate) preset: Preset,
    /// What paths are written relative to, once somebody asked for it.
    around: OnceLock<Option<Around>>,
}

impl Place {
    /// Finds the scope.
    pub(crate) fn find(context: &Context, args: &ScopeArgs) -> Result<Self, CommandError> {
        let environment = &context.environment;
        // Who was in a project does not mean their own skills.
        if environment.is_nowhere() && args.scope != Some(ScopeName::User) {
            return Err(CommandError::Nowhere);
        }
        chronicle::recover(context);
        // What cannot be removed is told by `doctor`.
        let _ = store(context).sweep();
        let project = project(context);
        // What commands mean that name no scope needs none to be typed.
        context.work_in(match (args.scope, &project) {
            (Some(ScopeName::User), Some(_)) => " --scope user",
            (Some(ScopeName::Project), None) => " --scope project",
            _ => "",
        });
        let scope = match args.scope {
            Some(ScopeName::Project) => project.unwrap_or_else(|| environment.current_dir.clone()),
            Some(ScopeName::User) => return Self::user(context),
            None => match project {
                Some(project) => project,
                None => return Self::user(context),
            },
        };
        Ok(Self::with(
            context,
            Scope::project(&scope, &environment.skillyard_home),
        ))
    }

    fn user(context: &Context) -> Result<Self, CommandError> {
        let environment = &context.environment;
        let home = environment.home.as_deref().ok_or(InstallFailure::NoHome)?;
        Ok(Self::with(
            context,
            Scope::user(
                home,
                &environment.agent_variables,
                &environment.skillyard_home,
            ),
        ))
    }

    /// What lies around a scope.
    pub(crate) fn with(context: &Context, scope: Scope) -> Self {
        let environment = &context.environment;
        chronicle::recover_moved(context, &scope);
        Self {
            store: store(context),
            records: Records::beside(neighbours(context, &scope)),
            scope,
            home: environment.home.clone(),
            agent_variables: environment.agent_variables.clone(),
            preset: context
                .config()
                .map(|config| config.preset())
                .unwrap_or_default(),
            around: OnceLock::new(),
        }
    }

    /// The same, or where it has none of these skills and a folder has one that a variable named once,
    /// the scope as it was then.
    pub(crate) fn or_left(self, context: &Context, names: &[String]) -> Result<Self, CommandError> {
        let before = self.before()?;
        let is_here = |name: &String| before.entry(name).is_some();
        if names.iter().any(is_here) {
            return Ok(self);
        }
        let is_named = |each: &LeftFolder| names.iter().any(|name| each.record.get(name).is_some());
        let Some(left) = self.scope.left_folders().into_iter().find(is_named) else {
            return Ok(self);
        };
        // What the user wrote here is nearer than what lies where nothing leads any more, unless it is
        // that, because other agents read it there.
        for name in names {
            let is_left = |folder: &PathBuf| {
                let place = left.folder.join(name);
                left.record.get(name).is_some() && whole(folder) == whole(&place)
            };
            let found = written::find(context, &self, name)?;
            if found.is_some_and(|found| !found.folders.iter().all(is_left)) {
                return Ok(self);
            }
        }
        Ok(Self::with(context, left.scope(&self.scope)))
    }

    /// What is installed.
    pub(crate) fn lock(&self) -> Result<Lockfile, CommandError> {
        let lock = self.records.lock(&self.scope);
        Ok(lock.map_err(InstallFailure::from)?)
    }

    /// What the lock names, and what this machine put into the folders.
    pub(crate) fn before(&self) -> Result<InstalledState, CommandError> {
        let before = transaction::before(&self.scope, &self.records);
        Ok(before.map_err(InstallFailure::from)?)
    }

    /// What the project wants; nothing in the user's scope.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>, CommandError> {
        let manifest = self.records.manifest(&self.scope);
        Ok(manifest.map_err(InstallFailure::from)?)
    }

    /// Whether there is a file that says what is wanted.
    pub(crate) fn has_manifest(&self) -> bool {
        let file = self.scope.manifest_file();
        file.is_some_and(|file| file.exists())
    }

    /// The folders to install into: of the agents that were named, beside those that every skill is
    /// for; else of those of the manifest, else of those of the configuration.
    pub(crate) fn targets(
        &self,
        named: &[String],
        configured: &[String],
    ) -> Result<Vec<String>, CommandError> {
        let manifest = self.manifest()?;
        let wanted = manifest.as_ref().map_or(&[][..], Manifest::agents);
        // First what is wrong with the file: it holds for every command.
        let for_all = manifest.as_ref().map(|each| self.targets_for_all(each));
        let for_all = for_all.transpose()?;
        let choices = [named, wanted, configured];
        let mut choices = choices.into_iter().map(AgentChoice::of);
        let choice = choices.find(|choice| *choice != AgentChoice::Usual);
        let mut targets = self.targets_of(&choice.unwrap_or(AgentChoice::Usual))?;
        if let Some(for_all) = for_all {
            targets.extend(for_all);
            targets.sort_unstable();
            targets.dedup();
        }
        Ok(targets)
    }

    /// The folders of these agents.
    pub(crate) fn folders_of(&self, agents: &[String]) -> Result<Vec<String>, CommandError> {
        self.targets_of(&AgentChoice::of(agents))
    }

    /// The agents in use here that read skills from one of these folders, but for those that are named.
    pub(crate) fn readers(&self, folders: &[String], named: &[String]) -> Vec<&'static str> {
        let home = Home::new(self.home.as_deref(), &self.agent_variables);
        let reads = |agent: &&Agent| {
            let own = self.chosen(&AgentChoice::Named(vec![agent.id.clone()]));
            let is_theirs = |own: Vec<String>| own.iter().any(|each| folders.contains(each));
            !named.contains(&agent.id)
                && agent.is_present(home, &self.scope.root)
                && own.is_ok_and(is_theirs)
        };
        let readers = AGENTS.iter().filter(reads);
        readers.map(|agent| agent.name.as_str()).collect()
    }

    /// The folders that every skill is to be in, because the manifest names their agents. `all` means
    /// something else on each machine, and the lock is for everyone.
    pub(crate) fn targets_for_all(&self, manifest: &Manifest) -> Result<Vec<String>, CommandError> {
        match AgentChoice::by_name(manifest.agents()) {
            choice @ AgentChoice::Named(_) => {
                let targets = self.chosen(&choice);
                let failed = |error| InstallFailure::ManifestAgents {
                    meant: target::meant(manifest.agents()),
                    error,
                };
                Ok(targets.map_err(failed)?)
            }
            AgentChoice::Usual | AgentChoice::All => Ok(Vec::new()),
        }
    }

    fn targets_of(&self, choice: &AgentChoice) -> Result<Vec<String>, CommandError> {
        Ok(self.chosen(choice).map_err(InstallFailure::from)?)
    }

    fn chosen(&self, choice: &AgentChoice) -> Result<Vec<String>, TargetError> {
        let home = Home::new(self.home.as_deref(), &self.agent_variables);
        choice.targets(&self.scope, home, self.preset)
    }
}

/// Where the bytes of installed skills are.
pub(crate) fn store(context: &Context) -> Store {
    Store::new(&context.environment.skillyard_home.join("store"))
}

/// A path with no link in it, where there is something.
pub(crate) fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The root of the project that commands mean here.
///
/// The home is a project only to who is in it and asked for one there: a repository of settings
/// is none, and folders below it are not part of one.
pub(crate) fn project(context: &Context) -> Option<PathBuf> {
    let surroundings = surroundings(context);
    let current = surroundings.current.as_path();
    let root = if surroundings.is_home(current) {
        has_project_files(current).then_some(current)
    } else {
        surroundings.install_root()
    };
    root.map(Path::to_owned)
}

fn surroundings(context: &Context) -> Surroundings {
    Surroundings {
        current: context.environment.current_dir.clone(),
        home: context.environment.home.clone(),
        ..Surroundings::default()
    }
}
