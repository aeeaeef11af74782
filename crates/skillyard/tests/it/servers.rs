//! Servers on loopback that the binary installs from.

pub(crate) mod forge;
pub(crate) mod git_http;
pub(crate) mod http;
pub(crate) mod repository;
