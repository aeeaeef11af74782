//! Running a program in a sandbox, from the profile to the outcome.

use std::ffi::OsString;
use std::path::Path;

use crate::backend::Backend;
use crate::command::{Command, Live};
use crate::error::SandboxError;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::setup::Setup;
use crate::survey::Survey;

#[cfg(target_os = "linux")]
use crate::identity::UserIds;

/// A way to run programs, chosen once.
#[derive(Debug, Clone)]
pub struct Sandbox {
    setup: Setup,
}

impl Sandbox {
    /// A sandbox of this kind. `launcher` is a binary that calls [`crate::launcher::main`]
    /// first, `/proc/self/exe` for our own; `temporary` is where private folders are made.
    pub fn new(
        backend: Backend,
        survey: Survey,
        launcher: &Path,
        temporary: &Path,
    ) -> Result<Self, SandboxError> {
        #[cfg(target_os = "linux")]
        if crate::launcher::is_launcher(std::env::args_os()) {
            // It would start itself again, and again.
            return Err(SandboxError::NoLauncher);
        }
        if let Some(reason) = survey.missing(backend) {
            return Err(SandboxError::Unavailable { backend, reason });
        }
        let setup = Setup {
            backend,
            survey,
            launcher: launcher.to_owned(),
            temporary: temporary.to_owned(),
            image: crate::direct::container::IMAGE.to_owned(),
            #[cfg(target_os = "linux")]
            identity: match backend {
                Backend::Bubblewrap | Backend::Landlock => UserIds::needed(),
                Backend::Seatbelt | Backend::Container | Backend::None => None,
            },
        };
        Ok(Self { setup })
    }

    /// The same with another image for containers.
    #[must_use]
    pub fn with_image(mut self, image: &str) -> Self {
        image.clone_into(&mut self.setup.image);
        self
    }

    /// The best that this machine has for such a profile, with our own binary as the launcher: it must
    /// call [`crate::launcher::main`] before anything else.
    pub fn best(profile: &Profile, temporary: &Path) -> Result<Self, SandboxError> {
        let survey = Survey::take();
        let backend = survey.best_backend(profile)?;
        Self::new(backend, survey, Path::new("/proc/self/exe"), temporary)
    }

    /// Which kind it is.
    pub fn backend(&self) -> Backend {
        self.setup.backend
    }

    /// Who programs will be, if not the user who starts them. A folder that is made for a
    /// program must let this user in.
    #[cfg(target_os = "linux")]
    pub fn identity(&self) -> Option<UserIds> {
        self.setup.identity
    }

    /// The user and the group that programs will be, if not those who start them.
    #[cfg(target_os = "linux")]
    pub fn owner(&self) -> Option<(u32, u32)> {
        self.setup.identity.map(|each| (each.uid, each.gid))
    }

    /// Programs are who starts them, elsewhere.
    #[cfg(not(target_os = "linux"))]
    pub fn owner(&self) -> Option<(u32, u32)> {
        None
    }

    /// Runs a program to its end, or to the end of its limits.
    pub fn run(
        &self,
        profile: &Profile,
        command: &Command,
        live: Live<'_>,
    ) -> Result<Outcome, SandboxError> {
        if let Some(reason) = self.setup.backend.cannot(profile) {
            let backend = self.setup.backend;
            return Err(SandboxError::Unenforceable { backend, reason });
        }
        if !command.program.is_absolute() {
            return Err(SandboxError::Start {
                program: command.program.clone(),
                reason: "programs are named by their whole path".into(),
            });
        }
        // It would end the word there, and run something else than was asked about.
        let has_end = |word: &OsString| word.as_encoded_bytes().contains(&0);
        if command.arguments.iter().any(has_end) {
            return Err(SandboxError::Start {
                program: command.program.clone(),
                reason: "a zero byte cannot be in an argument".into(),
            });
        }
        for mount in &profile.mounts {
            if let Err(source) = std::fs::symlink_metadata(&mount.source) {
                let path = mount.source.clone();
                return Err(SandboxError::Mount { path, source });
            }
        }
        match self.setup.backend {
            #[cfg(target_os = "linux")]
            Backend::Bubblewrap | Backend::Landlock | Backend::None => {
                crate::linux::run(&self.setup, profile, command, live)
            }
            _ => crate::direct::run(&self.setup, profile, command, live),
        }
    }
}
