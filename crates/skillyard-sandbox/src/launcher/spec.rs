//! What the launcher is told, as pairs of a key and a value that each end in NUL.
//!
//! It comes through a file in memory rather than as arguments: arguments can be read by
//! every process on the system, and by the program itself in `/proc/1/cmdline`.

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::identity::Identity;

/// What the launcher is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Spec {
    /// Mounts to be made in a namespace of our own, while we are root.
    pub(crate) staged: Vec<Staged>,
    /// Whom to become before anything else.
    pub(crate) identity: Option<Identity>,
    /// The program and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// Its whole environment, as `NAME=value`.
    pub(crate) environment: Vec<OsString>,
    /// Its working directory.
    pub(crate) directory: PathBuf,
    /// The files it may use.
    pub(crate) rules: Vec<Rule>,
    /// Which fences to put up.
    pub(crate) fences: Fences,
    /// Which sockets it may make.
    pub(crate) sockets: Sockets,
    /// Who else its semaphores, queues and segments reach.
    pub(crate) ipc: Ipc,
    /// What keeps its processes together.
    pub(crate) containment: Containment,
    /// Whether programs may be made in memory.
    pub(crate) memory_programs: MemoryPrograms,
    /// Resource limits: the number of the resource and its value.
    pub(crate) limits: Vec<(u32, u64)>,
    /// When this reaches its end, everything does.
    pub(crate) control: RawFd,
    /// Where to say how the program ended.
    pub(crate) status: RawFd,
    /// Where to send the socket that the proxy listens on.
    pub(crate) proxy: Option<RawFd>,
}

/// A mount to be made while we are root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Staged {
    /// The open folder.
    pub(crate) source: RawFd,
    /// Where to mount it.
    pub(crate) target: PathBuf,
    /// Whose files are to be the sandbox's own.
    pub(crate) owner: Identity,
}

/// Files that may be used, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// A file, or a folder with all that is in it.
    pub(crate) path: PathBuf,
    /// How.
    pub(crate) rights: Rights,
}

/// How files may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Read.
    Read,
    /// Read and execute.
    Execute,
    /// Read and write what is there, but make nothing: for devices.
    Use,
    /// Everything.
    Write,
    /// Everything but execute.
    Store,
}

/// Which fences the launcher puts up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fences {
    /// Landlock as far as the kernel knows it, and seccomp: namespaces stand around them.
    Inner,
    /// All of landlock that we rely on, and seccomp: there are no others.
    #[default]
    Only,
    /// None, because the user asked for none.
    Off,
}

/// Which sockets a program may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sockets {
    /// Only connected pairs of its own.
    #[default]
    None,
    /// IPv4 and IPv6.
    Internet,
}

/// Who else a program's semaphores, queues and segments reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ipc {
    /// The whole host, so there must be none.
    #[default]
    Shared,
    /// Nobody.
    Private,
}

/// What keeps a program's processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Containment {
    /// A process namespace whose first process we are: it ends with us.
    #[default]
    Namespace,
    /// They come to us when their parents end, and we end them one by one.
    Adoption,
}

/// Whether programs may be made in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MemoryPrograms {
    /// They may: any program may be started anyway.
    #[default]
    Allowed,
    /// They may not, because only some programs may be started.
    Denied,
}

/// A word for each value that is written down.
trait Word: Sized + Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, each)| *each == self);
        found.map_or("", |(word, _)| word)
    }

    fn from_word(word: &OsStr) -> Option<Self> {
        let found = Self::WORDS.iter().find(|(each, _)| *each == word);
        found.map(|(_, value)| *value)
    }
}

impl Word for Rights {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("read", Self::Read),
        ("execute", Self::Execute),
        ("use", Self::Use),
        ("write", Self::Write),
        ("store", Self::Store),
    ];
}

impl Word for Fences {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("inner", Self::Inner),
        ("only", Self::Only),
        ("off", Self::Off),
    ];
}

impl Word for Sockets {
    const WORDS: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("internet", Self::Internet)];
}

impl Word for Ipc {
    const WORDS: &'static [(&'static str, Self)] =
        &[("shared", Self::Shared), ("private", Self::Private)];
}

impl Word for Containment {
    const WORDS: &'static [(&'static str, Self)] =
        &[("namespace", Self::Namespace), ("adoption", Self::Adoption)];
}

impl Word for MemoryPrograms {
    const WORDS: &'static [(&'static str, Self)] =
        &[("allowed", Self::Allowed), ("denied", Self::Denied)];
}

