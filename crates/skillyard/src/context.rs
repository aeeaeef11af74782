//! What the commands share.

mod ignored;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use skillyard_agent::telemetry::Tracer;
use skillyard_audit::{AuditLog, Event, Options, Recorder, Redact as _};

pub(crate) use self::ignored::{GIT_NEEDED, guessed, in_words};
use crate::believed::check_ours;
use crate::cli::Global;
use crate::config::Config;
use crate::config::private_file::refuse_dangling;
use crate::environment::Environment;
use crate::error::{CommandError, with_scope};
use crate::printer::Printer;
use crate::redactor::Redactor;
use crate::sanitize::visible;

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
    pub(crate) fn new(global: &Global, environment: Environment, redactor: Redactor) -> Self {
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
        let scope = self.typed_scope.lock();
        *scope.unwrap_or_else(PoisonError::into_inner) = typed_scope;
    }

    /// A hint whose commands mean the scope that this one works in.
    pub(crate) fn scoped(&self, hint: &str) -> String {
        let scope = self.typed_scope.lock();
        let scope = *scope.unwrap_or_else(PoisonError::into_inner);
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
