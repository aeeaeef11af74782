#![doc = include_str!("../README.md")]

mod check;
mod copies;
mod entry;
mod error;
mod event;
mod export;
mod fault;
mod field;
mod files;
mod follow;
mod hash;
mod head;
mod kind;
mod log;
mod losses;
mod read;
mod recorder;
mod recovery;
mod rotation;

pub use check::{Verdict, verify, verify_copied_folder, verify_copy};
pub use copies::Copied;
pub use entry::Entry;
pub use error::AuditError;
pub use event::{Event, Outcome};
pub use export::{CSV_HEADER, csv};
pub use fault::{Fault, FaultKind};
pub use follow::Follow;
pub use hash::Hash;
pub use kind::EventKind;
pub use log::{AuditLog, Options, Receipt};
pub use losses::Losses;
pub use read::{Filter, Reading, each, read, read_part};
pub use recorder::{Recorder, Redact, Unredacted};
