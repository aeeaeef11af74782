//! What a sandbox is made of: the choices that hold for every run.

use std::path::PathBuf;

use crate::backend::Backend;
#[cfg(target_os = "linux")]
use crate::identity::UserIds;
use crate::survey::Survey;

/// The choices that hold for every run.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) backend: Backend,
    pub(crate) survey: Survey,
    /// A binary that calls [`crate::launcher::main`] first.
    pub(crate) launcher: PathBuf,
    /// Where private folders are made.
    pub(crate) temporary: PathBuf,
    /// The image of containers.
    pub(crate) image: String,
    /// The user that programs become.
    #[cfg(target_os = "linux")]
    pub(crate) identity: Option<UserIds>,
}
