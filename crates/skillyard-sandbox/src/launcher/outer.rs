//! What root has to do before a sandbox: mounts that map owners, then becoming somebody else.
//!
//! The orders are pairs of a key and a value that each end in NUL. They come through a file in
//! memory rather than as arguments, which every process on the system can read.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::stage::FAILED;
use super::{Report, Step, call, staging};
use crate::identity::Identity;

/// What is to be done while we are root, and what to become.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outer {
    /// Mounts to be made in a namespace of our own.
    pub(crate) staged: Vec<Staged>,
    /// Whom to become then.
    pub(crate) identity: Option<Identity>,
    /// The next program and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// Where to say what failed.
    pub(crate) status: RawFd,
}

/// A mount to be made while we are root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Staged {
    /// The open folder or file.
    pub(crate) source: RawFd,
    /// Where to mount it.
    pub(crate) target: PathBuf,
    /// Whose files are to be the sandbox's own.
    pub(crate) owner: Identity,
}

impl Outer {
    /// The bytes for the launcher. No part may hold a NUL, which nothing passed to exec can.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1024);
        let mut put = |key: &str, parts: &[&OsStr]| {
            bytes.extend_from_slice(key.as_bytes());
            bytes.push(0);
            for part in parts {
                bytes.extend_from_slice(part.as_bytes());
                bytes.push(0);
            }
        };
        for each in &self.staged {
            let numbers = [each.source.unsigned_abs(), each.owner.uid, each.owner.gid];
            let [source, uid, gid] = numbers.map(|number| OsString::from(number.to_string()));
            put("staged", &[&source, &uid, &gid, each.target.as_os_str()]);
        }
        if let Some(Identity { uid, gid }) = self.identity {
            let [uid, gid] = [uid, gid].map(|number| OsString::from(number.to_string()));
            put("identity", &[&uid, &gid]);
        }
        for word in &self.argv {
            put("argv", &[word]);
        }
        put("status", &[OsStr::new(&self.status.to_string())]);
        bytes
    }

    /// What the bytes say; `None` if they were not written by [`Self::encode`].
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut outer = Self::default();
        let mut parts = bytes
            .strip_suffix(b"\0")?
            .split(|byte| *byte == 0)
            .map(OsStr::from_bytes);
        while let Some(key) = parts.next() {
            match key.to_str()? {
                "staged" => {
                    let source = number(parts.next()?)?;
                    let owner = Identity {
                        uid: number(parts.next()?)?,
                        gid: number(parts.next()?)?,
                    };
                    let target = PathBuf::from(parts.next()?);
                    outer.staged.push(Staged {
                        source,
                        target,
                        owner,
                    });
                }
                "identity" => {
                    let (uid, gid) = (number(parts.next()?)?, number(parts.next()?)?);
                    outer.identity = Some(Identity { uid, gid });
                }
                "argv" => outer.argv.push(parts.next()?.to_owned()),
                "status" => outer.status = number(parts.next()?)?,
                _ => return None,
            }
        }
        Some(outer)
    }
}

fn number<T: std::str::FromStr>(text: &OsStr) -> Option<T> {
    text.to_str()?.parse().ok()
}

/// Follows the orders in a file; returns only when something failed.
pub(super) fn run(descriptor: RawFd) -> ExitCode {
    let mut bytes = Vec::new();
    let read = File::from(own(descriptor)).read_to_end(&mut bytes);
    let Some(outer) = read.ok().and_then(|_| Outer::decode(&bytes)) else {
        return ExitCode::from(2);
    };
    let (step, error) = follow(&outer);
    let report = Report::failed(step, error.raw_os_error().unwrap_or(0));
    let _ = call::write(outer.status, &report.bytes());
    ExitCode::from(u8::try_from(FAILED).unwrap_or(1))
}

/// Takes hold of a descriptor that was left open for us.
#[expect(unsafe_code, reason = "inherited descriptors come as numbers")]
pub(super) fn own(descriptor: RawFd) -> OwnedFd {
    // SAFETY: the number comes from the process that started us, which left exactly these
    // open for us; each is taken once. A wrong number gives errors, which are handled.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

#[expect(clippy::disallowed_methods, reason = "this is where bubblewrap starts")]
fn follow(outer: &Outer) -> (Step, std::io::Error) {
    if let Err(error) = staging::mount_all(&outer.staged, outer.identity) {
        return (Step::Mount, error);
    }
    if let Some(identity) = outer.identity
        && let Err(error) = give_up_root(identity)
    {
        return (Step::Identity, error);
    }
    let mut words = outer.argv.iter();
    let mut command = Command::new(words.next().map_or(OsStr::new(""), OsString::as_os_str));
    let command = command.args(words).env_clear().current_dir("/");
    (Step::Bubblewrap, command.exec())
}

/// The launcher has one thread, so a thread's identity is the process's.
fn give_up_root(identity: Identity) -> std::io::Result<()> {
    let uid = rustix::process::Uid::from_raw(identity.uid);
    let gid = rustix::process::Gid::from_raw(identity.gid);
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt as _;

    #[test]
    fn what_is_written_is_read() {
        let outer = Outer {
            staged: vec![Staged {
                source: 9,
                target: "/mnt/0".into(),
                owner: Identity { uid: 1, gid: 2 },
            }],
            identity: Some(Identity { uid: 3, gid: 4 }),
            argv: vec![
                "bwrap".into(),
                String::new().into(),
                OsString::from_vec(vec![0xff]),
            ],
            status: 6,
        };
        assert_eq!(Outer::decode(&outer.encode()), Some(outer));
    }

    #[test]
    fn what_was_not_written_by_us_is_refused() {
        for bytes in [
            &b""[..],
            b"argv",
            b"argv\0",
            b"identity\0x\0y\0",
            b"nonsense\0",
        ] {
            assert_eq!(Outer::decode(bytes), None, "{bytes:?}");
        }
    }
}
