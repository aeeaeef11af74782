//! Tar: ustar, GNU and PAX, as far as ordinary tools write them.

mod header;

use std::io::{self, Read};

use crate::package::archive::ArchiveFormat;
use crate::package::archive::census::{
    Census, EntryHeader, HeaderKind, Verdict, drain, mode_of, path_of, plain_name,
};
use crate::package::archive::error::EntryProblem;
use crate::package::archive::error::{ArchiveError, LimitProblem, TarProblem};
use crate::package::archive::limits::{Limits, Rules};
use crate::package::archive::listing::{ArchiveListing, EntryKind};
use crate::package::archive::path::ArchivePath;
use crate::package::archive::{Delivered, Sink, hand_over};
use header::{Header, Pax, check_global, parse_pax};

pub(crate) use header::{BLOCK, has_checksum};

/// What the first pass decided on one entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    verdict: Verdict,
    size: u64,
}

/// The first pass over `stream`.
pub(crate) fn survey(
    stream: impl Read,
    rules: &Rules,
) -> Result<(ArchiveListing, Vec<Slot>), ArchiveError> {
    let mut census = Census::new(rules);
    let mut slots = Vec::new();
    walk(stream, &rules.limits, &mut |head, content| {
        let verdict = census.add(head)?;
        slots.push(Slot {
            verdict,
            size: head.size,
        });
        census.read_through(verdict, content)
    })?;
    Ok((census.finish(), slots))
}

/// The second pass over `stream`, which must be what it was.
pub(crate) fn deliver(
    stream: impl Read,
    slots: &[Slot],
    listing: &ArchiveListing,
    rules: &Rules,
    wants: &mut dyn FnMut(&ArchivePath) -> bool,
    sink: &mut dyn Sink,
) -> Result<Delivered, ArchiveError> {
    let mut delivered = Delivered::default();
    let mut slots = slots.iter();
    walk(stream, &rules.limits, &mut |head, content| {
        let slot = slots.next().ok_or(ArchiveError::Changed)?;
        if slot.size != head.size {
            return Err(ArchiveError::Changed);
        }
        let Verdict::Listed(index) = slot.verdict else {
            return Ok(());
        };
        let entry = &listing.entries[index];
        if plain_name(head) != entry.path.as_str().as_bytes() {
            return Err(ArchiveError::Changed);
        }
        if let EntryKind::File { size, mode } = entry.kind
            && wants(&entry.path)
        {
            if head.kind != HeaderKind::File || mode != mode_of(head.mode) {
                return Err(ArchiveError::Changed);
            }
            hand_over(sink, &entry.path, mode, content)?;
            delivered.files += 1;
            delivered.bytes += size;
        }
        Ok(())
    })?;
    if slots.next().is_some() {
        return Err(ArchiveError::Changed);
    }
    Ok(delivered)
}

/// Most bytes of one extended header. Real ones hold a path and some times.
const EXTENDED_BYTES: u64 = 64 * 1024;

/// Most zeros after the end; tools fill up to 10 KiB, tapes more.
const PADDING_BYTES: u64 = 1024 * 1024;

/// What tells a compressed archive from a tar. No path begins so.
const START: u64 = 4;

/// Sees each entry once, with its content.
pub(super) type Visit<'a> = dyn FnMut(&EntryHeader, &mut dyn Read) -> Result<(), ArchiveError> + 'a;

/// Calls `visit` for each entry of the tar in `input`, up to its very end.
pub(super) fn walk(
    mut input: impl Read,
    limits: &Limits,
    visit: &mut Visit<'_>,
) -> Result<(), ArchiveError> {
    let mut start = Vec::new();
    input.by_ref().take(START).read_to_end(&mut start)?;
    if let Some(format) = ArchiveFormat::of_head(&start) {
        return Err(ArchiveError::Twice(format));
    }
    let mut walker = Walker {
        input: start.chain(input),
        dots: Dots::Unknown,
        // Each entry may have two extended headers: long name and long link.
        headers_left: limits.entries.saturating_mul(3).saturating_add(16),
        limit: limits.entries,
    };
    while walker.step(visit)? == WalkStep::More {}
    Ok(())
}

