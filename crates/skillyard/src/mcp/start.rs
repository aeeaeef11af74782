//! The folder that the program of an MCP server starts in.
//!
//! Programs such as `npx` and `python -m` look for what they run in the current folder first. In a
//! checkout that nobody trusts, others would decide what runs, with the server's secrets.

use std::path::{Path, PathBuf};

use skillyard_catalog::{ProjectTrust, private_dir};

use crate::believed::check_ours;
use crate::context::Context;
use crate::error::CommandError;

/// The folder that is named, or the current one of a project that is trusted, or one of Skillyard's
/// own.
pub(super) fn folder(context: &Context, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let environment = &context.environment;
    if let Some(folder) = named {
        if !folder.is_dir() {
            return Err(CommandError::NoSuchPath(folder.to_owned()));
        }
        return Ok(folder.to_owned());
    }
    if context.config()?.project_trust == ProjectTrust::Trusted {
        return Ok(environment.current_dir.clone());
    }
    check_ours(&environment.skillyard_home)?;
    let folder = environment.servers_folder();
    private_dir::create(&folder).map_err(|source| CommandError::Write {
        path: folder.clone(),
        source,
    })?;
    Ok(folder)
}
