#![doc = include_str!("../README.md")]

pub mod backend;
mod capture;
mod command;
mod direct;
mod error;
mod limits;
mod outcome;
mod profile;
mod proxy;
mod pump;
mod sandbox;
pub mod survey;

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod identity;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
pub mod launcher;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod scratch;
#[cfg(target_os = "linux")]
mod spawn;

pub use backend::Backend;
#[cfg(target_os = "linux")]
pub use cgroup::ControlGroups;
pub use command::{Command, Live, Stdin};
pub use error::SandboxError;
#[cfg(target_os = "linux")]
pub use identity::Identity;
pub use limits::Limits;
pub use outcome::{Captured, Denial, End, Limit, Outcome};
pub use profile::{Access, Commands, Mount, Network, Profile};
pub use proxy::{HostRule, HostRuleError};
pub use sandbox::Sandbox;