struct Walker<R> {
    input: R,
    dots: Dots,
    headers_left: u64,
    limit: u64,
}

#[derive(PartialEq, Eq)]
enum WalkStep {
    More,
    End,
}

/// Whether paths begin with `./`, as those of `tar -C folder .` all do. One that differs is refused.
#[derive(PartialEq, Eq)]
enum Dots {
    Unknown,
    With,
    Without,
}

/// Extended headers that wait for their entry.
#[derive(Default)]
struct Pending {
    pax: Option<Pax>,
    long_name: Option<Vec<u8>>,
    long_link: Option<Vec<u8>>,
}

impl<R: Read> Walker<R> {
    /// One entry with the extended headers before it.
    fn step(&mut self, visit: &mut Visit<'_>) -> Result<WalkStep, ArchiveError> {
        let mut pending = Pending::default();
        loop {
            let block = self.block()?;
            if is_zero(&block) {
                if !pending.is_empty() {
                    return Err(TarProblem::Contradiction.into());
                }
                self.end()?;
                return Ok(WalkStep::End);
            }
            self.headers_left = match self.headers_left.checked_sub(1) {
                Some(left) => left,
                None => return Err(LimitProblem::Entries { limit: self.limit }.into()),
            };
            let header = Header::parse(&block)?;
            match header.kind {
                b'g' if pending.is_empty() => check_global(&self.payload(header.size)?)?,
                b'x' if pending.is_empty() => {
                    pending.pax = Some(parse_pax(&self.payload(header.size)?)?);
                }
                b'L' if pending.pax.is_none() && pending.long_name.is_none() => {
                    pending.long_name = Some(self.long_text(header.size)?);
                }
                b'K' if pending.pax.is_none() && pending.long_link.is_none() => {
                    pending.long_link = Some(self.long_text(header.size)?);
                }
                b'g' | b'x' | b'L' | b'K' => return Err(TarProblem::Contradiction.into()),
                _ => {
                    self.entry(header, pending, visit)?;
                    return Ok(WalkStep::More);
                }
            }
        }
    }

    fn entry(
        &mut self,
        header: Header,
        pending: Pending,
        visit: &mut Visit<'_>,
    ) -> Result<(), ArchiveError> {
        let mut head = head_of(header, pending)?;
        let is_root = self.take_dots(&mut head)?;
        let size = head.size;
        let mut content = ExactContent {
            input: &mut self.input,
            left: size,
        };
        if !is_root {
            visit(&head, &mut content)?;
        }
        drain(&mut content)?;
        self.skip_padding(size)
    }

    /// Takes `./` off the path; true when the entry is the folder `.` itself.
    fn take_dots(&mut self, head: &mut EntryHeader) -> Result<bool, ArchiveError> {
        let is_root = head.kind == HeaderKind::Folder && matches!(&*head.name, b"." | b"./");
        if is_root && head.size > 0 {
            return Err(ArchiveError::entry(
                &head.name,
                EntryProblem::UnexpectedContent,
            ));
        }
        if is_root {
            return Ok(true);
        }
        let dotted = head.name.starts_with(b"./") || head.name == b".";
        let expected = if dotted { Dots::With } else { Dots::Without };
        if self.dots == Dots::Unknown {
            self.dots = expected;
        } else if self.dots != expected {
            let problem = path_of(head).err().unwrap_or(EntryProblem::NotCanonical);
            return Err(ArchiveError::entry(&head.name, problem));
        }
        if dotted && head.name.len() > 2 {
            head.name.drain(..2);
        }
        Ok(false)
    }

