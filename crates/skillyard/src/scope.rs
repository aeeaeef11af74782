//! Where a command installs: the scope, the store and the agents' folders.

mod scopes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{io, iter};

use serde::{Deserialize, Serialize};
use skillyard_audit::{Event, Outcome};
use skillyard_catalog::agents::{AGENTS, Agent, Home, Variables};
use skillyard_catalog::surroundings::{Preset, Surroundings, has_project_files};
use skillyard_install::change_audit::ChangeOutcome;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::InstalledState;
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;
use skillyard_install::store::Store;
use skillyard_install::target::{self, AgentChoice, TargetError};
use skillyard_install::transaction;

use crate::config::install::ScopeName;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::scope;

use scopes::neighbours;
pub(crate) use scopes::{all, deciding, is_among_own, scopes};

/// The scope a command works in, and what lies around it.
#[derive(Debug)]
pub(crate) struct ScopeContext {
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

impl ScopeContext {
    /// Finds the scope.
    pub(crate) fn find(context: &Context, args: &ScopeArgs) -> Result<Self, CommandError> {
        let environment = &context.environment;
        // Who was in a project does not mean their own skills.
        if environment.is_nowhere() && args.scope != Some(ScopeName::User) {
            return Err(CommandError::Nowhere);
        }
        recover(context);
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
        recover_moved(context, &scope);
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

/// Where skills are installed.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ScopeArgs {
    /// Whose skills: the project's around the current folder, or yours [default: project in a
    /// repository or beside a skills.toml, else user]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeName>,
}

impl ScopeArgs {
    /// The scope that was named, else the one of the configuration.
    pub(crate) fn or_configured(&self, context: &Context) -> Result<Self, CommandError> {
        let config = context.config()?;
        let scope = match self.scope {
            None => config.install_scope(),
            Some(named) => {
                config.keep_locked("install.scope", "`--scope`", named.as_str())?;
                Some(named)
            }
        };
        Ok(Self { scope })
    }

    /// What to type behind another command so that it means the same scope.
    pub(crate) fn typed(&self) -> &'static str {
        match self.scope {
            Some(ScopeName::User) => " --scope user",
            Some(ScopeName::Project) => " --scope project",
            None => "",
        }
    }
}

/// Where a skill is put.
pub(crate) fn folders(scope: &Scope, entry: &Locked) -> impl Iterator<Item = PathBuf> {
    let targets = entry.targets.iter();
    targets.map(|target| scope.target(target).join(&entry.name))
}

/// Whether something lies where a skill is put.
pub(crate) fn is_installed(place: &ScopeContext, entry: &Locked) -> bool {
    folders(&place.scope, entry).any(|folder| folder.exists())
}

/// The commands that bring skills here that are locked and not here, one for each scope.
pub(crate) fn remedies(context: &Context, names: &BTreeSet<&str>) -> Vec<String> {
    let places = scope::all(context).into_iter();
    let lacking = places.filter(|(place, _)| {
        let lock = place.lock().unwrap_or_default();
        let mut entries = lock.skills().iter();
        entries.any(|entry| names.contains(entry.name.as_str()) && !is_installed(place, entry))
    });
    let commands = lacking.map(|(_, scope)| format!("`skillyard sync{scope}`"));
    let commands: Vec<String> = commands.collect();
    if commands.is_empty() {
        return vec!["`skillyard sync` in the project around this one".to_owned()];
    }
    commands
}

/// What to type behind `sync` for a skill that is locked and not here. A lock that cannot be read is
/// told of elsewhere.
pub(crate) fn scope_of(context: &Context, name: &str) -> Option<&'static str> {
    let mut places = scope::all(context).into_iter();
    places.find_map(|(place, scope)| {
        let lock = place.lock().ok()?;
        let entry = lock.get(name)?;
        (!is_installed(&place, entry)).then_some(scope)
    })
}

/// A project and the repository that it is part of, with no link in their paths.
#[derive(Debug)]
struct Around {
    root: PathBuf,
    /// The project itself, where that is in none.
    repository: PathBuf,
}

impl ScopeContext {
    /// A path as the lock has it: relative in a project, so that it means the same elsewhere.
    pub(crate) fn portable(&self, path: &Path) -> String {
        self.portable_whole(&whole(path))
    }

    /// The same of a path whose last name says what it is, and so stays even if it is a link.
    pub(crate) fn portable_named(&self, path: &Path) -> String {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => self.portable_whole(&whole(folder).join(name)),
            _ => self.portable(path),
        }
    }

    /// The same of a path that has no link in it. What lies beside a project in its repository is
    /// checked out with it, and wherever that is.
    pub(crate) fn portable_whole(&self, whole: &Path) -> String {
        let around = self.around.get_or_init(|| self.around());
        let Some(Around { root, repository }) = around else {
            return whole.display().to_string();
        };
        if let Ok(below) = whole.strip_prefix(root) {
            return match below.to_str() {
                Some("") => ".".to_owned(),
                _ => format!("./{}", below.display()),
            };
        }
        let mut up = PathBuf::new();
        for folder in root.ancestors().skip(1) {
            if !folder.starts_with(repository) {
                break;
            }
            up.push("..");
            if let Ok(below) = whole.strip_prefix(folder) {
                // Joined with nothing, a path would end in a slash.
                up.extend(below.components());
                return up.display().to_string();
            }
        }
        whole.display().to_string()
    }

    /// A project and its repository; nothing in the user's scope, which is nobody else's.
    fn around(&self) -> Option<Around> {
        self.scope.manifest_file()?;
        let root = self.scope.root.canonicalize().ok()?;
        let surroundings = Surroundings {
            current: root.clone(),
            home: self.home.as_deref().map(whole),
            ..Surroundings::default()
        };
        let repository = surroundings.repository().unwrap_or(&root).to_owned();
        Some(Around { root, repository })
    }
}