impl Spec {
    /// The bytes for the launcher. No part may hold a NUL, which nothing passed to exec can.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4096);
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
        for variable in &self.environment {
            put("environment", &[variable]);
        }
        put("directory", &[self.directory.as_os_str()]);
        for rule in &self.rules {
            put(
                "rule",
                &[OsStr::new(rule.rights.word()), rule.path.as_os_str()],
            );
        }
        put("fences", &[OsStr::new(self.fences.word())]);
        put("sockets", &[OsStr::new(self.sockets.word())]);
        put("ipc", &[OsStr::new(self.ipc.word())]);
        put("containment", &[OsStr::new(self.containment.word())]);
        put(
            "memory-programs",
            &[OsStr::new(self.memory_programs.word())],
        );
        for (resource, value) in &self.limits {
            let (resource, value) = (resource.to_string(), value.to_string());
            put("limit", &[OsStr::new(&resource), OsStr::new(&value)]);
        }
        put("control", &[OsStr::new(&self.control.to_string())]);
        put("status", &[OsStr::new(&self.status.to_string())]);
        if let Some(proxy) = self.proxy {
            put("proxy", &[OsStr::new(&proxy.to_string())]);
        }
        bytes
    }

    /// What the bytes say; `None` if they were not written by [`Self::encode`].
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut spec = Self::default();
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
                    spec.staged.push(Staged {
                        source,
                        target,
                        owner,
                    });
                }
                "identity" => {
                    let (uid, gid) = (number(parts.next()?)?, number(parts.next()?)?);
                    spec.identity = Some(Identity { uid, gid });
                }
                "argv" => spec.argv.push(parts.next()?.to_owned()),
                "environment" => spec.environment.push(parts.next()?.to_owned()),
                "directory" => spec.directory = PathBuf::from(parts.next()?),
                "rule" => {
                    let rights = Rights::from_word(parts.next()?)?;
                    let path = PathBuf::from(parts.next()?);
                    spec.rules.push(Rule { path, rights });
                }
                "fences" => spec.fences = Word::from_word(parts.next()?)?,
                "sockets" => spec.sockets = Word::from_word(parts.next()?)?,
                "ipc" => spec.ipc = Word::from_word(parts.next()?)?,
                "containment" => spec.containment = Word::from_word(parts.next()?)?,
                "memory-programs" => spec.memory_programs = Word::from_word(parts.next()?)?,
                "limit" => {
                    let limit = (number(parts.next()?)?, number(parts.next()?)?);
                    spec.limits.push(limit);
                }
                "control" => spec.control = number(parts.next()?)?,
                "status" => spec.status = number(parts.next()?)?,
                "proxy" => spec.proxy = Some(number(parts.next()?)?),
                _ => return None,
            }
        }
        Some(spec)
    }

    /// Allows `path` to be used in this way.
    pub(crate) fn allow(&mut self, path: impl AsRef<Path>, rights: Rights) {
        let path = path.as_ref().to_owned();
        self.rules.push(Rule { path, rights });
    }
}

fn number<T: std::str::FromStr>(text: &OsStr) -> Option<T> {
    text.to_str()?.parse().ok()
}

/// `NAME=value`.
pub(crate) fn assignment(name: &OsStr, value: &OsStr) -> OsString {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(b'=');
    bytes.extend_from_slice(value.as_bytes());
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut spec = Spec {
            staged: vec![Staged {
                source: 9,
                target: "/mnt/0".into(),
                owner: Identity { uid: 1, gid: 2 },
            }],
            identity: Some(Identity { uid: 3, gid: 4 }),
            argv: vec![
                "sh".into(),
                String::new().into(),
                OsString::from_vec(vec![0xff]),
            ],
            environment: vec![assignment(OsStr::new("A"), OsStr::new("b=c\n"))],
            directory: "/work".into(),
            fences: Fences::Inner,
            sockets: Sockets::Internet,
            ipc: Ipc::Private,
            containment: Containment::Adoption,
            memory_programs: MemoryPrograms::Denied,
            limits: vec![(7, 1024), (2, u64::MAX)],
            control: 5,
            status: 6,
            proxy: Some(7),
            ..Spec::default()
        };
        spec.allow("/usr", Rights::Execute);
        spec.allow("/dev/null", Rights::Use);
        assert_eq!(Spec::decode(&spec.encode()), Some(spec));
    }

    #[test]
    fn what_was_not_written_by_us_is_refused() {
        for bytes in [
            &b""[..],
            b"argv",
            b"argv\0",
            b"rule\0all\0/\0",
            b"limit\0x\0y\0",
            b"nonsense\0",
        ] {
            assert_eq!(Spec::decode(bytes), None, "{bytes:?}");
        }
    }
}