    fn block(&mut self) -> Result<[u8; BLOCK], ArchiveError> {
        let mut block = [0; BLOCK];
        self.input.read_exact(&mut block)?;
        Ok(block)
    }

    /// The content of an extended header.
    fn payload(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        if size > EXTENDED_BYTES {
            return Err(TarProblem::ExtendedTooLarge.into());
        }
        let mut payload = Vec::new();
        let read = self.input.by_ref().take(size).read_to_end(&mut payload)?;
        if (read as u64) < size {
            return Err(ArchiveError::Truncated);
        }
        self.skip_padding(size)?;
        Ok(payload)
    }

    /// A name or a link target in GNU's form, which ends in one NUL.
    fn long_text(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        let mut text = self.payload(size)?;
        if text.last() == Some(&0) {
            text.pop();
        }
        Ok(text)
    }

    fn skip_padding(&mut self, size: u64) -> Result<(), ArchiveError> {
        let used = size % BLOCK as u64;
        if used > 0 {
            let mut padding = ExactContent {
                input: &mut self.input,
                left: BLOCK as u64 - used,
            };
            drain(&mut padding)?;
        }
        Ok(())
    }

    /// After one block of zeros: another, then nothing but zeros.
    fn end(&mut self) -> Result<(), ArchiveError> {
        if !is_zero(&self.block()?) {
            return Err(ArchiveError::TrailingData);
        }
        let mut seen = 0;
        let mut buffer = [0; 4 * BLOCK];
        loop {
            let read = self.input.read(&mut buffer)?;
            seen += read as u64;
            if read == 0 {
                return Ok(());
            }
            if seen > PADDING_BYTES || !is_zero(&buffer[..read]) {
                return Err(ArchiveError::TrailingData);
            }
        }
    }
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.pax.is_none() && self.long_name.is_none() && self.long_link.is_none()
    }
}

/// What a header says together with the extended headers before it.
fn head_of(header: Header, pending: Pending) -> Result<EntryHeader, ArchiveError> {
    let pax = pending.pax.unwrap_or_default();
    if pax.size.is_some_and(|size| size != header.size) {
        return Err(TarProblem::TwoSizes.into());
    }
    let name = pax.path.or(pending.long_name).unwrap_or(header.name);
    let kind = match header.kind {
        _ if pax.sparse => HeaderKind::Sparse,
        b'0' | 0 => HeaderKind::File,
        b'5' => HeaderKind::Folder,
        b'2' => HeaderKind::Symlink,
        b'1' => HeaderKind::HardLink,
        b'3' => HeaderKind::Special("a character device"),
        b'4' => HeaderKind::Special("a block device"),
        b'6' => HeaderKind::Special("a named pipe"),
        b'7' => HeaderKind::Special("a contiguous file"),
        b'S' => HeaderKind::Sparse,
        _ => HeaderKind::Special("of an unknown kind"),
    };
    let type_bits = header.mode & 0o170_000;
    let agrees = match kind {
        HeaderKind::File => type_bits == 0o100_000,
        HeaderKind::Folder => type_bits == 0o040_000,
        HeaderKind::Symlink => type_bits == 0o120_000,
        _ => true,
    };
    if header.mode > 0o177_777 || (type_bits != 0 && !agrees) {
        return Err(ArchiveError::entry(&name, EntryProblem::KindMismatch));
    }
    if kind == HeaderKind::Symlink && header.size > 0 {
        return Err(ArchiveError::entry(&name, EntryProblem::UnexpectedContent));
    }
    Ok(EntryHeader {
        name,
        kind,
        size: header.size,
        packed: None,
        mode: header.mode,
    })
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Exactly so many bytes of the input.
struct ExactContent<'a, R> {
    input: &'a mut R,
    left: u64,
}

impl<R: Read> Read for ExactContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let read = self.input.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(ArchiveError::Truncated.into());
        }
        self.left -= read as u64;
        Ok(read)
    }
}
