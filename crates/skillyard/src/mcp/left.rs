//! What is kept of skills of MCP servers that are no longer configured.

use std::fs;
use std::path::Path;

use skillyard_agent::mcp_client::is_server_name;

use super::published;
use crate::agent;
use crate::context::Context;
use crate::error::CommandError;

/// Removes what is kept of servers that the configuration does not name any more, but for what
/// sessions need to be made again; how many listings of skills went.
pub(crate) fn remove(context: &Context) -> Result<usize, CommandError> {
    let folder = published::folder(context);
    let configured = context.config()?.mcp_servers();
    let gone = |name: &String| is_server_name(name) && !configured.contains(name);
    let left: Vec<String> = names(&folder).filter(gone).collect();
    if left.is_empty() {
        return Ok(0);
    }
    // Where they cannot be asked, nothing is removed.
    let wanted = agent::published_in_sessions(context)?;
    let mut removed = 0;
    for server in left {
        let of_server = format!("{server}:");
        if wanted.iter().any(|name| name.starts_with(&of_server)) {
            continue;
        }
        let folder = folder.join(server);
        for mark in names(&folder).filter(|mark| !wanted.contains(mark)) {
            let place = folder.join(mark);
            fs::remove_dir_all(&place).map_err(|source| CommandError::Write {
                path: place.clone(),
                source,
            })?;
            removed += 1;
        }
        // It stays where something is left in it.
        let _ = fs::remove_dir(folder);
    }
    Ok(removed)
}

/// The folders in a folder.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| entry.file_name().into_string().ok())
}
