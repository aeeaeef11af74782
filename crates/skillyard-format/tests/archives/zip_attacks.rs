//! Attacks on the structure of a zip.

#[path = "zip_attacks/directory.rs"]
mod directory;
#[path = "zip_attacks/places.rs"]
mod places;

use crate::support::zip::{Entry, deflated, file, skill, zip};
use crate::support::{Attack, attack};

pub(crate) fn attacks() -> Vec<Attack> {
    [
        kinds(),
        places::mismatches(),
        places::overlaps(),
        directory::ends(),
        directory::wide(),
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
