//! What the logs of registries were when they were last seen: `registries.json`.

use std::collections::BTreeMap;
use std::path::Path;

use skillyard_install::fetch::registry::SeenLog;

use crate::error::CommandError;
use crate::files::private::{lock, read_text, write_private};

/// The logs by the addresses of their registries.
type Logs = BTreeMap<String, SeenLog>;

/// What was last seen of a registry's log.
pub(crate) fn seen(file: &Path, registry: &str) -> Result<Option<SeenLog>, CommandError> {
    Ok(load(file)?.remove(registry))
}

/// Remembers a log, unless a longer one is remembered already.
pub(crate) fn remember(file: &Path, registry: &str, log: SeenLog) -> Result<(), CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let mut logs = load(file)?;
    if logs
        .get(registry)
        .is_some_and(|known| known.size >= log.size)
    {
        return Ok(());
    }
    logs.insert(registry.to_owned(), log);
    write(file, &logs)
}

/// Forgets the log of a registry; whether there was one.
pub(crate) fn forget(file: &Path, registry: &str) -> Result<bool, CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let mut logs = load(file)?;
    if logs.remove(registry).is_none() {
        return Ok(false);
    }
    write(file, &logs)?;
    Ok(true)
}

fn write(file: &Path, logs: &Logs) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(logs).map_err(|error| damaged(file, &error))?;
    write_private(file, text.as_bytes())
}

/// Whether it can be read.
pub(crate) fn check(file: &Path) -> Result<(), CommandError> {
    load(file).map(drop)
}

fn load(file: &Path) -> Result<Logs, CommandError> {
    // A link is there, whatever it leads to.
    if file.symlink_metadata().is_err() {
        return Ok(Logs::new());
    }
    // Forgetting would let a registry start over, so what cannot be read is an error.
    serde_json::from_str(&read_text(file)?).map_err(|error| damaged(file, &error))
}

fn damaged(file: &Path, error: &serde_json::Error) -> CommandError {
    CommandError::Memory {
        path: file.to_owned(),
        message: error.to_string(),
    }
}
