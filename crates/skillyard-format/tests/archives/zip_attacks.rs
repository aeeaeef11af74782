//! Attacks on the structure of a zip.

use crate::support::zip::{Entry, Local, Zip, deflated, file, skill, zip};
use crate::support::{Attack, attack};

pub(crate) fn attacks() -> Vec<Attack> {
    [
        kinds(),
        mismatches(),
        overlaps(),
        ends(),
        wide(),
        contents(),
        extras(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn with(entry: Entry) -> Vec<u8> {
    zip(vec![skill(), entry]).bytes()
}

fn change(change: impl FnOnce(&mut Entry)) -> Vec<u8> {
    let mut entry = deflated("a.txt", b"content content content");
    change(&mut entry);
    with(entry)
}

fn kinds() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let mut add = |label: &str, name: &str, attributes: u32, code| {
        let mut entry = file(name, b"/etc/passwd");
        entry.attributes = attributes;
        attacks.push(attack(format!("zip {label}"), with(entry), code));
    };
    for permission in [0o777, 0o644, 0] {
        add(
            "symlink",
            "l",
            (0o120_000 | permission) << 16,
            "entry-symlink",
        );
        add(
            "symlink as folder",
            "l/",
            (0o120_000 | permission) << 16,
            "entry-not-canonical",
        );
        add("pipe", "p", (0o010_000 | permission) << 16, "entry-special");
        add(
            "character device",
            "c",
            (0o020_000 | permission) << 16,
            "entry-special",
        );
        add(
            "block device",
            "b",
            (0o060_000 | permission) << 16,
            "entry-special",
        );
        add(
            "socket",
            "s",
            (0o140_000 | permission) << 16,
            "entry-special",
        );
        add(
            "whiteout",
            "w",
            (0o160_000 | permission) << 16,
            "entry-special",
        );
    }
    add("reparse point", "r", 0x400, "entry-symlink");
    for bits in [0o4755, 0o2755, 0o1755, 0o6711, 0o7777] {
        add(
            "setuid",
            "s",
            (0o100_000 | bits) << 16,
            "entry-special-mode",
        );
        add("setuid without type", "s", bits << 16, "entry-special-mode");
    }
    add(
        "folder without slash",
        "d",
        0o040_755 << 16,
        "entry-kind-mismatch",
    );
    add("DOS folder without slash", "d", 0x10, "entry-kind-mismatch");
    add(
        "file with slash",
        "d/",
        0o100_644 << 16,
        "entry-kind-mismatch",
    );
    add(
        "folder with content",
        "d/",
        0o040_755 << 16,
        "entry-unexpected-content",
    );
    add(
        "setuid folder",
        "d/",
        0o044_755 << 16,
        "entry-unexpected-content",
    );
    let mut link = file("d", b"/tmp");
    link.attributes = 0o120_777 << 16;
    let through = zip(vec![skill(), link, file("d/pwn", b"x")]).bytes();
    attacks.push(attack(
        "zip write through symlink",
        through,
        "entry-symlink",
    ));
    attacks
}

fn mismatches() -> Vec<Attack> {
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

fn overlaps() -> Vec<Attack> {
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

fn ends() -> Vec<Attack> {
    let good = || zip(vec![skill(), file("a", b"a")]);
    let mut attacks = Vec::new();
    for count in [0, 1, 3, 1000] {
        let lie = Zip {
            count: Some(count),
            count_here: Some(count),
            ..good()
        };
        attacks.push(attack(format!("zip count {count}"), lie.bytes(), "zip-end"));
        let lie = Zip {
            count: Some(count),
            ..good()
        };
        attacks.push(attack(
            format!("zip count {count} of 2"),
            lie.bytes(),
            "zip-end",
        ));
    }
    let lie = Zip {
        count: Some(60_000),
        count_here: Some(60_000),
        ..good()
    };
    attacks.push(attack(
        "zip count over the limit",
        lie.bytes(),
        "limit-entries",
    ));
    for size in [0, 1, 50, 1 << 30] {
        let lie = Zip {
            directory_size: Some(size),
            ..good()
        };
        attacks.push(attack(
            format!("zip directory size {size}"),
            lie.bytes(),
            "zip-end",
        ));
    }
    for offset in [0, 5, 1 << 30] {
        let lie = Zip {
            directory_offset: Some(offset),
            ..good()
        };
        attacks.push(attack(
            format!("zip directory offset {offset}"),
            lie.bytes(),
            "zip-end",
        ));
    }
    let lie = Zip {
        directory_offset: Some(0),
        directory_size: Some(u32::try_from(good().bytes().len() - 22).unwrap()),
        ..good()
    };
    attacks.push(attack(
        "zip directory over the entries",
        lie.bytes(),
        "zip-directory",
    ));
    for prefix in [
        &b"#!/bin/sh\necho hi\nexit\n"[..],
        b"MZ\x90\0",
        b"%PDF-1.7\n",
        b"GIF89a",
        b"<html>",
        b"\x7fELF",
    ] {
        for shifted in [true, false] {
            let polyglot = Zip {
                prefix: prefix.to_vec(),
                shifted,
                ..good()
            };
            attacks.push(attack(
                format!("zip behind {prefix:?}"),
                polyglot.bytes(),
                "zip-prefix",
            ));
        }
    }
    let twice = [good().bytes(), good().bytes()].concat();
    attacks.push(attack("zip twice", twice, "zip-two-ends"));
    let second = Zip {
        prefix: zip(vec![file("other", b"x")]).bytes(),
        ..good()
    };
    attacks.push(attack("zip behind zip", second.bytes(), "zip-two-ends"));
    let end = good().bytes()[good().bytes().len() - 22..].to_vec();
    for comment in [
        end.clone(),
        [&b"x"[..], &end].concat(),
        [&end[..], b"x"].concat(),
        b"PK\x05\x06".to_vec(),
    ] {
        let hidden = Zip { comment, ..good() };
        attacks.push(attack("zip end in comment", hidden.bytes(), "zip-two-ends"));
    }
    let hidden = Zip {
        after_directory: end,
        ..good()
    };
    attacks.push(attack("zip end before end", hidden.bytes(), "zip-two-ends"));
    let commented = change(|entry| entry.comment = b"xxPK\x05\x06xx".to_vec());
    attacks.push(attack(
        "zip end in entry comment",
        commented,
        "zip-two-ends",
    ));
    for trailing in [&b"x"[..], b"\0", b"#!/bin/sh", &[0; 600]] {
        attacks.push(attack(
            "zip trailing",
            [&good().bytes(), trailing].concat(),
            "trailing-data",
        ));
    }
    let bytes = good().bytes();
    for cut in 4..bytes.len() {
        attacks.push(attack(
            format!("zip cut at {cut}"),
            bytes[..cut].to_vec(),
            "truncated",
        ));
    }
    for disk in [1, 2, 7] {
        attacks.push(attack(
            "zip disk",
            Zip { disk, ..good() }.bytes(),
            "zip-multi-disk",
        ));
        attacks.push(attack(
            "zip entry disk",
            change(|entry| entry.disk = disk),
            "zip-multi-disk",
        ));
    }
    attacks
}

/// 64-bit records and fields that do not fit.
fn wide() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let extra = |values: &[u64]| {
        let data: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        [
            &1_u16.to_le_bytes()[..],
            &u16::try_from(data.len()).unwrap().to_le_bytes(),
            &data,
        ]
        .concat()
    };
    attacks.push(attack(
        "zip64 size without field",
        change(|entry| entry.size = u32::MAX),
        "zip-zip64",
    ));
    attacks.push(attack(
        "zip64 short field",
        change(|entry| {
            entry.size = u32::MAX;
            entry.extra = extra(&[]);
        }),
        "zip-zip64",
    ));
    for size in [0, 22, 1 << 20] {
        let bytes = change(|entry| {
            entry.size = u32::MAX;
            entry.extra = extra(&[size]);
        });
        attacks.push(
            attack(format!("zip64 size {size}"), bytes, "zip-zip64")
                .or("zip-header-mismatch")
                .or("limit-ratio"),
        );
    }
    let bytes = change(|entry| {
        entry.size = u32::MAX;
        entry.extra = extra(&[u64::MAX]);
    });
    attacks.push(attack("zip64 size without end", bytes, "entry-too-large"));
    let bytes = change(|entry| entry.extra = extra(&[5, 6, 7]));
    attacks.push(attack("zip64 other sizes", bytes, "zip-zip64"));
    let bytes = change(|entry| {
        entry.offset = Some(u32::MAX);
        entry.extra = extra(&[u64::MAX - 5]);
    });
    attacks.push(attack("zip64 offset", bytes, "zip-gap"));
    let bytes = change(|entry| {
        entry.compressed = u32::MAX;
        entry.local.compressed = Some(5);
        entry.extra = extra(&[u64::MAX]);
    });
    attacks.push(attack("zip64 compressed", bytes, "zip-header-mismatch"));
    // Saturated end record without the wide one, and with a wide one that differs.
    {
        let count = u16::MAX;
        let lie = Zip {
            count: Some(count),
            count_here: Some(count),
            ..zip(vec![skill()])
        };
        attacks.push(attack("zip64 end missing", lie.bytes(), "zip-zip64"));
    }
    for (label, wide_count, wide_size_change, record_size, disks) in [
        ("count", 9_u64, 0_u64, 44_u64, 1_u32),
        ("size", 1, 7, 44, 1),
        ("record size", 1, 0, 60, 1),
        ("disks", 1, 0, 44, 2),
    ] {
        let plain = zip(vec![skill()]).bytes();
        let end = plain.len() - 22;
        let size = u64::from(u32::from_le_bytes(
            plain[end + 12..end + 16].try_into().unwrap(),
        ));
        let offset = u64::from(u32::from_le_bytes(
            plain[end + 16..end + 20].try_into().unwrap(),
        ));
        let mut record = b"PK\x06\x06".to_vec();
        record.extend(record_size.to_le_bytes());
        record.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for value in [wide_count, wide_count, size + wide_size_change, offset] {
            record.extend(value.to_le_bytes());
        }
        record.extend(b"PK\x06\x07\0\0\0\0");
        record.extend(u64::try_from(end).unwrap().to_le_bytes());
        record.extend(disks.to_le_bytes());
        let lie = Zip {
            after_directory: record,
            ..zip(vec![skill()])
        };
        attacks.push(attack(
            format!("zip64 end {label}"),
            lie.bytes(),
            "zip-zip64",
        ));
    }
    attacks
}

fn contents() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for bit in 0..32 {
        let bytes = change(|entry| entry.crc ^= 1 << bit);
        attacks.push(attack("zip checksum", bytes, "entry-checksum"));
    }
    for size in [0, 1, 22, 24, 1000] {
        attacks.push(attack(
            format!("zip size {size}"),
            change(|entry| entry.size = size),
            "entry-size-lie",
        ));
    }
    let mut stored = file("s", b"stored");
    stored.size = 3;
    attacks.push(attack("zip stored sizes", with(stored), "entry-size-lie"));
    let mut padded = deflated("p", b"padded padded");
    padded.data.extend(b"after the stream");
    padded.compressed += 16;
    attacks.push(attack(
        "zip data after deflate",
        with(padded),
        "entry-size-lie",
    ));
    let bytes = change(|entry| {
        entry.data = b"\xff\xff\xff\xff".to_vec();
        entry.compressed = 4;
    });
    attacks.push(attack("zip bad deflate", bytes, "entry-damaged"));
    let bytes = change(|entry| {
        entry.data.truncate(4);
        entry.compressed = 4;
    });
    attacks.push(attack("zip short deflate", bytes, "entry-damaged"));
    for flag in [1, 1 << 6, 1 << 13, 1 | 1 << 6] {
        attacks.push(attack(
            "zip encrypted",
            change(|entry| entry.flags |= flag),
            "entry-encrypted",
        ));
    }
    attacks.push(attack(
        "zip AES",
        change(|entry| entry.method = 99),
        "entry-encrypted",
    ));
    for flag in [4, 5, 7, 8, 9, 10, 12, 14, 15] {
        attacks.push(attack(
            "zip flag",
            change(|entry| entry.flags |= 1 << flag),
            "entry-unsupported",
        ));
    }
    for method in [1, 2, 6, 9, 12, 14, 19, 93, 95, 97, 98, 1000] {
        attacks.push(attack(
            format!("zip method {method}"),
            change(|entry| entry.method = method),
            "entry-unsupported",
        ));
    }
    attacks
}

fn extras() -> Vec<Attack> {
    let field = |id: u16, data: &[u8]| {
        [
            &id.to_le_bytes()[..],
            &u16::try_from(data.len()).unwrap().to_le_bytes(),
            data,
        ]
        .concat()
    };
    let unicode = |name: &[u8], of: &[u8]| {
        field(
            0x7075,
            &[&[1][..], &crc32fast::hash(of).to_le_bytes(), name].concat(),
        )
    };
    let mut attacks = Vec::new();
    for (label, extra, code) in [
        ("other name", unicode(b"b.txt", b"a.txt"), "entry-two-names"),
        ("escape", unicode(b"../../x", b"a.txt"), "entry-two-names"),
        ("stale name", unicode(b"a.txt", b"b.txt"), "entry-two-names"),
        ("short name", field(0x7075, &[1]), "entry-two-names"),
        (
            "AES",
            field(0x9901, &[2, 0, b'A', b'E', 3, 8, 0]),
            "entry-encrypted",
        ),
        (
            "strong encryption",
            field(0x0017, &[0; 8]),
            "entry-encrypted",
        ),
        (
            "old Unix link",
            field(0x756e, &[0; 14]),
            "entry-unsupported",
        ),
        ("PKWARE Unix", field(0x000d, &[0; 12]), "entry-unsupported"),
        ("cut", vec![0x55, 0x54, 9, 0, 1], "zip-extra-field"),
        ("one byte", vec![0], "zip-extra-field"),
        (
            "twice",
            [field(0x5455, &[1]), field(0x5455, &[1])].concat(),
            "zip-extra-field",
        ),
        ("end record", field(0x1234, b"PK\x05\x06"), "zip-two-ends"),
    ] {
        let central = change(|entry| entry.extra.clone_from(&extra));
        attacks.push(attack(format!("zip extra {label}"), central, code));
        if code != "zip-two-ends" {
            let local = change(|entry| entry.local_extra = extra);
            attacks.push(attack(format!("zip local extra {label}"), local, code));
        }
    }
    attacks
}

impl Attack {
    fn or(mut self, code: &'static str) -> Self {
        self.codes.push(code);
        self
    }
}
