//! What the commands share.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use parking_lot::Mutex;
use skillyard_agent::telemetry::Tracer;
use skillyard_audit::{AuditLog, Event, Options, Recorder, Redact as _};
use skillyard_install::git::{Git, Ignoring};
use skillyard_install::tree::{Ignored, Unasked};

use crate::config::Config;
use crate::environment::Environment;
use crate::error::{CommandError, GIT_NEEDED};
use crate::files::check_ours;
use crate::files::private::refuse_dangling;
use crate::global_args::GlobalArgs;
use crate::printer::Printer;
use crate::redactor::Redactor;
use crate::text::sanitize::visible;

/// The surroundings of a command.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The way to the user.
    pub(crate) printer: Printer,
    /// What the environment says.
    pub(crate) environment: Environment,
    /// What is never said; the printer has it too.
    redactor: Redactor,
    /// `--config`, as given.
    flags: Vec<String>,
    warned: Arc<AtomicBool>,
    /// The repositories that it was told of that git could not be asked about them.
    doubted: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// The configuration that holds until the end, once somebody wants it to.
    kept: Arc<OnceLock<Config>>,
    /// How many files of the log are kept by the configuration that was read last; 0 before that.
    keep: Arc<AtomicUsize>,
    /// What to type behind a command so that it means the scope that this one works in.
    typed_scope: Arc<Mutex<&'static str>>,
    /// What every event says besides.
    details: BTreeMap<String, String>,
    /// The way to the receiver of traces, once somebody needed it.
    pub(crate) tracer: Arc<OnceLock<Arc<Tracer>>>,
}

impl Context {
    /// Resolves the global flags.
    pub(crate) fn new(global: &GlobalArgs, environment: Environment, redactor: Redactor) -> Self {
        Self {
            printer: Printer::new(global, &environment, redactor.clone()),
            environment,
            redactor,
            flags: global.config.clone(),
            warned: Arc::default(),
            doubted: Arc::default(),
            kept: Arc::default(),
            keep: Arc::default(),
            typed_scope: Arc::default(),
            details: BTreeMap::new(),
            tracer: Arc::default(),
        }
    }

    /// What time it is.
    #[expect(clippy::unused_self, reason = "the clock is part of the surroundings")]
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    /// From now on this value is not shown.
    pub(crate) fn learn(&self, value: &str) {
        self.redactor.learn(value);
    }

    /// From now on the password in this address is not shown.
    pub(crate) fn learn_address(&self, address: &str) {
        self.redactor.learn_address(address);
    }

    /// The name of a skill is shown, whatever the address says that it is from.
    pub(crate) fn show_name(&self, name: &str) {
        self.redactor.show_name(name);
    }

    /// The scope that is worked in from now on, as it is typed behind other commands.
    pub(crate) fn work_in(&self, typed_scope: &'static str) {
        *self.typed_scope.lock() = typed_scope;
    }

    /// A hint whose commands mean the scope that this one works in.
    pub(crate) fn scoped(&self, hint: &str) -> String {
        let scope = *self.typed_scope.lock();
        with_scope(hint, scope)
    }

    /// What takes secrets out of words that go elsewhere than to the printer.
    pub(crate) fn redaction(&self) -> impl Fn(&str) -> String + Send + Sync + use<> {
        let redactor = self.redactor.clone();
        move |text| redactor.redact(text).into_owned()
    }

    /// What effects are recorded with.
    pub(crate) fn recorder(&self) -> Result<Recorder, CommandError> {
        if self.keep.load(Ordering::Relaxed) == 0 {
            // A configuration that cannot be read keeps nothing from being recorded.
            let _ = self.config();
        }
        let default = Options::default();
        let keep = self.keep.load(Ordering::Relaxed);
        let options = Options {
            keep: if keep == 0 { default.keep } else { keep },
            redact: Box::new(self.redactor.clone()),
            ..default
        };
        check_ours(&self.environment.skillyard_home)?;
        let log = AuditLog::open(&self.environment.logs_folder(), options).map_err(|error| {
            let dangling = refuse_dangling(&self.environment.skillyard_home);
            dangling.err().unwrap_or(error.into())
        })?;
        let recorder = Recorder::new(log, &*self.environment.user, Timestamp::now);
        Ok(recorder.with_details(self.details.clone()))
    }

    /// The same, for somebody whom every event names.
    pub(crate) fn on_behalf_of(&self, details: BTreeMap<String, String>) -> Self {
        Self {
            details,
            ..self.clone()
        }
    }

    /// The same, for somebody who works in another folder: its skills, its configuration and its
    /// trust hold.
    pub(crate) fn in_folder(&self, folder: &Path) -> Self {
        let mut other = self.clone();
        other.environment.current_dir = self.environment.current_dir.join(folder);
        other.kept = Arc::default();
        other
    }

    /// Fails where nothing can be recorded: what must not happen unrecorded asks before it begins.
    pub(crate) fn ready_to_record(&self) -> Result<Recorder, CommandError> {
        let recorder = self.recorder()?;
        recorder.make_ready()?;
        Ok(recorder)
    }

    /// Writes down what a command did.
    pub(crate) fn record(&self, event: &Event) -> Result<(), CommandError> {
        self.recorder()?.record(event)?;
        Ok(())
    }

