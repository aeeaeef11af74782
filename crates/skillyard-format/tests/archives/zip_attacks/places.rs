//! Entries that overlap, or are described in two ways.

use super::{change, with};
use crate::support::zip::{Entry, Local, Zip, deflated, file, skill, zip};
use crate::support::{Attack, attack};

pub(super) fn mismatches() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let mut add = |label: &str, local: Local| {
        let bytes = change(|entry| entry.local = local);
        attacks.push(attack(
            format!("zip local {label}"),
            bytes,
            "zip-header-mismatch",
        ));
    };
    for name in ["b.txt", "../../x", "a.txt2", "", "A.txt", "a.tx"] {
        add(
            "name",
            Local {
                name: Some(name.into()),
                ..Local::default()
            },
        );
    }
    for size in [0, 1, 22, 24, 1 << 30] {
        add(
            "size",
            Local {
                size: Some(size),
                ..Local::default()
            },
        );
    }
    for compressed in [0, 1, 1 << 30] {
        add(
            "compressed size",
            Local {
                compressed: Some(compressed),
                ..Local::default()
            },
        );
    }
    for method in [0, 9, 12, 14, 99] {
        add(
            "method",
            Local {
                method: Some(method),
                ..Local::default()
            },
        );
    }
    for flag in [1, 1 << 3, 1 << 6, 1 << 11, 1 << 13] {
        add(
            "flags",
            Local {
                flags: Some(flag),
                ..Local::default()
            },
        );
    }
    for crc in [0, 1, u32::MAX] {
        add(
            "checksum",
            Local {
                crc: Some(crc),
                ..Local::default()
            },
        );
    }
    // A descriptor that says something else than the directory.
    for (label, crc, compressed, size) in
        [("crc", 1, 0, 0), ("compressed", 0, 1, 0), ("size", 0, 0, 1)]
    {
        for signed in [true, false] {
            let bytes = change(|entry| {
                entry.flags |= 1 << 3;
                entry.after = if signed {
                    b"PK\x07\x08".to_vec()
                } else {
                    Vec::new()
                };
                for value in [
                    entry.crc ^ crc,
                    entry.compressed ^ compressed,
                    entry.size ^ size,
                ] {
                    entry.after.extend(value.to_le_bytes());
                }
            });
            attacks.push(attack(
                format!("zip descriptor {label}"),
                bytes,
                "zip-header-mismatch",
            ));
        }
    }
    attacks
}

pub(super) fn overlaps() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for count in [2_u16, 20, 200] {
        // Many records for one content: each grows the total, none the file.
        let shared = deflated("kernel", &[0; 1000]);
        let mut entries = vec![shared.clone()];
        for index in 1..count {
            let mut entry = Entry {
                offset: Some(0),
                ..shared.clone()
            };
            entry.name = format!("k{index}").into_bytes();
            entry.local.absent = true;
            entries.push(entry);
        }
        attacks.push(attack(
            format!("zip {count} on one"),
            zip(entries).bytes(),
            "zip-overlap",
        ));
    }
    // One entry's content is the next one's header: the quoted overlap.
    let inner = zip(vec![file("inner", b"x")]).bytes();
    let header = &inner[..=(30 + 5)];
    let outer = file("outer", header);
    let mut quoted = file("inner", b"x");
    quoted.local.absent = true;
    quoted.offset = Some(u32::try_from(30 + "outer".len()).unwrap());
    attacks.push(attack(
        "zip quoted overlap",
        zip(vec![outer, quoted]).bytes(),
        "zip-overlap",
    ));
    for (label, after) in [
        ("text", b"hidden".to_vec()),
        ("zeros", vec![0; 64]),
        ("descriptor", vec![0; 16]),
    ] {
        let bytes = change(|entry| entry.after.clone_from(&after));
        attacks.push(attack(format!("zip gap of {label}"), bytes, "zip-gap"));
        let mut first = skill();
        first.after = after;
        attacks.push(attack(
            format!("zip gap after the first, {label}"),
            zip(vec![first, file("b", b"b")]).bytes(),
            "zip-gap",
        ));
    }
    let hidden = Zip {
        before_directory: b"hidden".to_vec(),
        ..zip(vec![skill()])
    };
    attacks.push(attack(
        "zip data before the directory",
        hidden.bytes(),
        "zip-gap",
    ));
    // A local entry that the directory does not know.
    let mut entries = zip(vec![skill()]);
    entries.before_directory = zip(vec![file("ghost", b"x")]).bytes()[..36].to_vec();
    attacks.push(attack("zip ghost entry", entries.bytes(), "zip-gap"));
    for offset in [1, 1000, u32::MAX - 1] {
        let mut entry = file("a", b"a");
        entry.offset = Some(offset);
        let bytes = with(entry);
        attacks.push(Attack {
            codes: vec!["zip-overlap", "zip-gap"],
            ..attack(format!("zip offset {offset}"), bytes, "")
        });
    }
    attacks
}
