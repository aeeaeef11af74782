//! Connections that end too early: whatever came, nothing of it stays.

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use insta::assert_snapshot;
use serde_json::json;

use crate::project::project;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::{Repository, skill};
use crate::servers::{forge, git_http};
use crate::support::{gzip, tar};
use crate::{TestContext, output, text};

/// The smallest archive of a skill that will do.
fn small() -> Vec<u8> {
    gzip(&tar::tar(&[tar::file(
        "SKILL.md",
        skill("pdf", "one").as_bytes(),
    )]))
}

/// A server that hangs up, or pretends to be done, after as many bytes as the path says.
fn hanging_up(archive: Vec<u8>) -> Server {
    Server::start(move |asked| {
        let mut parts = asked.path().split('/').skip(1);
        let (how, bytes) = (parts.next().unwrap(), parts.next().unwrap());
        let bytes: usize = bytes.parse().unwrap();
        match how {
            "cut" => Reply::ok(archive.clone()).cut(bytes),
            _ => Reply::ok(&archive[..bytes]),
        }
    })
}

#[test]
fn a_long_wait_is_explained() {
    let context = project();
    let tries = AtomicUsize::new(0);
    let server = Server::start(move |_| match tries.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::status(429).header("Retry-After", "2"),
        _ => Reply::ok(small()),
    });
    let mut command = context.skillyard();
    let output = output(command.args(["install", &server.url("/pdf.tar.gz"), "--yes"]));
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("; trying again in 2 s"), "{told}");
}

