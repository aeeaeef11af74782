//! What the tests share: the whole way from bytes to files, and writers that lie.

#[path = "support/random.rs"]
pub(crate) mod random;
#[path = "support/tar.rs"]
pub(crate) mod tar;
#[path = "support/zip.rs"]
pub(crate) mod zip;

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write as _};

use skillyard_format::package::archive::{
    Archive, ArchiveError, ArchiveNote, ArchivePath, Limits, Mode, Rules, Shape, Sink,
};

pub(crate) const SKILL: &[u8] = b"---\nname: x\ndescription: y\n---\n";

/// An archive that must be refused with one of these codes.
pub(crate) struct Attack {
    pub(crate) label: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) codes: Vec<&'static str>,
}

pub(crate) fn attack(label: impl Into<String>, bytes: Vec<u8>, code: &'static str) -> Attack {
    Attack {
        label: label.into(),
        bytes,
        codes: vec![code],
    }
}

/// Keeps what it is given, and refuses to be given more than the limits allow.
#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) files: BTreeMap<String, (Mode, Vec<u8>)>,
    pub(crate) bytes: u64,
}

impl Sink for Collector {
    fn file(&mut self, path: &ArchivePath, mode: Mode, content: &mut dyn Read) -> io::Result<()> {
        assert_safe(path.as_str());
        let mut bytes = Vec::new();
        let result = content.read_to_end(&mut bytes);
        self.bytes += bytes.len() as u64;
        let limits = Limits::skill();
        assert!(bytes.len() as u64 <= limits.file_bytes);
        assert!(self.bytes <= limits.total_bytes);
        result?;
        let old = self.files.insert(path.to_string(), (mode, bytes));
        assert!(old.is_none(), "{path} came twice");
        assert!(self.files.len() as u64 <= limits.files);
        Ok(())
    }
}

/// A skill as it came out.
pub(crate) struct Unpacked {
    pub(crate) shape: Shape,
    pub(crate) files: BTreeMap<String, (Mode, Vec<u8>)>,
    pub(crate) notes: Vec<ArchiveNote>,
}

/// Both passes and the shape in between, as an installer does it.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Unpacked, ArchiveError> {
    let mut archive = Archive::open(Cursor::new(bytes), Rules::skill())?;
    let shape = archive.listing().skill_shape()?;
    let mut collector = Collector::default();
    let delivered = archive.deliver(&mut |_| true, &mut collector)?;
    assert_eq!(delivered.bytes, collector.bytes);
    assert_eq!(delivered.files, collector.files.len() as u64);
    Ok(Unpacked {
        shape,
        files: collector.files,
        notes: archive.listing().notes.clone(),
    })
}

/// `ok`, or the code of the refusal.
pub(crate) fn code(bytes: &[u8]) -> &'static str {
    match unpack(bytes) {
        Ok(_) => "ok",
        Err(error) => error.code(),
    }
}

/// Independent of the code under test: what would be dangerous to join to a folder.
pub(crate) fn assert_safe(path: &str) {
    assert!(!path.is_empty() && !path.starts_with('/') && !path.ends_with('/'));
    assert!(!path.contains(['\\', ':', '\0', '\n', '\x1b']));
    for name in path.split('/') {
        assert!(!matches!(name, "" | "." | ".." | ".git"), "{path}");
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
