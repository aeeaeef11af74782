//! Restricting files, signals and abstract sockets with landlock.

use ::landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    RestrictSelf, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope,
    path_beneath_rules,
};

use super::orders::{Isolation, PathRule, Rights};

/// The version that is used: files, truncation, devices, signals and abstract sockets. Where
/// landlock is the only thing that keeps a program in, the kernel must have all of it.
const VERSION: ABI = ABI::V6;

/// The version of landlock that this kernel has; `None` if it has none.
pub(crate) fn version() -> Option<u32> {
    // Without flags this asks for the version and restricts nothing.
    let status = RestrictSelf::default().no_new_privs(false).apply().ok()?;
    match status.landlock {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => u32::try_from(kernel_abi.unwrap_or(effective_abi as i32)).ok(),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    }
}

/// Lets this process use the files of the rules and no others. Rules for what does not exist
/// are left out.
pub(super) fn restrict(rules: &[PathRule], isolation: Isolation) -> Result<(), RulesetError> {
    let level = match isolation {
        Isolation::Landlock => CompatLevel::HardRequirement,
        Isolation::Namespaces | Isolation::None => CompatLevel::BestEffort,
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?
        .create()?;
    for rule in rules {
        let path = [&rule.path];
        ruleset = ruleset.add_rules(path_beneath_rules(path, access(rule.rights)))?;
    }
    ruleset.restrict_self()?;
    Ok(())
}

fn access(rights: Rights) -> BitFlags<AccessFs> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    // A device that is made or reached through a link is no part of anybody's work.
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
    let write = AccessFs::from_all(VERSION) & !devices;
    match rights {
        Rights::Read => read,
        Rights::Execute => read | AccessFs::Execute,
        Rights::Use => read | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev,
        Rights::Write => write,
        Rights::Store => write & !AccessFs::Execute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rights_are_those_of_version_6() {
        assert_eq!(AccessFs::from_all(VERSION).bits(), 0xffff);
        assert_eq!(
            Scope::from_all(VERSION),
            Scope::Signal | Scope::AbstractUnixSocket
        );
        assert_eq!(access(Rights::Execute).bits(), 0b1101);
        assert_eq!(access(Rights::Use).bits(), 0xc00e);
    }

    #[test]
    fn no_rule_allows_making_devices_and_only_some_allow_execution() {
        let devices = AccessFs::MakeBlock | AccessFs::MakeChar;
        for each in [Rights::Write, Rights::Store] {
            assert!(!access(each).intersects(devices));
        }
        assert!(!access(Rights::Store).contains(AccessFs::Execute));
        assert!(!access(Rights::Read).intersects(AccessFs::Execute | AccessFs::WriteFile));
        assert!(!access(Rights::Execute).contains(AccessFs::WriteFile));
    }
}
