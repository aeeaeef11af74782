//! Hostile names, in every kind of archive that can carry them.

use crate::support::{Attack, Attack as A, gzip, tar, zip, zstandard};

/// Name and expected code.
fn names() -> Vec<(Vec<u8>, &'static str)> {
    let mut names: Vec<(Vec<u8>, &'static str)> = Vec::new();
    let mut add = |code: &'static str, list: &[&str]| {
        names.extend(list.iter().map(|name| (name.as_bytes().to_vec(), code)));
    };
    add(
        "entry-escapes",
        &[
            "../x",
            "../../etc/cron.d/x",
            "..",
            "../",
            "a/../../x",
            "a/b/../../../x",
            "..\\..\\x",
            "a\\..\\..\\x",
            "../SKILL.md",
            "..//x",
            "a/..//../x",
        ],
    );
    add(
        "entry-absolute",
        &["/etc/passwd", "/", "/x", "\\windows\\x", "/../x"],
    );
    add(
        "entry-drive",
        &[
            "C:\\x",
            "c:x",
            "Z:/x",
            "\\\\server\\share\\x",
            "//server/share",
            "\\\\?\\C:\\x",
        ],
    );
    add(
        "entry-backslash",
        &["a\\b", "scripts\\run.py", "a/b\\c", "a\\..\\b", "x\\"],
    );
    add(
        "entry-not-canonical",
        &[
            "./x", "a/./b", "a//b", "a/../b", "a/b/..", ".", "a/.", "././x",
        ],
    );
    add("entry-empty-name", &[""]);
    add(
        "entry-reserved-name",
        &[
            "CON",
            "con",
            "prn.txt",
            "AUX",
            "nul",
            "NUL.md",
            "COM1",
            "com9.log",
            "LPT3",
            "a/nul/b",
            "COM\u{b2}",
            "CONIN$",
            "nul .txt",
        ],
    );
    add(
        "entry-alternate-stream",
        &["SKILL.md:evil", "ab:c", "dir/x::$DATA"],
    );
    add(
        "entry-reserved-character",
        &["a?b", "a*", "a<b", "x>y", "a|b", "a\"b"],
    );
    add(
        "entry-trailing-dot-or-space",
        &[
            "x.",
            "x ",
            "SKILL.md.",
            "SKILL.md ",
            "dir./x",
            "dir /x",
            "...",
        ],
    );
    add(
        "entry-control-character",
        &[
            "a\x1b[31mb",
            "new\nline",
            "a\rb",
            "tab\tb",
            "a\x07",
            "a\0b",
            "x\x7f",
            "c1\u{85}x",
            "a/\x01/b",
            "SKILL.md\0.txt",
            "a\u{9b}b",
        ],
    );
    add(
        "entry-invisible-character",
        &[
            "SKILL\u{200b}.md",
            "a\u{202e}fdp.exe",
            "a\u{2066}b",
            "x\u{feff}",
            "a\u{e0041}b",
            "a\u{200d}b",
            "a\u{ad}b",
            "a\u{2028}b",
            "a\u{3164}b",
            "a\u{a0}b",
            "a\u{3000}b",
            "a\u{fe0f}b",
            "a\u{2060}b",
            "a\u{180e}b",
            "\u{115f}",
            "a\u{fffe}b",
            "a\u{2800}b",
        ],
    );
    add(
        "entry-lookalike",
        &[
            "\u{ff0e}\u{ff0e}/x",
            "\u{2025}/x",
            "a\u{ff0f}b",
            "a\u{2215}b",
            "a\u{2044}b",
            ".GIT/config",
            ".Git/hooks/x",
            "git~1/config",
            "GIT~1",
            "ЅКІLL.md",
            "SKlLL.md",
            "ＳＫＩＬＬ.md",
            "SΚILL.md",
            "\u{ff0e}git/x",
            "a\u{ff3c}b",
        ],
    );
    add(
        "entry-path-too-long",
        &[&format!("{0}/{0}/{0}", "a".repeat(100))],
    );
    add(
        "entry-name-too-long",
        &[&"b".repeat(129), &format!("x/{}", "é".repeat(65))],
    );
    add(
        "entry-too-deep",
        &[&"d/".repeat(17)[..33], &"d/".repeat(100)[..199]],
    );
    names.push((b"caf\xe9.txt".to_vec(), "entry-not-utf8"));
    names.push((b"\xff\xfe".to_vec(), "entry-not-utf8"));
    names.push((b"a/\xc0\xae\xc0\xae/b".to_vec(), "entry-not-utf8"));
    names.push((b"..\xff/../../x".to_vec(), "entry-escapes"));
    names
}

