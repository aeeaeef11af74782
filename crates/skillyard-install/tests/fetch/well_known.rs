//! Sites that list their skills, friendly and hostile.

use skillyard_format::{Digest, SkillName};
use skillyard_install::fetch::well_known::{IndexVersion, Site, WellKnownError};
use skillyard_install::fetch::{ArchiveShape, Fetched, FetchedContent};
use skillyard_install::reference::Reference;

use crate::server::{Reply, Server};
use crate::{Bench, header, parse};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const SKILL: &str = "---\nname: pdf\ndescription: x\n---\n";

fn site(url: &str) -> Site {
    match parse(url) {
        Reference::WellKnown { address, .. } => Site {
            address,
            headers: Vec::new(),
            trusted_hosts: Vec::new(),
        },
        other => panic!("{other:?}"),
    }
}

fn entry(name: &str, kind: &str, url: &str, content: &str) -> String {
    let digest = Digest::of(content.as_bytes());
    format!(
        r#"{{"name": "{name}", "type": "{kind}", "description": "d", "url": "{url}", "digest": "{digest}"}}"#
    )
}

fn index(entries: &[String]) -> Reply {
    Reply::ok(format!(
        r#"{{"$schema": "{SCHEMA}", "future": 1, "skills": [{}]}}"#,
        entries.join(",")
    ))
}

fn fetch(bench: &Bench, site: &Site, name: &str) -> Result<Fetched, WellKnownError> {
    let index = site.index(&bench.http)?;
    site.fetch(&bench.transfer(), &index, &SkillName::new(name).unwrap())
}

#[test]
fn version_0_2_lists_files_and_archives_with_their_digests() {
    let server = Server::serve([
        (
            "/.well-known/agent-skills/index.json",
            index(&[
                entry("pdf", "skill-md", "pdf/SKILL.md", SKILL),
                entry("docx", "archive", "/files/docx.tar.gz", "archive"),
            ]),
        ),
        ("/.well-known/agent-skills/pdf/SKILL.md", Reply::ok(SKILL)),
        ("/files/docx.tar.gz", Reply::ok("archive")),
    ]);
    let bench = Bench::new();
    let site = site(&server.url(""));
    let index = site.index(&bench.http).unwrap();
    assert_eq!(index.version, IndexVersion::V0_2);
    let names: Vec<&str> = index
        .skills
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    assert_eq!(names, ["pdf", "docx"]);

    let pdf = fetch(&bench, &site, "pdf").unwrap();
    assert_eq!(
        pdf.content,
        FetchedContent::Folder {
            path: bench.folder.path().join("pdf")
        }
    );
    assert_eq!(
        pdf.origin.url,
        server.url("/.well-known/agent-skills/index.json#pdf")
    );
    let docx = fetch(&bench, &site, "docx").unwrap();
    assert!(matches!(
        docx.content,
        FetchedContent::Archive {
            shape: ArchiveShape::SkillAtRoot,
            ..
        }
    ));
    assert_eq!(bench.left(), ["archive", "pdf", "pdf/SKILL.md"]);
}

#[test]
fn version_0_1_lists_files_which_become_a_folder() {
    let server = Server::serve([
        (
            "/.well-known/skills/index.json",
            Reply::ok(
                r#"{"skills": [{"name": "pdf", "description": "d", "files": ["SKILL.md", "scripts/a b.sh"]}]}"#,
            ),
        ),
        ("/.well-known/skills/pdf/SKILL.md", Reply::ok(SKILL)),
        (
            "/.well-known/skills/pdf/scripts/a%20b.sh",
            Reply::ok("#!/bin/sh\n"),
        ),
    ]);
    let bench = Bench::new();
    let site = site(&server.url("/"));
    assert_eq!(site.index(&bench.http).unwrap().version, IndexVersion::V0_1);
    fetch(&bench, &site, "pdf").unwrap();
    assert_eq!(
        bench.left(),
        ["pdf", "pdf/SKILL.md", "pdf/scripts", "pdf/scripts/a b.sh"]
    );
}

#[test]
fn a_draft_with_digests_per_file_is_checked_by_them() {
    let list = |digest: Digest| {
        Reply::ok(format!(
            r#"{{"version": "0.2.0", "skills": [{{"name": "pdf", "files": [{{"path": "SKILL.md", "digest": "{digest}"}}]}}]}}"#
        ))
    };
    for (digest, sound) in [
        (Digest::of(SKILL.as_bytes()), true),
        (Digest::of(b"other"), false),
    ] {
        let server = Server::serve([
            ("/.well-known/agent-skills/index.json", list(digest)),
            ("/.well-known/agent-skills/pdf/SKILL.md", Reply::ok(SKILL)),
        ]);
        let bench = Bench::new();
        assert_eq!(fetch(&bench, &site(&server.url("")), "pdf").is_ok(), sound);
        assert_eq!(bench.left().is_empty(), !sound);
    }
}

