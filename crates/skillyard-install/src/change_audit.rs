//! Writing down what happens, so that nothing does unrecorded, whenever a process ends.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// Who writes down what happens to a scope.
pub trait ChangeAudit<E>: Sync {
    /// What there is to write down, for the process that finishes the change if this one cannot;
    /// nothing is asked of it where this is empty.
    fn note(&self) -> String;

    /// Writes down what has happened; should this process end before, the next one does.
    fn happens(&self) -> Result<(), E>;

    /// Writes down that it could not be done, and was undone.
    fn undone(&self, reason: &io::Error) -> Result<(), E>;
}

/// Writes nothing down, for a caller that keeps no log or writes down what happened afterwards.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAudit;

impl<E> ChangeAudit<E> for NoAudit {
    fn note(&self) -> String {
        String::new()
    }

    fn happens(&self) -> Result<(), E> {
        Ok(())
    }

    fn undone(&self, _: &io::Error) -> Result<(), E> {
        Ok(())
    }
}

/// How a change ends that another process began.
#[derive(Debug, Clone, Copy)]
pub enum ChangeOutcome<'a> {
    /// It happens.
    Happens,
    /// It cannot be done any more, and was undone; this is why.
    Undone(&'a io::Error),
}

/// Writes down what is in the [note](ChangeAudit::note) of a change that another process began, and
/// how it ends, unless that one did.
pub type CatchUp<'a> = &'a dyn Fn(&str, ChangeOutcome<'_>) -> io::Result<()>;

/// A name for a change that no other has.
pub fn unique() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    format!(
        "{}-{}",
        std::process::id(),
        time.unwrap_or_default().as_nanos()
    )
}
