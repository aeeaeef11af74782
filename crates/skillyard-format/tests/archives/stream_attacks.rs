//! Attacks on compression, on the whole file and on the shape of a skill.

use crate::support::{Attack, SKILL, attack, gzip, tar, zip, zstandard};

pub(crate) fn attacks() -> Vec<Attack> {
    let mut attacks = compressed();
    attacks.extend(shapes());
    attacks.extend(limits());
    attacks.extend(polyglots());
    for (label, bytes) in [
        ("empty", Vec::new()),
        ("text", b"hello".to_vec()),
        ("html", b"<!doctype html><p>404".repeat(100)),
        ("tar of nothing", vec![0; 10_240]),
        ("rar", b"Rar!\x1a\x07\x01\0".to_vec()),
        ("7z", b"7z\xbc\xaf\x27\x1c".repeat(200)),
    ] {
        attacks.push(attack(label, bytes, "unknown-format"));
    }
    attacks
}

fn compressed() -> Vec<Attack> {
    let plain = tar::tar(&[tar::skill(), tar::file("a", b"content")]);
    let (gz, zst) = (gzip(&plain), zstandard(&plain));
    let mut attacks = Vec::new();
    for cut in 10..gz.len() {
        attacks.push(attack(
            format!("gz cut at {cut}"),
            gz[..cut].to_vec(),
            "truncated",
        ));
    }
    for cut in 5..zst.len() {
        attacks.push(attack(
            format!("zst cut at {cut}"),
            zst[..cut].to_vec(),
            "truncated",
        ));
    }
    let joined = |parts: &[&[u8]]| parts.concat();
    attacks.push(attack("gz twice", joined(&[&gz, &gz]), "second-stream"));
    attacks.push(attack(
        "gz and empty gz",
        joined(&[&gz, &gzip(b"")]),
        "second-stream",
    ));
    let zipped = zip::zip(vec![zip::skill()]).bytes();
    for (label, inner) in [("gz", &gz), ("zst", &zst), ("zip", &zipped)] {
        for (outer, bytes) in [("gz", gzip(inner)), ("zst", zstandard(inner))] {
            attacks.push(attack(
                format!("{label} in {outer}"),
                bytes,
                "compressed-twice",
            ));
        }
    }
    attacks.push(attack("zst twice", joined(&[&zst, &zst]), "second-stream"));
    attacks.push(attack(
        "gz and text",
        joined(&[&gz, b"#!/bin/sh"]),
        "trailing-data",
    ));
    attacks.push(attack(
        "gz and zeros",
        joined(&[&gz, &[0; 512]]),
        "trailing-data",
    ));
    attacks.push(attack(
        "zst and skippable frame",
        joined(&[&zst, b"\x50\x2a\x4d\x18\0\0\0\0"]),
        "trailing-data",
    ));
    attacks.push(attack(
        "gz and zip",
        joined(&[&gz, &zip::zip(vec![zip::skill()]).bytes()]),
        "two-formats",
    ));
    for flag in [2, 4, 16, 32, 64, 128] {
        let mut bytes = gz.clone();
        bytes[3] |= flag;
        attacks.push(attack(format!("gz flag {flag}"), bytes, "stream-header"));
    }
    for place in [gz.len() - 8, gz.len() - 4, gz.len() - 1] {
        let mut bytes = gz.clone();
        bytes[place] ^= 1;
        attacks.push(attack(format!("gz trailer {place}"), bytes, "damaged"));
    }
    // A frame that asks for a window of gigabytes.
    let mut wide = b"\x28\xb5\x2f\xfd\x00\xff".to_vec();
    wide.extend([1, 0, 0]);
    attacks.push(attack("zst window", wide, "damaged"));
    attacks
}