pub(crate) fn attacks() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (name, code) in names() {
        in_tars(&name, code, &mut attacks);
        in_zips(&name, code, &mut attacks);
    }
    for (first, second, code) in pairs() {
        let files = [first, second];
        let tar = tar::tar(&[
            tar::skill(),
            tar::file(first, b"1"),
            tar::file(second, b"2"),
        ]);
        attacks.push(attack(
            &format!("tar {files:?}"),
            first.as_bytes(),
            tar,
            code,
        ));
        let zip = zip::zip(vec![
            zip::skill(),
            zip::file(first, b"1"),
            zip::file(second, b"2"),
        ]);
        attacks.push(attack(
            &format!("zip {files:?}"),
            first.as_bytes(),
            zip.bytes(),
            code,
        ));
    }
    attacks
}

/// Two names that cannot stand side by side.
fn pairs() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("a", "a", "entry-duplicate"),
        ("x/y", "x/y", "entry-duplicate"),
        ("b", "SKILL.md", "entry-duplicate"),
        ("skill.MD", "b", "entry-collision"),
        ("a", "A", "entry-collision"),
        ("Docs/a", "docs/b", "entry-collision"),
        ("café.txt", "cafe\u{301}.txt", "entry-collision"),
        ("straße", "STRASSE", "entry-collision"),
        ("ﬁle", "file", "entry-collision"),
        ("x①", "x1", "entry-collision"),
        ("\u{212b}", "\u{c5}", "entry-collision"),
        ("x", "x/y", "entry-file-and-folder"),
        ("x/y", "x", "entry-file-and-folder"),
        ("SKILL.md/x", "b", "entry-file-and-folder"),
    ]
}

fn attack(label: &str, name: &[u8], bytes: Vec<u8>, code: &'static str) -> A {
    crate::support::attack(
        format!("{label} {:?}", String::from_utf8_lossy(name)),
        bytes,
        code,
    )
}

fn in_tars(name: &[u8], code: &'static str, attacks: &mut Vec<Attack>) {
    let content = b"evil";
    let mut forms = vec![
        vec![tar::pax(&[("path", name)]), tar::file("short", content)],
        vec![tar::long_name(name), tar::file("short", content)],
    ];
    if name.len() <= 100 && name.last() != Some(&0) {
        forms.push(vec![tar::file(name, content)]);
        // A folder may end in a slash and a link may not be there at all.
        let mut old = tar::file(name, content);
        (old.magic, old.kind) = ([0; 8], 0);
        forms.push(vec![old]);
    }
    for (index, form) in forms.into_iter().enumerate() {
        let last = [vec![tar::skill()], form.clone()].concat();
        let middle = [vec![tar::skill()], form, vec![tar::file("z", b"z")]].concat();
        let label = |what: &str| format!("{what} form {index}");
        attacks.push(attack(&label("tar last"), name, tar::tar(&last), code));
        attacks.push(attack(&label("tar middle"), name, tar::tar(&middle), code));
        attacks.push(attack(&label("tar.gz"), name, gzip(&tar::tar(&last)), code));
        attacks.push(attack(
            &label("tar.zst"),
            name,
            zstandard(&tar::tar(&last)),
            code,
        ));
    }
}

fn in_zips(name: &[u8], code: &'static str, attacks: &mut Vec<Attack>) {
    // A name that ends in a slash is a folder to a zip, and so said otherwise.
    if name.ends_with(b"/") {
        return;
    }
    for entry in [
        zip::file(name, b"evil"),
        zip::deflated(name, b"evil evil evil"),
    ] {
        // The zip reader looks at the encoding before anything else.
        let code = if std::str::from_utf8(name).is_err() {
            "entry-not-utf8"
        } else {
            code
        };
        let first = zip::zip(vec![entry.clone(), zip::skill()]).bytes();
        let last = zip::zip(vec![zip::skill(), entry]).bytes();
        attacks.push(attack("zip first", name, first, code));
        attacks.push(attack("zip last", name, last, code));
    }
    if !name.is_ascii() {
        for host in [0, 10, 11] {
            let mut unmarked = zip::file(name, b"evil");
            (unmarked.flags, unmarked.host) = (0, host);
            let bytes = zip::zip(vec![zip::skill(), unmarked]).bytes();
            attacks.push(attack(
                "zip unmarked",
                name,
                bytes,
                "entry-unmarked-encoding",
            ));
        }
    }
}
