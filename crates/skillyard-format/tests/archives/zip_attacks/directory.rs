//! Lies about where the directory of a zip is, and how large things are.

use super::change;
use crate::support::zip::{Zip, file, skill, zip};
use crate::support::{Attack, attack};

pub(super) fn ends() -> Vec<Attack> {
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
pub(super) fn wide() -> Vec<Attack> {
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
