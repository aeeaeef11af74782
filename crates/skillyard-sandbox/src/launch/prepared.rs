//! The words that start a sandbox, and the descriptors they speak of.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags};

use super::failed;
use crate::backend::bubblewrap;
use crate::child;
use crate::error::{Doing as _, SandboxError};
use crate::identity::Identity;
use crate::launcher::orders::{IdMappedMount, Isolation, RootOrders, StageOrders, encode};
use crate::launcher::report::LaunchStep;
use crate::launcher::root::closed_folder;
use crate::launcher::{ARGUMENT, BECOME, SUPERVISE};
use crate::profile::{Access, Profile};
use crate::sandbox::Sandbox;
use crate::survey::LANDLOCK_NEEDED;

/// What is to be started, and as whom.
pub(super) struct Prepared {
    pub(super) argv: Vec<OsString>,
    /// The descriptors that the words speak of.
    pub(super) kept: Vec<OwnedFd>,
    pub(super) identity: Option<Identity>,
}

/// `bwrap`, started as a user without rights, with the stage as its program; it names its
/// process through `telling`, if there is one.
pub(super) fn in_bubblewrap(
    sandbox: &Sandbox,
    profile: &Profile,
    spec: &StageOrders,
    telling: Option<&OwnedFd>,
) -> Result<Prepared, SandboxError> {
    let program = sandbox.survey.bubblewrap.clone().unwrap_or_default();
    let us = Identity {
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
    };
    let identity = sandbox.identity.unwrap_or(us);
    let arguments = bubblewrap::arguments(profile, identity)?;
    let (words, mut kept) = arguments.finish().doing("write bubblewrap's arguments")?;
    let stage = stage(sandbox, spec)?;
    let mut argv = vec![
        program.into_os_string(),
        "--args".into(),
        child::number(&words).into(),
    ];
    if let Some(telling) = telling {
        argv.extend(["--info-fd".into(), child::number(telling).into()]);
    }
    argv.push("--".into());
    argv.extend(stage.argv);
    kept.push(words);
    kept.extend(stage.kept);
    as_user(sandbox, profile, spec, argv, kept)
}

/// The stage alone.
pub(super) fn alone(
    sandbox: &Sandbox,
    profile: &Profile,
    spec: &StageOrders,
) -> Result<Prepared, SandboxError> {
    if spec.isolation == Isolation::Landlock
        && sandbox.survey.landlock.unwrap_or(0) < LANDLOCK_NEEDED
    {
        return Err(failed(LaunchStep::Files, libc::ENOSYS));
    }
    let stage = stage(sandbox, spec)?;
    as_user(sandbox, profile, spec, stage.argv, stage.kept)
}

/// A program that is started as the user without rights, if we are root.
fn as_user(
    sandbox: &Sandbox,
    profile: &Profile,
    spec: &StageOrders,
    argv: Vec<OsString>,
    mut kept: Vec<OwnedFd>,
) -> Result<Prepared, SandboxError> {
    let identity = sandbox.identity;
    let (staged, folders) = staged(sandbox, profile)?;
    if staged.is_empty() {
        return Ok(Prepared {
            argv,
            kept,
            identity,
        });
    }
    // Our binary makes the mounts as root, becomes somebody else, and then the program.
    let orders = RootOrders {
        mounts: staged,
        identity,
        argv,
        status: spec.status,
    };
    let orders = orders_file(&orders)?;
    let number = child::number(&orders);
    kept.push(orders);
    kept.extend(folders);
    Ok(Prepared {
        argv: vec![
            sandbox.launcher.clone().into_os_string(),
            ARGUMENT.into(),
            BECOME.into(),
            number.into(),
        ],
        kept,
        identity: None,
    })
}

/// The words that start the stage, and the descriptors they speak of.
struct Stage {
    argv: Vec<OsString>,
    kept: Vec<OwnedFd>,
}

fn stage(sandbox: &Sandbox, spec: &StageOrders) -> Result<Stage, SandboxError> {
    let program = stage_program(sandbox).doing("open the launcher")?;
    let orders = orders_file(spec)?;
    let argv = vec![
        format!("/proc/self/fd/{}", child::number(&program)).into(),
        ARGUMENT.into(),
        SUPERVISE.into(),
        child::number(&orders).into(),
    ];
    let kept = vec![program, orders];
    Ok(Stage { argv, kept })
}

fn orders_file(orders: &impl serde::Serialize) -> Result<OwnedFd, SandboxError> {
    let bytes = encode(orders).and_then(|bytes| child::memory(&bytes));
    bytes.doing("write the launcher's orders")
}

/// The launcher's own binary, in a form that the sandbox's user can execute.
fn stage_program(sandbox: &Sandbox) -> io::Result<OwnedFd> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut file = File::open(&sandbox.launcher)?;
    let everybody = file.metadata()?.permissions().mode() & 0o005 == 0o005;
    if everybody || sandbox.identity.is_none() {
        return Ok(file.into());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    child::memory(&bytes)
}

/// The mounts that the sandbox's user could not use as they are, with what they open.
fn staged(
    sandbox: &Sandbox,
    profile: &Profile,
) -> Result<(Vec<IdMappedMount>, Vec<OwnedFd>), SandboxError> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut staged, mut folders) = (Vec::new(), Vec::new());
    let Some(identity) = sandbox.identity else {
        return Ok((staged, folders));
    };
    for mount in &profile.mounts {
        let failed = |source: io::Error| SandboxError::Mount {
            path: mount.source.clone(),
            source,
        };
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = rustix::fs::open(&mount.source, flags, Mode::empty());
        let folder = File::from(folder.map_err(|error| failed(error.into()))?);
        let metadata = folder.metadata().map_err(failed)?;
        let wanted = match metadata.file_type() {
            kind if kind.is_dir() => 0o005,
            // What its owner may do with it.
            kind if kind.is_file() => metadata.mode() >> 6 & 0o005,
            _ => continue,
        };
        let readable = metadata.uid() == identity.uid || metadata.mode() & wanted == wanted;
        let reachable = readable && closed_folder(&mount.source).is_none();
        let owned = metadata.uid() == identity.uid;
        if reachable && (mount.access == Access::Read || owned) {
            continue;
        }
        staged.push(IdMappedMount {
            source: folder.as_raw_fd(),
            target: mount.source.clone().into_os_string(),
            owner: Identity {
                uid: metadata.uid(),
                gid: metadata.gid(),
            },
        });
        folders.push(folder.into());
    }
    Ok((staged, folders))
}
