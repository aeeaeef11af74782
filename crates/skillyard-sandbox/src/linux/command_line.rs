//! The command line that starts a sandbox, and the descriptors that it names.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags};

use super::bubblewrap;
use crate::error::{Doing as _, SandboxError};
use crate::identity::UserIds;
use crate::launcher::orders::{IdMappedMount, RootOrders, StageOrders, encode};
use crate::launcher::root::closed_folder;
use crate::launcher::{ARGUMENT, BECOME, SUPERVISE};
use crate::profile::{MountAccess, Profile};
use crate::setup::Setup;
use crate::spawn;

/// The program to start, and its user.
pub(super) struct CommandLine {
    pub(super) argv: Vec<OsString>,
    /// The descriptors that the words speak of.
    pub(super) kept: Vec<OwnedFd>,
    pub(super) identity: Option<UserIds>,
}

/// `bwrap`, started as a user without rights, with the stage as its program; it names its
/// process through `telling`, if there is one.
pub(super) fn bubblewrap_command(
    setup: &Setup,
    profile: &Profile,
    spec: &StageOrders,
    telling: Option<&OwnedFd>,
) -> Result<CommandLine, SandboxError> {
    let program = setup.survey.bubblewrap.clone().unwrap_or_default();
    let us = UserIds {
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
    };
    let identity = setup.identity.unwrap_or(us);
    let arguments = bubblewrap::arguments(profile, identity)?;
    let (words, mut kept) = arguments.finish().doing("write bubblewrap's arguments")?;
    let (words_of_stage, kept_for_stage) = stage(setup, spec)?;
    let mut argv = vec![
        program.into_os_string(),
        "--args".into(),
        spawn::number(&words).into(),
    ];
    if let Some(telling) = telling {
        argv.extend(["--info-fd".into(), spawn::number(telling).into()]);
    }
    argv.push("--".into());
    argv.extend(words_of_stage);
    kept.push(words);
    kept.extend(kept_for_stage);
    as_user(setup, profile, spec, argv, kept)
}

/// The stage alone.
pub(super) fn stage_command(
    setup: &Setup,
    profile: &Profile,
    spec: &StageOrders,
) -> Result<CommandLine, SandboxError> {
    let (argv, kept) = stage(setup, spec)?;
    as_user(setup, profile, spec, argv, kept)
}

/// A program that is started as the user without rights, if we are root.
fn as_user(
    setup: &Setup,
    profile: &Profile,
    spec: &StageOrders,
    argv: Vec<OsString>,
    mut kept: Vec<OwnedFd>,
) -> Result<CommandLine, SandboxError> {
    let identity = setup.identity;
    let (staged, folders) = staged(setup, profile)?;
    if staged.is_empty() {
        return Ok(CommandLine {
            argv,
            kept,
            identity,
        });
    }
    // Our binary mounts as root, drops to another user, and then executes the program.
    let orders = RootOrders {
        mounts: staged,
        identity,
        argv,
        status: spec.status,
    };
    let orders = orders_file(&orders)?;
    let number = spawn::number(&orders);
    kept.push(orders);
    kept.extend(folders);
    Ok(CommandLine {
        argv: vec![
            setup.launcher.clone().into_os_string(),
            ARGUMENT.into(),
            BECOME.into(),
            number.into(),
        ],
        kept,
        identity: None,
    })
}

/// The words that start the stage, and the descriptors that they name.
type StageCommand = (Vec<OsString>, Vec<OwnedFd>);

fn stage(setup: &Setup, spec: &StageOrders) -> Result<StageCommand, SandboxError> {
    let program = stage_program(setup).doing("open the launcher")?;
    let orders = orders_file(spec)?;
    let argv = vec![
        format!("/proc/self/fd/{}", spawn::number(&program)).into(),
        ARGUMENT.into(),
        SUPERVISE.into(),
        spawn::number(&orders).into(),
    ];
    Ok((argv, vec![program, orders]))
}

fn orders_file(orders: &impl serde::Serialize) -> Result<OwnedFd, SandboxError> {
    let bytes = encode(orders).and_then(|bytes| spawn::memory_file(&bytes));
    bytes.doing("write the launcher's orders")
}

/// The launcher's own binary, in a form that the sandbox's user can execute.
fn stage_program(setup: &Setup) -> io::Result<OwnedFd> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut file = File::open(&setup.launcher)?;
    let world_readable = file.metadata()?.permissions().mode() & 0o005 == 0o005;
    if world_readable || setup.identity.is_none() {
        return Ok(file.into());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    spawn::memory_file(&bytes)
}

/// The mounts that the sandbox's user could not use as they are, with what they open.
fn staged(
    setup: &Setup,
    profile: &Profile,
) -> Result<(Vec<IdMappedMount>, Vec<OwnedFd>), SandboxError> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut staged, mut folders) = (Vec::new(), Vec::new());
    let Some(identity) = setup.identity else {
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
        if reachable && (mount.access == MountAccess::Read || owned) {
            continue;
        }
        staged.push(IdMappedMount {
            source: folder.as_raw_fd(),
            target: mount.source.clone().into_os_string(),
            owner: UserIds {
                uid: metadata.uid(),
                gid: metadata.gid(),
            },
        });
        folders.push(folder.into());
    }
    Ok((staged, folders))
}
