//! Memory depends on the limits and not on what an archive claims.

use crate::support::tar::Entry;
use crate::support::{attack, code, gzip, tar, zip, zstandard};

/// The most memory this process ever had, in KiB; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// A gzip stream of `mebibytes` of zeros, made without holding them.
fn gzip_of_zeros(head: &[u8], mebibytes: usize) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(head).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..mebibytes {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap()
}

#[test]
fn bombs_and_claims_take_little_memory() {
    let claim = Entry {
        size: b"00077777777\0".to_vec(),
        ..tar::file("x", b"")
    };
    let mut wide = b"\x28\xb5\x2f\xfd\x00\xa8".to_vec();
    wide.extend([1, 0, 0]);
    let mut lie = zip::deflated("x", &vec![0; 12 << 20]);
    lie.size = 100;
    let attacks = [
        attack("zeros", gzip_of_zeros(&[], 96), ""),
        attack(
            "zeros in a file",
            gzip_of_zeros(&tar::file("x", b"").header(), 96),
            "",
        ),
        attack("claimed content", tar::tar(&[tar::skill(), claim]), ""),
        attack("window", wide, ""),
        attack("zip lie", zip::zip(vec![zip::skill(), lie]).bytes(), ""),
        attack("nested", gzip(&gzip(&gzip_of_zeros(&[], 32))), ""),
        attack("zst", zstandard(&vec![0; 24 << 20]), ""),
    ];
    let Some(before) = peak() else { return };
    for attack in &attacks {
        assert_ne!(code(&attack.bytes), "ok", "{}", attack.label);
    }
    let grown = peak().unwrap() - before;
    assert!(grown < 48 * 1024, "{grown} KiB more than before");
}