fn shapes() -> Vec<Attack> {
    let nothing = zip::zip(Vec::new()).bytes();
    let mut attacks = vec![attack("zip of nothing", nothing, "shape-empty")];
    let mut add = |code: &'static str, paths: &[&str]| {
        let tar_entries: Vec<_> = paths.iter().map(|path| tar_entry(path)).collect();
        attacks.push(attack(
            format!("tar {paths:?}"),
            tar::tar(&tar_entries),
            code,
        ));
        let zip_entries: Vec<_> = paths.iter().map(|path| zip_entry(path)).collect();
        attacks.push(attack(
            format!("zip {paths:?}"),
            zip::zip(zip_entries).bytes(),
            code,
        ));
    };
    add("shape-empty", &[".git/", ".git/config"]);
    add("shape-no-skill-file", &["README.md"]);
    add("shape-no-skill-file", &["a/b/SKILL.md"]);
    add("shape-no-skill-file", &["a/", "b/"]);
    add("shape-no-skill-file", &["SKILL.md.txt"]);
    add("shape-no-skill-file", &["__MACOSX/SKILL.md", "a/x"]);
    add("shape-skill-file-is-folder", &["SKILL.md/"]);
    add("shape-skill-file-is-folder", &["SKILL.md/x"]);
    add("shape-skill-file-is-folder", &["a/", "a/SKILL.md/"]);
    add("shape-skill-file-is-folder", &["a/skill.md/x"]);
    add("shape-two-skill-files", &["SKILL.md", "a/SKILL.md"]);
    add("shape-two-skill-files", &["a/SKILL.md", "b/SKILL.md"]);
    add("shape-two-skill-files", &["a/skill.md", "SKILL.md"]);
    add("shape-many-roots", &["a/SKILL.md", "README.md"]);
    add("shape-many-roots", &["a/SKILL.md", "b/"]);
    add("shape-many-roots", &["b/x", "a/SKILL.md"]);
    attacks
}

fn tar_entry(path: &str) -> tar::Entry {
    if path.ends_with('/') {
        tar::entry(b'5', path, b"")
    } else {
        tar::file(path, SKILL)
    }
}

fn zip_entry(path: &str) -> zip::Entry {
    if path.ends_with('/') {
        let mut folder = zip::file(path, b"");
        folder.attributes = 0o040_755 << 16 | 0x10;
        folder
    } else {
        zip::file(path, SKILL)
    }
}

