//! Writes a tar in gzip.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};

use super::PackFile;
use crate::package::archive::Mode;

const BLOCK: usize = 512;

/// "Unknown": the default is the system the code was built for.
const OPERATING_SYSTEM: u8 = 255;

/// Writes `files` as they come.
pub(super) fn write(files: &[PackFile<'_>]) -> Vec<u8> {
    let mut gzip = GzBuilder::new()
        .operating_system(OPERATING_SYSTEM)
        .write(Vec::new(), Compression::best());
    let mut put = |bytes: &[u8]| gzip.write_all(bytes).expect("a vector takes every byte");
    for file in files {
        if split(file.path).is_none() {
            let record = path_record(file.path);
            put(&header("pax", Mode::Plain, record.len(), b'x'));
            put_padded(&mut put, record.as_bytes());
        }
        put(&header(file.path, file.mode, file.content.len(), b'0'));
        put_padded(&mut put, file.content);
    }
    put(&[0; 2 * BLOCK]);
    gzip.finish().expect("a vector takes every byte")
}

fn put_padded(put: &mut impl FnMut(&[u8]), content: &[u8]) {
    put(content);
    put(&[0; BLOCK][..content.len().next_multiple_of(BLOCK) - content.len()]);
}

fn header(path: &str, mode: Mode, size: usize, kind: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    // A path that does not fit stands in an extended header; what is written here is then not read.
    let (prefix, name) = split(path).unwrap_or(("", "long"));
    let mode = match mode {
        Mode::Plain => "0000644",
        Mode::Executable => "0000755",
    };
    let size = format!("{size:011o}");
    for (place, text) in [
        (0, name),
        (100, mode),
        (108, "0000000"),
        (116, "0000000"),
        (124, size.as_str()),
        (136, "00000000000"),
        (148, "        "),
        (257, "ustar\x0000"),
        (345, prefix),
    ] {
        block[place..place + text.len()].copy_from_slice(text.as_bytes());
    }
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    block[148..156].copy_from_slice(sum.as_bytes());
    block
}

/// The path in two fields of 155 and 100 bytes.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    path.match_indices('/')
        .map(|(slash, _)| (&path[..slash], &path[slash + 1..]))
        .find(|(prefix, name)| prefix.len() <= 155 && name.len() <= 100)
}

/// A PAX record counts its own digits.
fn path_record(path: &str) -> String {
    let rest = format!(" path={path}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}