/// Whether a skill is there for its own sake. What `skills.toml` names is, also while the lock has it as
/// what others need.
pub(crate) fn is_asked_for(entry: &Locked, manifest: Option<&Manifest>) -> bool {
    !entry.dependency || manifest.is_some_and(|manifest| manifest.get(&entry.name).is_some())
}

/// These skills, and everything they need.
pub(crate) fn needed_by<'a>(
    lock: &'a Lockfile,
    names: impl Iterator<Item = &'a str>,
) -> BTreeSet<&'a str> {
    let mut needed = BTreeSet::new();
    let mut queue: Vec<&str> = names.collect();
    while let Some(name) = queue.pop() {
        if needed.insert(name)
            && let Some(entry) = lock.get(name)
        {
            queue.extend(entry.needs());
        }
    }
    needed
}

/// The skills that need another one, also by way of others.
pub(crate) fn leading_to<'a>(
    lock: &'a Lockfile,
    name: &'a str,
) -> impl Iterator<Item = &'a Locked> {
    lock.skills().iter().filter(move |each| {
        let own = iter::once(each.name.as_str());
        each.name != name && needed_by(lock, own).contains(name)
    })
}

/// These skills, and everything among what a command brings that needs them.
pub(crate) fn needing<'a>(
    needed: &'a [Needed],
    names: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<&'a str> {
    let mut reached: BTreeSet<&str> = names.into_iter().collect();
    let mut count = 0;
    while count != reached.len() {
        count = reached.len();
        for each in needed {
            let mut requires = each.requires.iter();
            if requires.any(|required| reached.contains(required.name.as_str())) {
                reached.insert(&each.candidate.name);
            }
        }
    }
    reached
}

/// The lock with some entries changed and others gone.
pub(crate) fn after(lock: &Lockfile, present: &[Locked], absent: &[String]) -> Lockfile {
    let mut lock = lock.clone();
    for entry in present {
        lock.put(entry.clone());
    }
    for name in absent {
        lock.remove(name);
    }
    lock
}

/// The detail that the events of one change have in common.
pub(crate) const TRANSACTION: &str = "transaction";

/// What there is to write down.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PendingEvents {
    pub(crate) transaction: String,
    pub(crate) events: Vec<Event>,
}

/// Writes down what a process that was ended had begun, as far as it did not.
pub(crate) fn catch_up(context: &Context, note: &str, ending: ChangeOutcome<'_>) -> io::Result<()> {
    let PendingEvents {
        transaction,
        events,
    } = serde_json::from_str(note)?;
    // What was told of each skill: that it happened, that it did not.
    let mut told: BTreeSet<(String, String, bool)> = BTreeSet::new();
    let logs = context.environment.logs_folder();
    let read = skillyard_audit::for_each_entry(&logs, |_, entry| {
        if entry.detail.get(TRANSACTION) == Some(&transaction) {
            let skill = entry.skill.clone().unwrap_or_default();
            let failed = entry.outcome == Outcome::Failed.as_str();
            told.insert((entry.event.to_string(), skill.into_owned(), failed));
        }
    });
    read.map_err(io::Error::other)?;
    let is_told = |event: &Event, failed: bool| {
        let skill = event.skill.clone().unwrap_or_default();
        told.contains(&(event.kind.to_string(), skill, failed))
    };
    let events = events.into_iter();
    let untold: Vec<Event> = match ending {
        ChangeOutcome::Happens => events
            .filter(|event| !is_told(event, false) || is_told(event, true))
            .collect(),
        // Nobody needs to take back what nobody said.
        ChangeOutcome::Undone(reason) => events
            .filter(|event| is_told(event, false) && !is_told(event, true))
            .map(|event| event.ended(Outcome::Failed, format!("undone: {reason}")))
            .collect(),
    };
    if untold.is_empty() {
        return Ok(());
    }
    let untold = untold.into_iter();
    let untold: Vec<Event> = untold
        .map(|event| event.detail("interrupted", "yes"))
        .collect();
    let recorder = context.recorder().map_err(io::Error::other)?;
    recorder.record_all(&untold).map_err(io::Error::other)
}

/// Ends what was begun in a project before it was moved. What cannot be ended now is told by whoever
/// changes something.
pub(crate) fn recover_moved(context: &Context, scope: &Scope) {
    let catch_up = |note: &str, ending: ChangeOutcome<'_>| catch_up(context, note, ending);
    let _ = skillyard_install::recover_moved(scope, &catch_up);
}

/// Ends what processes that were ended had begun; the journals that cannot be worked off, and why.
pub(crate) fn recover(context: &Context) -> Vec<(PathBuf, io::Error)> {
    let home = &context.environment.skillyard_home;
    skillyard_install::recover_all(home, &|note, ending| catch_up(context, note, ending))
}