    /// As much of the configuration as can be read, for who mends it: the project has no say in it.
    pub(crate) fn readable_config(&self) -> Result<Config, CommandError> {
        let read = Config::without_project(&self.environment, &self.flags, &self.redactor);
        read.map(|(config, _)| config)
    }

    /// The configuration as it is now; the first time, what is doubtful about it is told.
    pub(crate) fn config(&self) -> Result<Config, CommandError> {
        if let Some(kept) = self.kept.get() {
            return Ok(kept.clone());
        }
        let config = Config::load(&self.environment, &self.flags, &self.redactor)?;
        let keep = config.count("audit.keep").unwrap_or_default();
        self.keep.store(keep, Ordering::Relaxed);
        if !self.warned.swap(true, Ordering::Relaxed) {
            for warning in &config.warnings {
                self.printer.note(&format!("warning: {}", visible(warning)));
            }
        }
        Ok(config)
    }

    /// Goes by the configuration as it is now until the end: what is one change is decided by one.
    pub(crate) fn keep_config(&self) -> Result<(), CommandError> {
        let config = self.config()?;
        self.kept.get_or_init(|| config);
        Ok(())
    }
}

/// Commands that mean the skills of a scope.
const SCOPED: [&str; 6] = ["install", "outdated", "remove", "sync", "update", "why"];

/// The hint with `scope` typed behind the commands in it that need it.
pub(crate) fn with_scope(hint: &str, scope: &str) -> String {
    if scope.is_empty() {
        return hint.to_owned();
    }
    let parts: Vec<&str> = hint.split('`').collect();
    let typed = parts.iter().enumerate().map(|(at, part)| {
        // One that is to be run in another folder means the project there.
        let is_elsewhere = parts.get(at + 1).is_some_and(|behind| *behind == " in ");
        if is_scoped(part) && !is_elsewhere {
            format!("{part}{scope}")
        } else {
            (*part).to_owned()
        }
    });
    typed.collect::<Vec<_>>().join("`")
}

fn is_scoped(command: &str) -> bool {
    let verb = command.strip_prefix("skillyard ");
    let verb = verb.and_then(|words| words.split(' ').next());
    verb.is_some_and(|verb| SCOPED.contains(&verb)) && !command.contains(" --scope")
}

impl Context {
    /// The git of this machine, if it has one.
    pub(crate) fn git(&self) -> Option<Git> {
        let program = self.environment.program("git")?;
        Some(Git::new(&program).with_proxies(&self.environment.proxies))
    }

    /// Who says what git ignores.
    pub(crate) fn ignoring(&self) -> Ignoring {
        Ignoring::new(self.git())
    }

    /// What git ignores in a folder; warns if git could not be asked.
    pub(crate) fn ignored_in(&self, folder: &Path) -> Ignored {
        let ignored = self.asked(folder);
        if let Some(unasked) = ignored.unasked() {
            self.tell_unasked(unasked);
        }
        ignored
    }

    /// The same for who hands the folder on, which cannot be undone: fails if git could not be asked.
    pub(crate) fn surely_ignored_in(&self, folder: &Path) -> Result<Ignored, CommandError> {
        let ignored = self.asked(folder);
        match ignored.unasked() {
            None => Ok(ignored),
            Some(unasked) => Err(CommandError::Unasked {
                folder: folder.to_owned(),
                source: Arc::clone(unasked),
            }),
        }
    }

    fn asked(&self, folder: &Path) -> Ignored {
        let mut ignored = self.ignoring().in_folders(&[folder]);
        ignored.pop().unwrap_or_default()
    }

    /// Tells, once for each repository, that nothing was left out because git ignores it.
    pub(crate) fn tell_unasked(&self, unasked: &Unasked) {
        let mut told = self.doubted.lock();
        if !told.insert(unasked.repository.clone()) {
            return;
        }
        self.printer.warn(&guessed(unasked));
        self.printer.note(&format!("hint: {GIT_NEEDED}"));
    }
}

/// The warning that git could not be asked.
pub(crate) fn guessed(unasked: &Unasked) -> String {
    format!(
        "{}; all files are taken, also those that it may ignore",
        ignored_in_words(unasked)
    )
}

/// That git could not be asked, and why.
pub(crate) fn ignored_in_words(unasked: &Unasked) -> String {
    let mut text = unasked.to_string();
    let mut source = unasked.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod scoped_hint_tests {
    use super::*;

    #[test]
    fn only_commands_of_a_scope_that_name_none_get_one() {
        let check = |hint: &str, expected: &str| {
            assert_eq!(with_scope(hint, " --scope user"), expected);
            assert_eq!(with_scope(hint, ""), hint);
        };
        check(
            "`--force` it: `skillyard remove pdf`, or `skillyard sync`",
            "`--force` it: `skillyard remove pdf --scope user`, or `skillyard sync --scope user`",
        );
        for hint in [
            "Take it with `skillyard remove pdf --scope project`",
            "Put it right with `skillyard sync` in `/other`",
            "Let it with `skillyard trust pdf --scripts`; see `skillyard list`",
            "Call it `skillyard`, or `sync`",
        ] {
            check(hint, hint);
        }
    }
}
