//! A full file makes room for a new one; the chain goes on through both.

use crate::entry::Link;
use crate::error::AuditError;
use crate::event::Event;
use crate::files::{CURRENT, full_name};
use crate::kind::EventKind;
use crate::log::Locked;

/// Who does what nobody asked for.
pub(crate) const ITSELF: &str = "skillyard";

impl Locked<'_> {
    /// Puts the full file aside and begins a new one, whose first line names the last hash of
    /// the old one as every line does.
    pub(crate) fn rotate(&mut self) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let number = folder.full_files()?.last().map_or(1, |last| last + 1);
        let name = full_name(number);
        if let Some(file) = &*self.current {
            // What was not urgent is on the disk now at the latest.
            file.sync_data()
                .map_err(|error| folder.failed(CURRENT, error))?;
        }
        folder.rename(CURRENT, &name)?;
        self.begin(&name)?;
        self.drop_old()
    }

    /// Begins a new file behind the one called `previous`.
    pub(crate) fn begin(&mut self, previous: &str) -> Result<(), AuditError> {
        *self.current = Some(self.open_current()?);
        self.head.size = 0;
        let event = Event::new(EventKind::LogRotated)
            .detail("previous", previous)
            .detail("previous_hash", self.head.hash.to_hex());
        self.write(ITSELF, &[event])?;
        Ok(())
    }

    /// Gives up the oldest files. That is written down first, with the hash they end in: a file
    /// that is missing without it was removed by somebody else.
    fn drop_old(&mut self) -> Result<(), AuditError> {
        let folder = &self.log.folder;
        let full = folder.full_files()?;
        let surplus = full.len().saturating_sub(self.log.options.keep.max(1));
        for number in &full[..surplus] {
            let name = full_name(*number);
            // A server that drops one every minute must not hold each of them whole.
            let last = folder.last_line(&name)?;
            let mut event = Event::new(EventKind::LogDropped).detail("file", &name);
            if let Some(last) = Link::of(&last) {
                event = event
                    .detail("last_seq", last.seq.to_string())
                    .detail("last_hash", last.hash.to_hex());
            }
            self.write(ITSELF, &[event])?;
            folder.remove(&name)?;
        }
        Ok(())
    }
}
