//! Running a program in a sandbox, from the profile to the outcome.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::backend::Backend;
use crate::command::{Command, Live};
use crate::error::SandboxError;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::survey::Survey;

#[cfg(target_os = "linux")]
use crate::identity::Identity;

/// A way to run programs, chosen once.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub(crate) backend: Backend,
    pub(crate) survey: Survey,
    pub(crate) launcher: PathBuf,
    pub(crate) temporary: PathBuf,
    pub(crate) image: String,
    #[cfg(target_os = "linux")]
    pub(crate) identity: Option<Identity>,
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
        Ok(Self {
            backend,
            survey,
            launcher: launcher.to_owned(),
            temporary: temporary.to_owned(),
            image: crate::backend::container::IMAGE.to_owned(),
            #[cfg(target_os = "linux")]
            identity: match backend {
                Backend::Bubblewrap | Backend::Landlock => Identity::needed(),
                Backend::Seatbelt | Backend::Container | Backend::None => None,
            },
        })
    }

    /// The same with another image for containers.
    #[must_use]
    pub fn with_image(mut self, image: &str) -> Self {
        image.clone_into(&mut self.image);
        self
    }

    /// The best that this machine has for such a profile, with our own binary as the launcher: it must
    /// call [`crate::launcher::main`] before anything else.
    pub fn best(profile: &Profile, temporary: &Path) -> Result<Self, SandboxError> {
        let survey = Survey::take();
        let backend = Backend::best(&survey, profile)?;
        Self::new(backend, survey, Path::new("/proc/self/exe"), temporary)
    }

    /// Which kind it is.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Who programs will be, if not the user who starts them. A folder that is made for a
    /// program must let this user in.
    #[cfg(target_os = "linux")]
    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// The user and the group that programs will be, if not those who start them.
    #[cfg(target_os = "linux")]
    pub fn owner(&self) -> Option<(u32, u32)> {
        self.identity.map(|each| (each.uid, each.gid))
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
        if let Some(reason) = self.backend.cannot(profile) {
            let backend = self.backend;
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
        match self.backend {
            #[cfg(target_os = "linux")]
            Backend::Bubblewrap | Backend::Landlock | Backend::None => {
                crate::launch::run(self, profile, command, live)
            }
            _ => crate::direct::run(self, profile, command, live),
        }
    }
}
