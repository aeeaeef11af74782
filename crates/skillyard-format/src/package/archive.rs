//! Archives of skills and repositories, read in two passes, all or nothing.
//!
//! [`Archive::open`] is the first pass: it reads every header and all content once,
//! refuses the archive at the first violation and returns a [`Listing`].
//! [`Archive::deliver`] is the second: it hands the files to a [`Sink`], under the
//! same checks, and refuses an archive that changed in between. Both passes stream:
//! memory depends on the limits, never on what a header says. Nothing here touches
//! a disk. The header code is our own, because the usual crates hide what has to
//! be compared: local against central headers, two sizes, two names, two ends.

mod census;
mod characters;
mod error;
mod format;
mod junk;
mod limits;
mod listing;
mod names;
mod path;
mod problem;
mod shape;
mod sink;
mod stream;
mod tar;
mod zip;

use std::io::{Read, Seek, SeekFrom};

pub use characters::is_device;
pub(crate) use characters::is_invisible;
pub use error::{ArchiveError, LimitProblem, TarProblem, ZipProblem};
pub use format::Format;
pub use junk::{Junk, is_junk, is_litter, junk};
pub use limits::{Limits, OnBlemish, Rules};
pub use listing::{Blemish, Entry, EntryKind, Listing, Mode, Note, Remark};
pub use path::ArchivePath;
pub use problem::EntryProblem;
pub use shape::{Shape, ShapeProblem};
pub use sink::{Delivered, Sink};

use stream::Stream;

/// An archive that passed the first pass.
#[derive(Debug)]
pub struct Archive<R> {
    reader: R,
    rules: Rules,
    format: Format,
    listing: Listing,
    plan: Plan,
}

/// What the second pass needs to know of the first, per format.
#[derive(Debug)]
enum Plan {
    Zip(Vec<zip::Member>),
    Tar(Vec<tar::Slot>),
}

impl<R: Read + Seek> Archive<R> {
    /// The first pass: judges the whole archive, content included, and delivers nothing.
    pub fn open(mut reader: R, rules: Rules) -> Result<Self, ArchiveError> {
        let length = reader.seek(SeekFrom::End(0))?;
        let limit = rules.limits.archive_bytes;
        if length > limit {
            return Err(LimitProblem::ArchiveBytes { limit }.into());
        }
        let format = Format::detect(&mut reader)?;
        let (listing, plan) = if format == Format::Zip {
            let (listing, members) = zip::survey(&mut reader, length, &rules)?;
            (listing, Plan::Zip(members))
        } else {
            let stream = Stream::new(&mut reader, format, &rules.limits)?;
            let (listing, slots) = tar::survey(stream, &rules)?;
            (listing, Plan::Tar(slots))
        };
        Ok(Self {
            reader,
            rules,
            format,
            listing,
            plan,
        })
    }

    /// What kind of archive it is.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What it holds.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// The second pass: hands every file that is wanted to `sink`, in the archive's order.
    pub fn deliver(
        &mut self,
        wants: &mut dyn FnMut(&ArchivePath) -> bool,
        sink: &mut dyn Sink,
    ) -> Result<Delivered, ArchiveError> {
        self.reader.seek(SeekFrom::Start(0))?;
        match &self.plan {
            Plan::Zip(members) => {
                zip::deliver(&mut self.reader, members, &self.listing, wants, sink)
            }
            Plan::Tar(slots) => {
                let stream = Stream::new(&mut self.reader, self.format, &self.rules.limits)?;
                tar::deliver(stream, slots, &self.listing, &self.rules, wants, sink)
            }
        }
    }
}
