//! What connects us with the launcher and the program.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd as _, OwnedFd};

use crate::child;
use crate::command::{Command, Stdin};
use crate::error::{Doing as _, SandboxError};
use crate::identity::Identity;
use crate::profile::{Network, Profile};
use crate::proxy;
use crate::pump::Feed;
use crate::sandbox::Sandbox;

/// The pipes between us and the launcher.
pub(super) struct Lines {
    pub(super) control: (OwnedFd, OwnedFd),
    pub(super) status: (OwnedFd, OwnedFd),
    pub(super) proxy: Option<(OwnedFd, OwnedFd)>,
}

impl Lines {
    pub(super) fn open(
        profile: &Profile,
        identity: Option<Identity>,
    ) -> Result<Self, SandboxError> {
        let proxy = match profile.network {
            Network::Hosts(_) => Some(proxy::channel().doing("make a socket")?),
            Network::None | Network::Full => None,
        };
        Ok(Self {
            control: child::pipe(identity).doing("make a pipe")?,
            status: child::pipe(identity).doing("make a pipe")?,
            proxy,
        })
    }

    /// Our ends; the launcher's are closed.
    pub(super) fn ours(self) -> (OwnedFd, OwnedFd, Option<OwnedFd>) {
        (
            self.control.1,
            self.status.0,
            self.proxy.map(|(ours, _)| ours),
        )
    }
}

pub(super) fn pipe(sandbox: &Sandbox) -> Result<(OwnedFd, OwnedFd), SandboxError> {
    child::pipe(sandbox.identity).doing("make a pipe")
}

pub(super) fn stdin(sandbox: &Sandbox, command: &Command) -> Result<(OwnedFd, Feed), SandboxError> {
    Ok(match &command.stdin {
        Stdin::Empty => {
            let nothing = File::open("/dev/null").doing("open `/dev/null`")?;
            (nothing.into(), None)
        }
        // A file, or a pipe of somebody else's, could be read but not opened by its name.
        Stdin::Inherited if !io::stdin().is_terminal() => {
            let (read, write) = pipe(sandbox)?;
            // It ends with the input, with the program, or with us.
            std::thread::spawn(move || io::copy(&mut io::stdin(), &mut File::from(write)));
            (read, None)
        }
        Stdin::Inherited => {
            let own = io::stdin().as_fd().try_clone_to_owned();
            (own.doing("hand over the input")?, None)
        }
        Stdin::Bytes(bytes) => {
            let (read, write) = pipe(sandbox)?;
            (read, Some((write, bytes.clone())))
        }
    })
}
