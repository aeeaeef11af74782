//! Attacks on the structure of a tar.

use crate::support::tar::{
    Checksum, Entry, entry, file, link, long_name, pax, pax_records, skill, tar, unended,
};
use crate::support::{Attack, SKILL, attack, gzip, zstandard};

pub(crate) fn attacks() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (label, entries, code) in [kinds(), numbers(), extended()].into_iter().flatten() {
        let bytes = tar(&entries);
        attacks.push(attack(format!("tar.gz {label}"), gzip(&bytes), code));
        attacks.push(attack(format!("tar.zst {label}"), zstandard(&bytes), code));
        attacks.push(attack(format!("tar {label}"), bytes, code));
    }
    attacks.extend(ends());
    attacks
}

type Case = (String, Vec<Entry>, &'static str);

fn case(label: impl Into<String>, entries: Vec<Entry>, code: &'static str) -> Case {
    (label.into(), [vec![skill()], entries].concat(), code)
}

fn kinds() -> Vec<Case> {
    let mut cases = Vec::new();
    for target in ["/etc/passwd", "../../x", "SKILL.md", ".", "", "a/b"] {
        cases.push(case(
            format!("symlink to {target}"),
            vec![link(b'2', "l", target)],
            "entry-symlink",
        ));
        cases.push(case(
            format!("hard link to {target}"),
            vec![link(b'1', "l", target)],
            "entry-hard-link",
        ));
        let overridden = pax(&[("linkpath", target.as_bytes())]);
        cases.push(case(
            format!("PAX link to {target}"),
            vec![overridden, link(b'2', "l", "a")],
            "entry-symlink",
        ));
    }
    cases.push(case(
        "write through link",
        vec![link(b'2', "d", "/tmp"), file("d/x", b"x")],
        "entry-symlink",
    ));
    cases.push(case(
        "folder over link",
        vec![link(b'2', "d", "/tmp"), entry(b'5', "d", b"")],
        "entry-symlink",
    ));
    cases.push(case(
        "link over folder",
        vec![entry(b'5', "d", b""), link(b'2', "d", "/tmp")],
        "entry-file-and-folder",
    ));
    cases.push(case(
        "hard link to link",
        vec![link(b'1', "a", "SKILL.md"), link(b'1', "b", "a")],
        "entry-hard-link",
    ));
    for kind in b"3467DMNVXZas\x01\xff89" {
        cases.push(case(
            format!("kind {}", kind.escape_ascii()),
            vec![entry(*kind, "x", b"")],
            "entry-special",
        ));
    }
    cases.push(case("sparse", vec![entry(b'S', "x", b"")], "entry-sparse"));
    cases.push(case(
        "symlink with content",
        vec![entry(b'2', "l", b"hidden")],
        "entry-unexpected-content",
    ));
    cases.push(case(
        "folder with content",
        vec![entry(b'5', "d/", &[0; 512])],
        "entry-unexpected-content",
    ));
    cases.push(case(
        "file with slash",
        vec![file("d/", b"x")],
        "entry-not-canonical",
    ));
    for mode in [0o4755, 0o2755, 0o1755, 0o6711, 0o7777] {
        let with_mode = |kind| Entry {
            mode: format!("{mode:07o}\0").into_bytes(),
            ..entry(kind, "x", b"")
        };
        cases.push(case(
            format!("mode {mode:o}"),
            vec![with_mode(b'0')],
            "entry-special-mode",
        ));
        if mode & 0o4000 != 0 {
            cases.push(case(
                format!("folder mode {mode:o}"),
                vec![with_mode(b'5')],
                "entry-special-mode",
            ));
        }
    }
    for mode in [0o120_777, 0o020_666, 0o040_755, 0o140_000] {
        let lie = Entry {
            mode: format!("{mode:07o}\0").into_bytes(),
            ..file("x", b"")
        };
        cases.push(case(
            format!("mode {mode:o}"),
            vec![lie],
            "entry-kind-mismatch",
        ));
    }
    cases
}

fn numbers() -> Vec<Case> {
    let mut cases = Vec::new();
    for size in [
        &b"-0000000001\0"[..],
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x80\0\0\0\0\0\0\0\0\0\0\x01",
        b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"0x000000010\0",
        b"00000000009\0",
        b"\0\0\0\0\0\0\0\0\0\0\0\0",
        b"            ",
        b"1\x00007000000\0",
        b"+0000000001\0",
        b"1e3\0\0\0\0\0\0\0\0\0",
        b"0000000001,\0",
    ] {
        let lie = Entry {
            size: size.to_vec(),
            ..file("x", b"x")
        };
        cases.push(case(
            format!("size {}", size.escape_ascii()),
            vec![lie],
            "tar-number",
        ));
    }
    let huge = Entry {
        size: b"77777777777\0".to_vec(),
        ..file("x", b"x")
    };
    cases.push(case("size 8 GiB", vec![huge], "entry-too-large"));
    for mode in [
        &b"-000644\0"[..],
        b"rwxr-xr-",
        b"\x80\0\0\0\0\0\x01\xa4",
        b"0000888\0",
    ] {
        let lie = Entry {
            mode: mode.to_vec(),
            ..file("x", b"x")
        };
        cases.push(case(
            format!("mode {}", mode.escape_ascii()),
            vec![lie],
            "tar-number",
        ));
    }
    let wrong = Entry {
        checksum: Checksum::Wrong,
        ..file("x", b"x")
    };
    cases.push(case("checksum", vec![wrong.clone()], "tar-checksum"));
    cases.push(case(
        "checksum of an extended header",
        vec![
            Entry {
                checksum: Checksum::Wrong,
                ..pax(&[("path", b"y")])
            },
            file("x", b"x"),
        ],
        "tar-checksum",
    ));
    for magic in [
        *b"ustar\x0099",
        *b"ustar\0\0\0",
        *b"USTAR\x0000",
        *b"evil\0\0\0\0",
        *b"ustar 00",
    ] {
        cases.push(case(
            "magic",
            vec![Entry {
                magic,
                ..file("x", b"x")
            }],
            "tar-header",
        ));
    }
    cases
}

fn extended() -> Vec<Case> {
    let mut cases = Vec::new();
    let nested = unended(&[file("../../hidden", b"x")]);
    for (label, claimed, size) in [
        ("larger", b"1024".as_slice(), 0),
        ("smaller", b"0", nested.len()),
        ("other", b"5", 4),
    ] {
        let carrier = file("nested.bin", &nested[..size.min(nested.len())]);
        cases.push(case(
            format!("PAX size {label}"),
            vec![pax(&[("size", claimed)]), carrier],
            "tar-two-sizes",
        ));
    }
    for size in [
        &b"-1"[..],
        b"1e9",
        b"",
        b" 1",
        b"0x10",
        b"99999999999999999999999",
        b"01",
    ] {
        cases.push(case(
            format!("PAX size {}", size.escape_ascii()),
            vec![pax(&[("size", size)]), file("x", b"x")],
            "tar-number",
        ));
    }
    for (key, value) in [
        ("path", "../../x"),
        ("path", "SKILL.md"),
        ("path", "a"),
        ("linkpath", "/etc"),
        ("size", "10"),
        ("hdrcharset", "BINARY"),
        ("GNU.sparse.realsize", "1"),
    ] {
        let global = entry(
            b'g',
            "pax_global_header",
            &pax_records(&[(key, value.as_bytes())]),
        );
        cases.push(case(
            format!("global {key}"),
            vec![global, file("x", b"x")],
            "tar-global",
        ));
    }
    for records in [
        &b"99 size=5\n"[..],
        b"5 size=5\n",
        b"size=5\n",
        b"-9 size=5\n",
        b"0 \n",
        b"3 \n",
        b"10 size=5x",
        b"10 size 5\n",
        b"5 =a\n",
        b"11 mtime=5\n\0\0",
        b"18446744073709551617 a=b\n",
        b"9999999999999999999 a=b\n",
        b"\n",
        b" ",
        b"10  size=\n",
    ] {
        let label = format!("PAX record {}", records.escape_ascii());
        cases.push(case(
            &label,
            vec![entry(b'x', "pax", records), file("x", b"x")],
            "tar-extended",
        ));
        cases.push(case(
            format!("global {label}"),
            vec![entry(b'g', "pax", records), file("x", b"x")],
            "tar-extended",
        ));
    }
    cases.push(case(
        "PAX charset",
        vec![pax(&[("hdrcharset", b"BINARY")]), file("x", b"x")],
        "tar-extended",
    ));
    for key in ["path", "size", "mtime", "comment", "SCHILY.xattr.user.a"] {
        cases.push(case(
            format!("PAX {key} twice"),
            vec![pax(&[(key, b"1"), (key, b"1")]), file("x", b"x")],
            "tar-duplicate-key",
        ));
    }
    for key in [
        "GNU.sparse.realsize",
        "GNU.sparse.major",
        "GNU.sparse.map",
        "GNU.sparse.name",
        "GNU.sparse.size",
    ] {
        cases.push(case(
            format!("PAX {key}"),
            vec![pax(&[(key, b"1099511627776")]), file("x", b"x")],
            "entry-sparse",
        ));
    }
    let (p, l, x) = (
        || pax(&[("path", b"a")]),
        || long_name(b"b"),
        || file("x", b"x"),
    );
    let global = || entry(b'g', "g", &pax_records(&[("comment", b"c")]));
    let long_link = || Entry {
        kind: b'K',
        ..long_name(b"t")
    };
    for (label, entries) in [
        ("PAX and long name", vec![p(), l(), x()]),
        ("long name and PAX", vec![l(), p(), x()]),
        ("two long names", vec![l(), l(), x()]),
        ("two PAX", vec![p(), p(), x()]),
        ("two long links", vec![long_link(), long_link(), x()]),
        ("long link and PAX", vec![long_link(), p(), x()]),
        ("global after PAX", vec![p(), global(), x()]),
        ("PAX at the end", vec![p()]),
        ("long name at the end", vec![l()]),
    ] {
        cases.push(case(label, entries, "tar-contradiction"));
    }
    let large = vec![b'a'; 70_000];
    for kind in *b"xgLK" {
        cases.push(case(
            format!("large {}", char::from(kind)),
            vec![entry(kind, "x", &large), x()],
            "tar-extended-too-large",
        ));
    }
    cases
}

fn ends() -> Vec<Attack> {
    let mut attacks = Vec::new();
    let good = tar(&[skill(), file("a", b"a")]);
    // From the first whole header on: before it, nothing says that it is a tar.
    for cut in (512..good.len()).step_by(7) {
        attacks.push(attack(
            format!("tar cut at {cut}"),
            good[..cut].to_vec(),
            "truncated",
        ));
    }
    attacks.push(attack("tar without end", unended(&[skill()]), "truncated"));
    let one_block = [unended(&[skill()]), vec![0; 512]].concat();
    attacks.push(attack(
        "tar with half an end",
        one_block.clone(),
        "truncated",
    ));
    let hidden = unended(&[file("hidden", b"x")]);
    attacks.push(attack(
        "tar after half an end",
        [one_block, hidden.clone(), vec![0; 1024]].concat(),
        "trailing-data",
    ));
    for (label, after) in [
        ("entry", hidden),
        ("tar", good.clone()),
        ("text", b"x".to_vec()),
        ("late text", [vec![0; 9000], b"x".to_vec()].concat()),
    ] {
        let bytes = [good.clone(), after].concat();
        attacks.push(attack(
            format!("tar.gz then {label}"),
            gzip(&bytes),
            "trailing-data",
        ));
        attacks.push(attack(format!("tar then {label}"), bytes, "trailing-data"));
    }
    let mut prefixed = file("x", b"x");
    prefixed.prefix = b"../..".to_vec();
    attacks.push(attack(
        "tar prefix",
        tar(&[skill(), prefixed]),
        "entry-escapes",
    ));
    // `./` on some paths and not on others.
    attacks.push(attack(
        "tar dots, then none",
        tar(&[file("./SKILL.md", SKILL), file("a", b"a")]),
        "entry-not-canonical",
    ));
    attacks.push(attack(
        "tar dots, then out",
        tar(&[file("./SKILL.md", SKILL), file("../a", b"a")]),
        "entry-escapes",
    ));
    attacks.push(attack(
        "tar dots and root",
        tar(&[file("./SKILL.md", SKILL), file(".//etc/x", b"a")]),
        "entry-absolute",
    ));
    attacks.push(attack(
        "tar dots twice",
        tar(&[file("./SKILL.md", SKILL), file("././x", b"a")]),
        "entry-not-canonical",
    ));
    attacks.push(attack(
        "tar dots duplicate",
        tar(&[file("./SKILL.md", SKILL), file("./SKILL.md", b"a")]),
        "entry-duplicate",
    ));
    attacks.push(attack(
        "tar root with content",
        tar(&[entry(b'5', "./", b"x"), file("./SKILL.md", SKILL)]),
        "entry-unexpected-content",
    ));
    attacks
}
