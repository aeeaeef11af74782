#![doc = include_str!("../README.md")]

pub mod backend;
mod command;
mod direct;
mod error;
mod host_rule;
mod outcome;
mod profile;
mod pump;
mod sandbox;
mod setup;
pub mod survey;

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod identity;
#[cfg(target_os = "linux")]
pub mod launcher;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod spawn;

pub use backend::Backend;
#[cfg(target_os = "linux")]
pub use cgroup::ControlGroups;
pub use command::{Command, Live, Stdin};
pub use error::SandboxError;
pub use host_rule::{HostRule, HostRuleError};
#[cfg(target_os = "linux")]
pub use identity::UserIds;
pub use outcome::{Captured, Denial, Limit, Outcome, RunEnd};
pub use profile::{Commands, Limits, Mount, MountAccess, Network, Profile};
pub use sandbox::Sandbox;