#[test]
fn a_part_of_a_site_is_not_the_whole_and_pages_are_no_index() {
    let server = Server::serve([
        (
            "/docs/.well-known/agent-skills/index.json",
            Reply::ok("<!doctype html>"),
        ),
        (
            "/.well-known/agent-skills/index.json",
            index(&[
                entry("root", "skill-md", "x", "x"),
                entry("deep", "archive", "/files/deep", "x"),
            ]),
        ),
        (
            "/team/.well-known/skills/index.json",
            Reply::ok(r#"{"skills": []}"#),
        ),
        (
            "/other/.well-known/agent-skills/index.json",
            index(&[entry("part", "skill-md", "x", "x")]),
        ),
    ]);
    let bench = Bench::new();
    let names = |path: &str| {
        let index = site(&server.url(path)).index(&bench.http)?;
        let names = index.skills.iter().map(|entry| entry.name.to_string());
        Ok::<Vec<String>, WellKnownError>(names.collect())
    };
    assert_eq!(names("/").unwrap(), ["root", "deep"]);
    assert_eq!(names("/other/").unwrap(), ["part"]);
    assert_eq!(names("/files/deep").unwrap(), ["deep"]);
    for path in ["/docs", "/files", "/files/deeper"] {
        let error = names(path).unwrap_err();
        assert!(matches!(error, WellKnownError::NoIndex { .. }), "{error}");
    }

    let empty = Server::start(|_| Reply::status(404));
    let error = site(&empty.url("/docs")).index(&bench.http).unwrap_err();
    let WellKnownError::NoIndex { tried } = &error else {
        panic!("{error}")
    };
    assert_eq!(tried.len(), 4);
    assert!(
        error
            .to_string()
            .contains("/docs/.well-known/agent-skills/index.json"),
        "{error}"
    );
}

#[test]
fn formats_and_types_that_are_not_known_are_told() {
    let bench = Bench::new();
    let check = |body: &str, message: &str| {
        let body = body.to_owned();
        let server = Server::start(move |_| Reply::ok(body.clone()));
        let error = site(&server.url("")).index(&bench.http).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    };
    check(
        r#"{"$schema": "https://schemas.agentskills.io/discovery/9/schema.json", "skills": []}"#,
        "which is not known",
    );
    check(
        r#"{"$schema": "x\u001b", "version": "0.2.0", "skills": []}"#,
        r"in the format `x\u{1b}`, which is not known",
    );
    check("[]", "is not readable");
    check("{}", "missing field `skills`");
    check(r#"{"skills": {}}"#, "is not readable");
    check(&"[".repeat(100_000), "is not readable");

    let server = Server::start(|_| {
        index(&[
            entry("pdf", "oci", "x", "x"),
            entry("docx", "skill-md", "x", "x"),
        ])
    });
    let index = site(&server.url("")).index(&bench.http).unwrap();
    assert_eq!(index.skills.len(), 1);
    assert_eq!(index.skipped[0].reason, "its type `oci` is not known");
    let error = index.find(&SkillName::new("pdf").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`pdf` cannot be fetched: its type `oci` is not known"
    );
    let error = index.find(&SkillName::new("docs").unwrap()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("lists no skill `docs`; did you mean `docx`?"),
        "{error}"
    );
}

#[test]
fn an_index_that_is_too_large_is_not_read() {
    // Its length is told, and nothing of it has to come.
    let server = Server::start(|_| Reply::ok(vec![b' '; 129 * 1024 * 1024]).cut(0));
    let error = site(&server.url("")).index(&Bench::new().http).unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
    let entries = |count: usize, schema: &str| {
        let body = format!("{{{schema}\"skills\": [{}7]}}", "7,".repeat(count - 1));
        let server = Server::start(move |_| Reply::ok(body.clone()));
        site(&server.url("")).index(&Bench::new().http)
    };
    let schema = format!("\"$schema\": \"{SCHEMA}\",");
    assert_eq!(entries(200_000, &schema).unwrap().skipped.len(), 200_000);
    for (count, schema) in [(200_001, schema.as_str()), (3_000_000, "")] {
        let error = entries(count, schema).unwrap_err().to_string();
        assert!(error.contains("lists more skills than are read"), "{error}");
    }
}

#[test]
fn an_index_of_a_hundred_thousand_skills_is_read_but_for_entries_beyond_measure() {
    let entry = |name: String, description: &str| {
        let digest = "0".repeat(64);
        format!(
            r#"{{"name": "{name}", "type": "archive", "description": "{description}", "url": "/{name}", "digest": "sha256:{digest}"}}"#
        )
    };
    let description = "Does a thing. ".repeat(20);
    let mut entries: Vec<String> = (0..100_000)
        .map(|number| entry(format!("skill-{number}"), &description))
        .collect();
    entries.push(entry("huge".to_owned(), &"a".repeat(300_000)));
    let entries = entries.join(",");
    let body = format!(r#"{{"$schema": "{SCHEMA}", "skills": [{entries}]}}"#);
    let server = Server::start(move |_| Reply::ok(body.clone()));
    let index = site(&server.url("")).index(&Bench::new().http).unwrap();
    assert_eq!(index.skills.len(), 100_000);
    let [skipped] = index.skipped.as_slice() else {
        panic!("{:?}", index.skipped.len());
    };
    assert_eq!(skipped.name, "huge");
    assert!(skipped.reason.contains("larger than"), "{}", skipped.reason);
}

#[test]
fn hostile_entries_are_left_out_and_told() {
    let files =
        |files: &str| format!(r#"{{"name": "pdf", "description": "d", "files": [{files}]}}"#);
    let many: Vec<String> = (0..1001).map(|n| format!("\"{n}\"")).collect();
    for (entry, reason) in [
        (files(r#""SKILL.md", "../../.bashrc""#), "contains `..`"),
        (files(r#""SKILL.md", "/etc/passwd""#), "is absolute"),
        (files(r#""SKILL.md", "a\\..\\b""#), "contains the character"),
        (
            files(r#""SKILL.md", ".git/hooks/post-checkout""#),
            "leads into `.git`",
        ),
        (files(r#""SKILL.md", "a\u0000b""#), "contains the character"),
        (files(r#""SKILL.md", "con""#), "device on Windows"),
        (files(r#""SKILL.md", "skill.MD""#), "is listed twice"),
        (files(r#""SKILL.md", "a", "a/b""#), "is inside a file"),
        (files(r#""README.md""#), "it has no SKILL.md"),
        (files(""), "it has no SKILL.md"),
        (files(&many.join(",")), "at most 1000 are allowed"),
        (r#"{"name": "pdf"}"#.to_owned(), "missing field `files`"),
        (
            r#"{"name": "../x", "files": ["SKILL.md"]}"#.to_owned(),
            "its name is not valid",
        ),
        (
            r#"{"name": "рdf", "files": ["SKILL.md"]}"#.to_owned(),
            "not ASCII",
        ),
        (
            r#"{"files": ["SKILL.md"]}"#.to_owned(),
            "its name is not valid",
        ),
        ("7".to_owned(), "its name is not valid"),
    ] {
        let body = format!(r#"{{"skills": [{entry}]}}"#);
        let server = Server::start(move |_| Reply::ok(body.clone()));
        let index = site(&server.url("")).index(&Bench::new().http).unwrap();
        assert!(index.skills.is_empty(), "{entry}");
        assert!(
            index.skipped[0].reason.contains(reason),
            "{entry}: {}",
            index.skipped[0].reason
        );
    }
    for (url, reason) in [
        ("file:///etc/passwd", "is not on https"),
        ("skill://x", "is not on https"),
        ("data:,x", "is not on https"),
        ("http://user:pw@127.0.0.1/x", "names a user"),
        ("http://[::bad/", "is not valid"),
    ] {
        let reply = index(&[entry("pdf", "skill-md", url, "x")]);
        let server = Server::start(move |_| reply.clone());
        let index = site(&server.url("")).index(&Bench::new().http).unwrap();
        assert!(
            index.skipped[0].reason.contains(reason),
            "{url}: {:?}",
            index.skipped
        );
    }
    let bad_digest = entry("pdf", "skill-md", "x", "x").replace("sha256:", "md5:");
    let server = Server::start(move |_| index(std::slice::from_ref(&bad_digest)));
    let index = site(&server.url("")).index(&Bench::new().http).unwrap();
    assert!(
        index.skipped[0].reason.contains("is not a digest"),
        "{:?}",
        index.skipped
    );
}

#[test]
fn a_name_that_is_listed_twice_is_not_taken_at_all() {
    let server = Server::start(|_| {
        index(&[
            entry("pdf", "skill-md", "a", "a"),
            entry("pdf", "skill-md", "b", "b"),
        ])
    });
    let bench = Bench::new();
    let error = fetch(&bench, &site(&server.url("")), "pdf").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`pdf` cannot be fetched: it is listed 2 times"
    );
    bench.nothing_left();
}

#[test]
fn content_that_is_not_what_was_promised_leaves_nothing() {
    for kind in ["skill-md", "archive"] {
        let server = Server::start(move |asked| match asked.target.as_str() {
            "/.well-known/agent-skills/index.json" => index(&[entry("pdf", kind, "x", "promised")]),
            _ => Reply::ok("something else"),
        });
        let bench = Bench::new();
        let error = fetch(&bench, &site(&server.url("")), "pdf").unwrap_err();
        assert!(error.to_string().contains("was promised"), "{error}");
        bench.nothing_left();
    }
}

#[test]
fn files_are_all_there_or_none_is() {
    let list = r#"{"skills": [{"name": "pdf", "files": ["SKILL.md", "a/b", "a/c"]}]}"#;
    let ends = [
        Reply::status(404),
        Reply::ok("x").cut(0),
        Reply::ok(vec![0; 100_000 - 5]),
    ];
    for reply in ends {
        let server = Server::serve([
            ("/.well-known/skills/index.json", Reply::ok(list)),
            ("/.well-known/skills/pdf/SKILL.md", Reply::ok("abc")),
            ("/.well-known/skills/pdf/a/b", Reply::ok("def")),
            ("/.well-known/skills/pdf/a/c", reply),
        ]);
        let bench = Bench::new();
        assert!(fetch(&bench, &site(&server.url("")), "pdf").is_err());
        bench.nothing_left();
    }
}

#[test]
fn another_host_must_be_trusted_and_gets_no_secrets() {
    let cdn = Server::serve([("/pdf", Reply::ok(SKILL))]);
    let (there, origin) = (cdn.other_name("/pdf"), cdn.other_name(""));
    let server = Server::start(move |_| index(&[entry("pdf", "skill-md", &there, SKILL)]));
    let bench = Bench::new();
    let mut site = site(&server.url(""));
    site.headers.push(header("X-Key: s3cret"));
    let error = fetch(&bench, &site, "pdf").unwrap_err();
    assert!(
        matches!(&error, WellKnownError::ForeignHost { host, .. } if *host == origin),
        "{error}"
    );
    assert!(cdn.asked().is_empty());
    site.trusted_hosts.push(origin);
    fetch(&bench, &site, "pdf").unwrap();
    assert_eq!(server.asked()[0].header("x-key"), Some("s3cret"));
    assert_eq!(cdn.asked()[0].header("x-key"), None);
}

#[test]
fn a_secret_in_the_address_of_a_site_is_used_and_never_told() {
    let server = Server::serve([
        (
            "/.well-known/agent-skills/index.json?token=s3cret",
            index(&[entry("pdf", "skill-md", "pdf/SKILL.md", SKILL)]),
        ),
        ("/.well-known/agent-skills/pdf/SKILL.md", Reply::ok(SKILL)),
    ]);
    let bench = Bench::new();
    let site = site(&server.url("?token=s3cret"));
    let index = site.index(&bench.http).unwrap();
    let fetched = fetch(&bench, &site, "pdf").unwrap();
    let shown = format!("{site:?} {index:?} {fetched:?}");
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[test]
fn an_index_that_was_moved_to_another_host_does_not_take_the_secrets_with_it() {
    let second = Server::serve([
        (
            "/.well-known/agent-skills/index.json",
            index(&[entry("pdf", "skill-md", "pdf/SKILL.md", SKILL)]),
        ),
        ("/.well-known/agent-skills/pdf/SKILL.md", Reply::ok(SKILL)),
    ]);
    let there = second.url("/.well-known/agent-skills/index.json");
    let first = Server::start(move |_| Reply::redirect(&there));
    let bench = Bench::new();
    let mut site = site(&first.url(""));
    site.headers.push(header("X-Key: s3cret"));
    fetch(&bench, &site, "pdf").unwrap();
    assert_eq!(first.asked()[0].header("x-key"), Some("s3cret"));
    assert_eq!(second.asked().len(), 2);
    assert!(!format!("{:?}", second.asked()).contains("s3cret"));
}
