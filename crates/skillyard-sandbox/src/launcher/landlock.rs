//! Which files a process may use, by the kernel's landlock.

use std::io;
use std::os::fd::AsFd as _;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};

use super::spec::{Fences, Rights, Rule, Spec};

/// What the only fence must know: files, truncation, devices, signals and abstract sockets.
const REQUIRED: ABI = ABI::V6;

/// The version of landlock that this kernel speaks; `None` if it speaks none.
#[expect(unsafe_code, reason = "the crate keeps the version to itself")]
pub(crate) fn abi() -> Option<u32> {
    const ASK_VERSION: u32 = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the call reads no memory and returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            nothing,
            0_usize,
            ASK_VERSION,
        )
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Restricts this process and all that come of it.
pub(super) fn restrict(spec: &Spec) -> io::Result<()> {
    let level = match spec.fences {
        Fences::Only => CompatLevel::HardRequirement,
        Fences::Inner | Fences::Off => CompatLevel::BestEffort,
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_all(REQUIRED))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(REQUIRED)))
        .and_then(Ruleset::create)
        .map_err(io::Error::other)?;
    for rule in &spec.rules {
        ruleset = with(ruleset, rule).map_err(io::Error::other)?;
    }
    ruleset.restrict_self().map_err(io::Error::other)?;
    Ok(())
}

/// What is not there need not be allowed.
fn with(ruleset: RulesetCreated, rule: &Rule) -> Result<RulesetCreated, landlock::RulesetError> {
    let Ok(path) = PathFd::new(&rule.path) else {
        return Ok(ruleset);
    };
    let mut access = rights(rule.rights);
    if !is_folder(&path) {
        access &= AccessFs::from_file(REQUIRED);
    }
    ruleset.add_rule(PathBeneath::new(path, access))
}

fn is_folder(path: &PathFd) -> bool {
    rustix::fs::fstat(path.as_fd()).is_ok_and(|stat| {
        rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Directory
    })
}

fn rights(rights: Rights) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    match rights {
        Rights::Read => read,
        Rights::Execute => read | AccessFs::Execute,
        Rights::Use => read | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev,
        // A device that is made or reached through a link is no part of anybody's work.
        Rights::Write => {
            AccessFs::from_all(REQUIRED)
                & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
        }
        Rights::Store => self::rights(Rights::Write) & !AccessFs::Execute,
    }
}