fn limits() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let many: Vec<String> = (0..513).map(|index| format!("f{index}")).collect();
    let folders: Vec<String> = (0..2001).map(|index| format!("f{index}/")).collect();
    let large = vec![0; 17 << 20];
    let noise: Vec<u8> = {
        let mut random = crate::support::random::Random::new(7);
        (0..9 << 17)
            .flat_map(|_| random.next().to_le_bytes())
            .collect()
    };
    let tar_of =
        |paths: &[String]| tar::tar(&paths.iter().map(|path| tar_entry(path)).collect::<Vec<_>>());
    let zip_of =
        |paths: &[String]| zip::zip(paths.iter().map(|path| zip_entry(path)).collect()).bytes();
    attacks.push(attack("tar files", tar_of(&many), "limit-files"));
    attacks.push(attack("zip files", zip_of(&many), "limit-files"));
    attacks.push(attack("tar entries", tar_of(&folders), "limit-entries"));
    attacks.push(attack("zip entries", zip_of(&folders), "limit-entries"));
    let extended: Vec<_> = (0..7000)
        .map(|_| tar::entry(b'g', "g", &tar::pax_records(&[("comment", b"x")])))
        .collect();
    attacks.push(attack(
        "tar global headers",
        tar::tar(&extended),
        "limit-entries",
    ));
    attacks.push(attack(
        "tar file",
        tar::tar(&[tar::skill(), tar::file("big", &large)]),
        "entry-too-large",
    ));
    attacks.push(attack(
        "tar.gz file",
        gzip(&tar::tar(&[tar::skill(), tar::file("big", &large)])),
        "entry-too-large",
    ));
    attacks.push(attack(
        "zip file",
        zip::zip(vec![zip::skill(), zip::file("big", &large)]).bytes(),
        "entry-too-large",
    ));
    let halves = [tar::skill(), tar::file("a", &noise), tar::file("b", &noise)];
    attacks.push(attack("tar total", tar::tar(&halves), "limit-total-bytes"));
    attacks.push(attack(
        "tar.zst total",
        zstandard(&tar::tar(&halves)),
        "limit-total-bytes",
    ));
    let halves = vec![zip::skill(), zip::file("a", &noise), zip::file("b", &noise)];
    attacks.push(attack(
        "zip total",
        zip::zip(halves).bytes(),
        "limit-total-bytes",
    ));
    attacks.push(attack(
        "archive",
        vec![0; (32 << 20) + 1],
        "limit-archive-bytes",
    ));
    let bomb = vec![0; 8 << 20];
    attacks.push(attack(
        "zip bomb",
        zip::zip(vec![zip::skill(), zip::deflated("bomb", &bomb)]).bytes(),
        "entry-ratio",
    ));
    let small: Vec<_> = (0..12)
        .map(|index| zip::deflated(format!("b{index}"), &bomb[..1 << 20]))
        .collect();
    attacks.push(attack(
        "zip of small bombs",
        zip::zip(small).bytes(),
        "limit-ratio",
    ));
    let bomb = tar::tar(&[tar::skill(), tar::file("bomb", &bomb)]);
    attacks.push(attack("gz bomb", gzip(&bomb), "limit-ratio"));
    attacks.push(attack("zst bomb", zstandard(&bomb), "limit-ratio"));
    let zeros = [tar::tar(&[tar::skill()]), vec![0; 3 << 20]].concat();
    attacks.push(attack("tar padding", zeros.clone(), "trailing-data"));
    attacks.push(Attack {
        codes: vec!["limit-ratio", "trailing-data"],
        ..attack("gz padding", gzip(&zeros), "")
    });
    attacks
}

/// Files that are one archive to one tool and another to the next.
fn polyglots() -> Vec<Attack> {
    let mut attacks = Vec::new();
    // A zip whose end record takes the rest of the tar for its comment.
    let mut inner = zip::zip(vec![zip::skill(), zip::file("evil", b"x")]).bytes();
    let padded = (inner.len() + 1).next_multiple_of(512);
    inner.resize(padded, b' ');
    let end = inner
        .windows(4)
        .rposition(|bytes| bytes == b"PK\x05\x06")
        .unwrap();
    let comment = u16::try_from(padded + 1024 - end - 22).unwrap();
    inner[end + 20..end + 22].copy_from_slice(&comment.to_le_bytes());
    for magic in [*b"ustar\x0000", [0; 8]] {
        let mut carrier = tar::file("data.bin", &inner);
        carrier.magic = magic;
        let mut skill = tar::skill();
        skill.magic = magic;
        attacks.push(attack(
            "tar and zip",
            tar::tar(&[skill, carrier]),
            "two-formats",
        ));
    }
    // The header of a tar in the extra field of a zip's first entry.
    let mut name = b"PK\x03\x04".to_vec();
    name.extend(b"x");
    let mut block = tar::file(&name, b"").header();
    let mut entry = zip::skill();
    entry.local_extra = vec![0; 600];
    entry.local_extra[..2].copy_from_slice(&0x1234_u16.to_le_bytes());
    entry.local_extra[2..4].copy_from_slice(&596_u16.to_le_bytes());
    let mut bytes = zip::zip(vec![entry]).bytes();
    block[..100].copy_from_slice(&bytes[..100]);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let old: u32 = block[148..156].iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{:06o}\0 ", sum - old + 8 * 32).as_bytes());
    bytes[100..512].copy_from_slice(&block[100..]);
    attacks.push(attack("zip and tar", bytes, "two-formats"));
    attacks
}
