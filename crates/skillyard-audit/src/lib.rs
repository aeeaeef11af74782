#![doc = include_str!("../README.md")]

mod check;
mod entry;
mod error;
mod event;
mod export;
mod files;
mod head;
mod log;
mod read;
mod recorder;
mod redact;

pub use check::{CopiedFile, Fault, FaultKind, Verdict, verify, verify_copied_folder, verify_copy};
pub use entry::AuditEntry;
pub use error::AuditError;
pub use event::{Event, EventKind, Outcome};
pub use export::{CSV_HEADER, csv};
pub use head::Hash;
pub use log::{AuditLog, Options, Receipt};
pub use read::{Filter, LogFollower, LogLines, for_each_entry, read, read_page};
pub use recorder::{LossCounter, Recorder};
pub use redact::{Redact, Unredacted};
