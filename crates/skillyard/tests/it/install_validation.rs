//! `skillyard install` of skills that the specification has something against.

use insta::assert_snapshot;
use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::project::project;
use crate::serve_chat::Serving;
use crate::servers::http::{Reply, Server};

/// A name with capitals and a field that is nobody's.
const ODD: &str = "---\nname: Odd_Name\ndescription: Fills PDF forms. Use when a task involves PDF files.\ntools: x\n---\n\n# Odd\n\nDo it.\n";

#[test]
fn what_is_not_valid_is_told_and_installed_nevertheless() {
    let context = project();
    context.write("lib/Odd_Name/SKILL.md", ODD);
    context.write_skill("lib/pdf");
    let told = context.done(&["install", "./lib", "--all", "--dry-run"]);
    assert!(
        told.contains("warning: `Odd_Name` is not valid: "),
        "{told}"
    );
    assert!(!told.contains("`pdf` is not valid"), "{told}");
    let output = crate::output(
        context
            .skillyard()
            .args(["--json", "install", "./lib", "--all"]),
    );
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let checked = answer["checked"].as_array().unwrap();
    let problems = |name: &str| {
        let one = checked.iter().find(|each| each["name"] == name).unwrap();
        one["problems"].as_array().unwrap().clone()
    };
    assert_eq!(problems("pdf"), Vec::<serde_json::Value>::new());
    let odd = problems("Odd_Name");
    assert_eq!(odd[0]["code"], "name-characters");
    assert_eq!(odd[0]["severity"], "error");
    assert_eq!(odd[0]["start"]["line"], 2);
    assert!(context.root().join(".agents/skills/Odd_Name").is_dir());
}

#[test]
fn the_question_shows_what_is_not_valid() {
    let context = project();
    let files = [PackFile {
        path: "SKILL.md",
        mode: Mode::Plain,
        content: ODD.as_bytes(),
    }];
    let archive = pack(&files, PackFormat::Zip, &Limits::skill()).unwrap();
    let server = Server::serve([("/odd.zip", Reply::ok(archive))]);
    let told = context.refused(&["install", &server.url("/odd.zip")]);
    let from = told.find("The scanner found").unwrap();
    let to = told.find("Script execution").unwrap();
    assert_snapshot!(told[from..to].trim_end(), @"
    The scanner found nothing.

    Validation found 1 error and 1 warning:
      - error name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the character '_', and only letters, digits and hyphens are allowed (SKILL.md:2)
      - warning field-unknown: `tools` is not a field of the specification (SKILL.md:4)
    ");
}

#[test]
fn what_cannot_be_loaded_is_refused_with_the_reason() {
    let context = project();
    for (text, reason) in [
        ("---\nname: x\n---\nDo it.\n", "description"),
        ("# Just text\n", "frontmatter"),
    ] {
        context.write("lib/x/SKILL.md", text);
        let told = context.refused(&["install", "./lib/x"]);
        assert!(told.contains(reason), "{told}");
        assert!(told.contains("skillyard validate"), "{told}");
    }
    context.nothing_left();
}

/// It says what it needs, in two lines.
const NEEDY: &str = "---\nname: needy\ndescription: Fills PDF forms. Use when a task involves PDF files.\ncompatibility: |\n  Requires Python 3.99+,\n  Windows <only>\n---\n\n# Needy\n\nDo it.\n";
const STATED: &str = "Requires Python 3.99+, Windows <only>";

#[test]
fn what_a_skill_says_it_needs_is_told_before_and_to_the_model() {
    let context = project();
    context.write("lib/needy/SKILL.md", NEEDY);
    context.write_skill("lib/pdf");
    let install = ["install", "./lib", "--all", "--dry-run"];
    let told = context.done(&install);
    let line = format!("Compatibility of `needy`: {STATED}\n");
    assert!(told.contains(&line), "{told}");
    assert_eq!(told.matches("Compatibility").count(), 1, "{told}");
    let answer = context.json(&[&install[..], &["--json"]].concat());
    for each in answer["checked"].as_array().unwrap() {
        let stated = match each["name"].as_str().unwrap() {
            "needy" => serde_json::json!(STATED),
            _ => serde_json::Value::Null,
        };
        assert_eq!(each["compatibility"], stated, "{answer}");
    }
    context.done(&["install", "./lib/needy", "--scope", "user"]);
    let said = context.json(&["chat", "-p", "/needy do", "--json"]);
    let stated = STATED.replace('<', "&lt;").replace('>', "&gt;");
    let line = format!("Compatibility, as the skill states it: {stated}\n");
    assert!(said["answer"].as_str().unwrap().contains(&line), "{said}");
    let serving = Serving::start(&context, &[]);
    let wanted = serde_json::json!({ "name": "needy" });
    let loaded = serving.json("POST", "/api/v1/tools/skill_load", &wanted);
    assert!(loaded.to_string().contains(line.trim_end()), "{loaded}");
}

#[test]
fn the_question_shows_what_a_skill_says_it_needs() {
    let context = project();
    let files = [PackFile {
        path: "SKILL.md",
        mode: Mode::Plain,
        content: NEEDY.as_bytes(),
    }];
    let archive = pack(&files, PackFormat::Zip, &Limits::skill()).unwrap();
    let server = Server::serve([("/needy.zip", Reply::ok(archive))]);
    let told = context.refused(&["install", &server.url("/needy.zip")]);
    let from = told.find("- Network calls").unwrap();
    let to = told.find("The scanner").unwrap();
    assert_snapshot!(told[from..to].trim_end(), @"
    - Network calls to external services

    Compatibility, which nobody has checked:
      - `needy`: Requires Python 3.99+, Windows <only>

    No scripts will be installed.
    ");
}

#[test]
fn files_that_are_kept_in_git_lfs_are_told_before() {
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
        "4d7a".repeat(16)
    );
    let context = project();
    context.write_skill("lib/pdf");
    context.write("lib/pdf/model.bin", &pointer);
    context.write(
        "lib/pdf/about.md",
        format!("LFS has files such as\n{pointer}"),
    );
    let install = ["install", "./lib/pdf", "--dry-run"];
    let told = context.done(&install);
    let line = "warning: `model.bin` of `pdf` is kept in git LFS, and only its pointer comes\n";
    assert_eq!(told.matches(line).count(), 1, "{told}");
    assert_eq!(told.matches("LFS").count(), 1, "{told}");
    let answer = context.json(&[&install[..], &["--json"]].concat());
    let pointers = &answer["checked"][0]["lfs_pointers"];
    assert_eq!(*pointers, serde_json::json!(["model.bin"]), "{answer}");
    assert!(context.done(&["install", "./lib/pdf"]).contains(line));

    let document = context.read("lib/pdf/SKILL.md");
    let file = |path, content| PackFile {
        path,
        mode: Mode::Plain,
        content,
    };
    let files = [
        file("SKILL.md", document.as_bytes()),
        file("model.bin", pointer.as_bytes()),
    ];
    let archive = pack(&files, PackFormat::Zip, &Limits::skill()).unwrap();
    let server = Server::serve([("/pdf.zip", Reply::ok(archive))]);
    let told = context.refused(&["install", &server.url("/pdf.zip"), "--force"]);
    let from = told.find("No scripts").unwrap();
    let to = told.find("The scanner").unwrap();
    assert_snapshot!(told[from..to].trim_end(), @"
    No scripts will be installed.

    Kept in git LFS, so that only pointers come in the place of:
      - `model.bin` of `pdf`
    ");
}
