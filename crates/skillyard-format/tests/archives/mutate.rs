//! Archives changed at random: no panic, no way out, nothing beyond the limits.
//!
//! `Collector` and `unpack` assert what must hold whatever comes out.

use crate::support::random::Random;
use crate::support::{SKILL, code, gzip, tar, unpack, zip, zstandard};

/// Honest archives of every format, to start from.
fn seeds() -> Vec<Vec<u8>> {
    let long = "l/".repeat(7) + &"x".repeat(110);
    let entries = [
        tar::entry(
            b'g',
            "pax_global_header",
            &tar::pax_records(&[("comment", b"0123")]),
        ),
        tar::entry(b'5', "pdf/", b""),
        tar::file("pdf/SKILL.md", SKILL),
        tar::pax(&[
            ("path", format!("pdf/{long}").as_bytes()),
            ("mtime", b"1.5"),
        ]),
        tar::file("short", &[b'a'; 700]),
        tar::long_name(format!("pdf/{long}2").as_bytes()),
        tar::file("short", b"content"),
    ];
    let plain = tar::tar(&entries);
    let mut streamed = zip::deflated("pdf/b", b"some content, some content");
    streamed.flags |= 1 << 3;
    streamed.after = b"PK\x07\x08".to_vec();
    for value in [streamed.crc, streamed.compressed, streamed.size] {
        streamed.after.extend(value.to_le_bytes());
    }
    let mut folder = zip::file("pdf/", b"");
    folder.attributes = 0o040_755 << 16;
    let entries = vec![
        folder,
        zip::deflated("pdf/SKILL.md", SKILL),
        zip::file("pdf/é", b"x"),
        streamed,
    ];
    vec![
        zip::zip(entries).bytes(),
        gzip(&plain),
        zstandard(&plain),
        plain,
    ]
}

/// Bytes that headers are made of.
const WORDS: [&[u8]; 14] = [
    b"../",
    b"/",
    b"\\",
    b"\0",
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x06\x06",
    b"\xff\xff\xff\xff",
    b"ustar\x0000",
    b"00000000000",
    b"77777777777",
    b"\xe2\x80\xae",
    b"SKILL.md",
];

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len());
        match random.below(7) {
            0 if !bytes.is_empty() => bytes[place] = random.next().to_le_bytes()[0],
            1 if !bytes.is_empty() => bytes[place] ^= 1 << random.below(8),
            2 => bytes.truncate(place),
            3 => {
                let word = WORDS[random.below(WORDS.len())];
                let end = (place + word.len()).min(bytes.len());
                bytes.splice(place..end, word.iter().copied());
            }
            4 => {
                let end = (place + random.below(600)).min(bytes.len());
                let piece = bytes[place..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            5 => {
                let end = (place + random.below(40)).min(bytes.len());
                bytes.drain(place..end);
            }
            _ => bytes
                .splice(
                    place..place,
                    WORDS[random.below(WORDS.len())].iter().copied(),
                )
                .for_each(drop),
        }
    }
    bytes.truncate(1 << 16);
}

/// Mends the checksums of a tar, so that changes get past the first line of defence.
fn mend(bytes: &mut [u8]) {
    for block in bytes.chunks_exact_mut(512) {
        if block[257..262] == *b"ustar" {
            block[148..156].fill(b' ');
            let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
            block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
}

#[test]
fn random_changes_never_get_through() {
    let seeds = seeds();
    for seed in &seeds {
        assert_eq!(code(seed), "ok");
    }
    let mut accepted = 0;
    for round in 0..6000 {
        let mut random = Random::new(round);
        let mut bytes = seeds[random.below(seeds.len())].clone();
        mutate(&mut bytes, &mut random);
        if random.below(2) == 0 {
            mend(&mut bytes);
        }
        if random.below(4) == 0 && !bytes.starts_with(b"\x1f\x8b") {
            bytes = gzip(&bytes);
        }
        accepted += u32::from(unpack(&bytes).is_ok());
    }
    // Some changes are harmless: times, owners, content of a tar. Most are not.
    assert!((1..2000).contains(&accepted), "{accepted} of 6000 accepted");
}
