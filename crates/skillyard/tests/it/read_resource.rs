//! `skillyard read NAME PATH`, and the conformance skill of the `RemcoChat` design through the binary.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::machine::TRUSTING;
use crate::{TestContext, output, text};

const SECRET: &str = "SECRET_OUTSIDE";

fn guide() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    context
        .skill(".skills/pdf", "Use when asked.")
        .write(".skills/pdf/references/guide.md", "# Guide\n\nälles gut\n")
        .write(
            ".skills/pdf/assets/logo.png",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        )
        .write(".skills/x", SECRET)
        .write("../outside/x", SECRET)
        .link("../../x", ".skills/pdf/references/link")
        .link(context.root().join("../outside"), ".skills/pdf/outside")
        .link("guide.md", ".skills/pdf/references/inside");
    context
}

#[test]
fn a_file_of_a_skill() {
    let context = guide();
    assert_snapshot!(context.tell(&["read", "pdf", "references/guide.md"]), @"
    exit status: 0
    ----- stdout -----
    # Guide

    älles gut
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["read", "pdf", "./references/guide.md", "--json"]), @r##"
    exit status: 0
    ----- stdout -----
    {
      "path": "references/guide.md",
      "size": 20,
      "offset": 0,
      "next_offset": null,
      "executable": false,
      "text": "# Guide\n\nälles gut\n"
    }
    ----- stderr -----
    "##);
    assert_snapshot!(context.tell(&["read", ".skills/pdf", "references/guide.md"]), @"
    exit status: 0
    ----- stdout -----
    # Guide

    älles gut
    ----- stderr -----
    ");
}

#[test]
fn a_part_of_a_file() {
    let context = guide();
    assert_snapshot!(context.tell(&["read", "pdf", "references/guide.md", "--limit", "8"]), @"
    exit status: 0
    ----- stdout -----
    # Guide
    ----- stderr -----
    8 of 20 bytes; go on with `--offset 8`
    ");
    // A limit inside a character gives the characters before it.
    assert_snapshot!(context.tell(&["read", "pdf", "references/guide.md", "--offset", "9", "--limit", "4", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "path": "references/guide.md",
      "size": 20,
      "offset": 9,
      "next_offset": 13,
      "executable": false,
      "text": "äll"
    }
    ----- stderr -----
    "#);
    let past = context.tell(&["read", "pdf", "references/guide.md", "--offset", "9999"]);
    assert!(
        past.contains("error: offset 9999 is past the end of `references/guide.md`"),
        "{past}"
    );
    assert_eq!(context.code(&["read", "pdf", "--offset", "3"]), Some(2));
}

#[test]
fn binary_files() {
    let context = guide();
    let raw = output(context.skillyard().args(["read", "pdf", "assets/logo.png"]));
    assert_eq!(raw.stdout, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let told = context.json(&["read", "pdf", "assets/logo.png", "--json"]);
    assert_eq!(
        (told["media_type"].as_str(), told["base64"].as_str()),
        (Some("image/png"), Some("iVBORw0KGgoAAAANSUhEUg=="))
    );
}

#[test]
fn no_path_leads_out() {
    let context = guide();
    let attacks = [
        "../x",
        "../pdf/../x",
        "/etc/passwd",
        "references/../../x",
        "references/../../../../etc/passwd",
        "./../x",
        "references//guide.md",
        "//etc/passwd",
        "references/link",
        "references/inside",
        "outside/x",
        "outside",
        "C:\\Windows\\win.ini",
        "C:x",
        "..\\x",
        "\\\\server\\share\\x",
        "%2e%2e/x",
        "..%2fx",
        "%252e%252e%252fx",
        "references/guide.md/",
        "references/.",
        "...",
        ".git/config",
        "NUL",
        "",
        ".",
        "references",
        "nowhere.md",
        "references/guide.md\n",
    ];
    let mut told = String::new();
    for attack in attacks {
        let run = output(context.skillyard().args(["read", "pdf", attack]));
        assert_eq!(run.status.code(), Some(1), "{attack:?}");
        assert_eq!(text(&run.stdout), "", "{attack:?}");
        let error = text(&run.stderr);
        assert!(
            !error.contains(SECRET) && !error.contains("root:"),
            "{error}"
        );
        told.push_str(&context.placed(&error));
    }
    assert_snapshot!(told, @r#"
    error: resource path `../x` contains `..`
    error: resource path `../pdf/../x` contains `..`
    error: resource path `/etc/passwd` is absolute
    error: resource path `references/../../x` contains `..`
    error: resource path `references/../../../../etc/passwd` contains `..`
    error: resource path `./../x` contains `..`
    error: resource path `references//guide.md` contains `//` or ends in `/`
    error: resource path `//etc/passwd` is absolute
    error: `references/link` is or passes through a symbolic link
    error: `references/inside` is or passes through a symbolic link
    error: `outside/x` is or passes through a symbolic link
    error: `outside` is or passes through a symbolic link
    error: resource path `C:\Windows\win.ini` contains a backslash; folders are separated by `/`
    error: resource path `C:x` names a drive or share of Windows
    error: resource path `..\x` contains a backslash; folders are separated by `/`
    error: resource path `\\server\share\x` names a drive or share of Windows
    error: resource path `%2e%2e/x` contains a percent-encoded separator, dot or control character
    error: resource path `..%2fx` contains a percent-encoded separator, dot or control character
    error: resource path `%252e%252e%252fx` contains a percent-encoded separator, dot or control character
    error: resource path `references/guide.md/` contains `//` or ends in `/`
    error: resource path `references/.` contains a component of only dots or spaces
    error: resource path `...` contains a component of only dots or spaces
    error: resource path `.git/config` leads into `.git`, which is no part of the skill
    error: resource path `NUL` contains `NUL`, a device on Windows
    error: resource path is empty
    error: resource path `.` contains a component of only dots or spaces
    error: `references` is a folder, not a regular file
    error: the skill has no file `nowhere.md`

    hint: List its files with `skillyard show pdf --files`
    error: resource path `references/guide.md\n` contains a control character
    "#);
}

#[test]
fn the_same_for_a_folder_and_for_a_builtin_skill() {
    let context = guide();
    for skill in [".skills/pdf", "skill-authoring"] {
        for attack in [
            "../x",
            "/etc/passwd",
            "references/../../x",
            "..%2fx",
            "C:\\x",
        ] {
            let run = output(context.skillyard().args(["read", skill, attack, "--json"]));
            assert_eq!(run.status.code(), Some(1), "{skill} {attack}");
            assert!(!text(&run.stdout).contains(SECRET));
        }
    }
    assert!(
        context
            .stdout(&["read", "skill-authoring", "references/frontmatter.md"])
            .contains("name")
    );
}

#[test]
fn an_unknown_skill_or_file() {
    let context = guide();
    assert_snapshot!(context.tell(&["read", "pfd", "x.md"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `pfd`

    hint: Did you mean `pdf`?
    ");
    assert_snapshot!(context.tell(&["read", "skill-authoring", "nowhere.md"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: the skill has no file `nowhere.md`

    hint: List its files with `skillyard show skill-authoring --files`
    ");
    for (skill, path, meant) in [
        ("pdf", "guide.md", "references/guide.md"),
        ("pdf", "references/giude.md", "references/guide.md"),
        (".skills/pdf", "logo.pgn", "assets/logo.png"),
        ("pdf", "refs/guide.md", "references/guide.md"),
        (
            "skill-authoring",
            "frontmatter.md",
            "references/frontmatter.md",
        ),
    ] {
        let told = context.tell(&["read", skill, path]);
        assert!(told.starts_with("exit status: 1"), "{told}");
        let hint = format!("hint: Did you mean `{meant}`?");
        assert!(told.contains(&hint), "{skill} {path}: {told}");
    }
}

const NAME: &str = "skills-system-validation";

/// A project that has the conformance skill where `RemcoChat` keeps it.
fn conformance() -> TestContext {
    let context = TestContext::configured(
        "[discovery]\ntrust_projects = \"always\"\nprecedence = \"remcochat\"\n",
    );
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../skillyard-catalog/tests/fixtures/.skills")
        .join(NAME);
    let to = context.root().join(".skills").join(NAME);
    copy(&fixture, &to);
    context.write(".skills/SKILL-outside.md", SECRET);
    context
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn the_conformance_checklist() {
    let context = conformance();
    let body = "REMCOCHAT_SKILLS_CONFORMANCE_BODY_v1";
    // 1. Discovery: name and description, and no body.
    let listing = context.listing(&[]);
    assert_eq!(listing["skills"][0]["name"], NAME);
    assert!(
        !listing["skills"][0]["description"]
            .as_str()
            .unwrap()
            .is_empty()
    );
    assert!(!listing.to_string().contains(body));
    let prompt = context.json(&["prompt", "--format", "json", "--no-location"]);
    let entry = &prompt["available_skills"][0];
    assert_eq!(entry["name"], NAME);
    assert_eq!(
        entry.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["name", "description"]
    );
    assert!(!prompt.to_string().contains(body));
    // 2. Activation: implicit matching finds it, and only reading it gives its instructions.
    let found = context.json(&["match", "validate my skills system", "--json"]);
    assert_eq!(found["results"][0]["name"], NAME);
    assert!(!found.to_string().contains(body));
    assert!(context.stdout(&["read", NAME]).contains(body));
    // 3. Resources.
    let read = |path: &str| context.stdout(&["read", NAME, path]);
    assert!(read("references/REFERENCE.md").contains("REMCOCHAT_SKILLS_CONFORMANCE_REFERENCE_v1"));
    assert!(read("assets/fixture.json").contains("\"fixture_id\": \"skills-system-validation\""));
    assert!(read("scripts/echo.sh").contains("REMCOCHAT_SKILLS_SCRIPT_OK"));
    assert!(context.json(&["read", NAME, "scripts/echo.sh", "--json"])["executable"] == true);
    // 4. Path safety.
    for path in [
        "../SKILL.md",
        "../SKILL-outside.md",
        "/etc/passwd",
        "references/../../../../etc/passwd",
    ] {
        let run = output(context.skillyard().args(["read", NAME, path]));
        assert_eq!(
            (run.status.code(), text(&run.stdout)),
            (Some(1), String::new()),
            "{path}"
        );
        let error = text(&run.stderr);
        assert!(
            error.starts_with("error: ") && !error.contains(SECRET) && !error.contains("root:"),
            "{error}"
        );
    }
}

#[test]
fn the_conformance_skill_is_strictly_valid() {
    let context = conformance();
    assert_eq!(
        context.code(&["validate", ".skills", "--profile", "strict"]),
        Some(0)
    );
}

#[test]
fn the_conformance_script_prints_its_marker_and_nothing_else() {
    // Not through the binary: skills' scripts run only in the sandbox, and this one is our own fixture.
    let context = conformance();
    let script = context
        .root()
        .join(".skills")
        .join(NAME)
        .join("scripts/echo.sh");
    let run = output(context.command("sh").arg(script));
    assert_eq!(text(&run.stdout), "REMCOCHAT_SKILLS_SCRIPT_OK\n");
}

#[test]
fn nothing_is_no_part_of_a_file() {
    let context = TestContext::new();
    context
        .write_skill("pdf")
        .write("pdf/references/guide.md", "Guide\n");
    let file = ["read", "./pdf", "references/guide.md", "--limit", "0"];
    let told = context.tell(&file);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(!told.contains("\nG\n"), "{told}");
}