#[test]
fn a_download_that_is_cut_at_any_byte_leaves_nothing() {
    let context = project();
    let archive = small();
    let length = archive.len();
    let server = hanging_up(archive);
    let offsets: Vec<usize> = (0..length).collect();
    // Each is tried again a few times, so they wait together.
    for batch in offsets.chunks(100) {
        let children: Vec<_> = batch
            .iter()
            .map(|bytes| {
                let mut command = context.skillyard();
                command.args([
                    "install",
                    &server.url(&format!("/cut/{bytes}/pdf.tar.gz")),
                    "--yes",
                ]);
                command.stdout(Stdio::null()).stderr(Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let told = text(&output.stderr);
            assert!(matches!(output.status.code(), Some(1 | 2)), "{told}");
            assert!(told.contains("pdf.tar.gz` broke off after"), "{told}");
        }
        context.nothing_left();
    }
    assert_eq!(context.read("skills.toml"), "");
    context.done(&[
        "install",
        &server.url(&format!("/cut/{length}/pdf.tar.gz")),
        "--yes",
    ]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn an_archive_that_ends_at_any_byte_is_refused() {
    let context = project();
    let archive = small();
    let length = archive.len();
    let server = hanging_up(archive);
    for bytes in 0..length {
        let told = context.refused(&[
            "install",
            &server.url(&format!("/end/{bytes}/pdf.tar.gz")),
            "--yes",
        ]);
        assert!(told.starts_with("error: "), "{bytes}: {told}");
    }
    context.nothing_left();
}

#[test]
fn a_repository_that_is_cut_leaves_nothing() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let server = git_http::serve_cut(&context, repository.folder.parent().unwrap());
    for kind in ["refs", "pack"] {
        for bytes in (0..600).step_by(41) {
            let url = server.url(&format!("/cut-{kind}-{bytes}/remote.git"));
            let output = output(context.skillyard().args([
                "install",
                &format!("git+{url}#skills/pdf"),
                "--yes",
            ]));
            if output.status.success() {
                // The answer was shorter than that.
                assert!(bytes > 100, "{kind} {bytes}");
                context.done(&["remove", "pdf"]);
                context.done(&["store", "gc"]);
                let _ = std::fs::remove_dir_all(context.root().join(".agents"));
                let _ = std::fs::remove_file(context.root().join("skills.lock"));
            } else {
                let told = text(&output.stderr);
                assert!(
                    told.contains("error: git could not"),
                    "{kind} {bytes}: {told}"
                );
            }
            nothing_but_empty_folders(&context);
        }
    }
}

fn nothing_but_empty_folders(context: &TestContext) {
    assert_eq!(context.staging(), Vec::<String>::new());
    assert_eq!(context.version_of("pdf"), None);
    assert!(!context.root().join("skills.lock").exists());
}

#[test]
fn a_site_that_lacks_one_file_leaves_nothing() {
    let context = project();
    let index = json!({ "skills": [{ "name": "pdf", "description": "d", "files": ["SKILL.md", "a.md", "b.md"] }] });
    let server = Server::serve([
        ("/.well-known/skills/index.json", Reply::json(&index)),
        (
            "/.well-known/skills/pdf/SKILL.md",
            Reply::ok(skill("pdf", "one")),
        ),
        ("/.well-known/skills/pdf/a.md", Reply::ok("a")),
    ]);
    let told = context.refused(&["install", &server.url(""), "--yes"]);
    assert!(told.contains("b.md` answered 404"), "{told}");
    context.nothing_left();
}

#[test]
fn a_server_that_is_gone_is_named() {
    let context = project();
    let server = Server::serve([]);
    let address = server.url("/pdf.zip");
    drop(server);
    let told = context.refused(&["install", &address, "--yes"]);
    assert!(told.contains("127.0.0.1"), "{told}");
    context.nothing_left();
}

#[test]
fn what_a_repository_keeps_out_of_archives_is_told_as_that() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository
        .skill(".claude/skills/lib", "one")
        .write(
            ".gitattributes",
            "# not for users\n/.claude export-ignore\n",
        )
        .commit("one");
    let server = forge::github(&repository);
    context.configure(&format!("[hosts.github]\napi = \"{}\"\n", server.url("")));
    let told = context.refused(&["install", "acme/skills/.claude/skills/lib", "--yes"]);
    assert_snapshot!(told, @r"
    error: there is no skill in `github:acme/skills/.claude/skills/lib`: its repository keeps files out of what the forge packs (`export-ignore`)

    hint: If it is one of these, take it by git: `skillyard install 'git+https://github.com/acme/skills.git#.claude/skills/lib'`
    ");
    let by_git = format!("{}#.claude/skills/lib", repository.url());
    context.done(&["install", &by_git, "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("one"));
}

#[test]
fn where_no_source_can_be_asked_there_is_no_answer() {
    let server = Server::start(|_| Reply::ok(small()));
    let context = project();
    for name in ["one", "two"] {
        let url = server.url(&format!("/{name}.tar.gz"));
        context.done(&["install", &url, "--name", name, "--yes"]);
    }
    let commands = [
        &["outdated"][..],
        &["outdated", "--json"],
        &["update", "--yes"],
        &["update", "--yes", "--json"],
    ];
    for command in commands {
        assert_eq!(context.code(command), Some(0), "{command:?}");
    }
    drop(server);
    for command in commands {
        assert_eq!(context.code(command), Some(2), "{command:?}");
    }
    // A skill whose source has an answer.
    context.write("lib/tar/SKILL.md", skill("tar", "one"));
    context.done(&["install", "./lib/tar", "--yes"]);
    for command in commands {
        assert_eq!(context.code(command), Some(1), "{command:?}");
    }
}

#[test]
fn what_is_not_there_is_an_answer_of_archives_and_of_sites() {
    let context = project();
    let server = Server::serve([]);
    for path in ["/nothing.zip", "/nothing"] {
        let code = context.code(&["install", &server.url(path), "--yes"]);
        assert_eq!(code, Some(1), "{path}");
    }
}

#[test]
fn what_is_compressed_twice_is_told_as_such() {
    let context = project();
    let archive = small();
    let twice = gzip(&archive);
    let server = Server::start(move |asked| match asked.path() {
        "/encoded.tar.gz" => Reply::ok(twice.clone()).header("Content-Encoding", "gzip"),
        "/once.tar.gz" => Reply::ok(archive.clone()).header("Content-Encoding", "gzip"),
        _ => Reply::ok(twice.clone()),
    });
    let told = ["/encoded.tar.gz", "/twice.tar.gz"].map(|path| {
        let told = context.refused(&["install", &server.url(path), "--yes"]);
        told.replace(&server.url(path), "[ARCHIVE]")
    });
    assert_eq!(told[0], told[1]);
    assert_snapshot!(told[0], @"
    error: the archive `[ARCHIVE]` cannot be used
      Caused by: the archive is compressed twice: what is unpacked from it is `tar.gz`

    hint: Unpack it, and install the folder: `skillyard install ./FOLDER`; whoever offers it should compress it once, and their server not at all
    ");
    context.done(&["install", &server.url("/once.tar.gz"), "--yes"]);
}
