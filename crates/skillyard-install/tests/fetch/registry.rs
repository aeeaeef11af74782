//! A registry over HTTP.

use skillyard_format::{Digest, QualifiedName};
use skillyard_install::fetch::FetchedContent;
use skillyard_install::fetch::registry::{
    HttpRegistry, IndexMode, Registry as _, RegistryError, SearchQuery, index_path, select,
};
use skillyard_install::origin::OriginKind;
use url::Url;

use crate::server::{Asked, Reply, Server};
use crate::{Bench, header};

fn name(name: &str) -> QualifiedName {
    name.parse().unwrap()
}

fn line(name: &str, version: &str, content: &str, more: &str) -> String {
    let digest = Digest::of(content.as_bytes());
    format!(
        "{{\"name\": \"{name}\", \"version\": \"{version}\", \"digest\": \"{digest}\"{more}}}\n"
    )
}

fn serve(asked: &Asked) -> Reply {
    let summary = r#"{"name": "pdf-tools", "description": "d", "version": "1.1.0", "author": "me", "downloads": 7, "download_url": "x"}"#;
    match asked.target.as_str() {
        "/r/index/pd/f-/pdf-tools" => Reply::ok(
            line("pdf-tools", "1.0.0", "one", "")
                + &line(
                    "pdf-tools",
                    "1.1.0",
                    "two",
                    r#", "size": 3, "published": "2026-01-01T00:00:00Z""#,
                )
                + &line(
                    "pdf-tools",
                    "1.2.0",
                    "bad",
                    r#", "yanked": true, "yank_reason": "it loses data""#,
                )
                + &line("pdf-tools", "2.0.0-rc.1", "rc", ""),
        ),
        "/r/skills/pdf-tools" => Reply::ok(summary),
        "/r/skills?q=pdf+%26+more&limit=5" => {
            Reply::ok(format!(r#"{{"skills": [{summary}], "total": 1}}"#))
        }
        "/r/skills/pdf-tools/1.0.0/download" => {
            Reply::ok("one").header("Content-Type", "application/gzip")
        }
        "/r/skills/pdf-tools/1.1.0/download" => Reply::ok("tampered"),
        _ => Reply::status(404),
    }
}

fn registry(server: &Server) -> HttpRegistry {
    HttpRegistry {
        base: Url::parse(&server.url("/r/")).unwrap(),
        alias: None,
        headers: vec![header("Authorization: Bearer s3cret")],
        memory: None,
        mode: IndexMode::Online,
    }
}

#[test]
fn versions_are_read_selected_and_downloaded() {
    let server = Server::start(serve);
    let bench = Bench::new();
    let registry = registry(&server);
    let skill = name("pdf-tools");
    let versions = registry.versions(&bench.http, &skill).unwrap().versions;
    let pick = |requirement: &str| {
        select(&skill, &versions, &requirement.parse().unwrap())
            .map(|info| info.version.to_string())
    };
    assert_eq!(pick("latest").unwrap(), "1.1.0");
    assert_eq!(pick("^1").unwrap(), "1.1.0");
    assert_eq!(pick("1.0").unwrap(), "1.0.0");
    assert_eq!(pick("2.0.0-rc.1").unwrap(), "2.0.0-rc.1");
    let message = pick("1.2.0").unwrap_err().to_string();
    assert_eq!(message, "`pdf-tools@1.2.0` was withdrawn: it loses data");
    let message = pick("^3").unwrap_err().to_string();
    assert_eq!(
        message,
        "`pdf-tools` has no version that fits `^3`; the highest are 2.0.0-rc.1, 1.1.0, 1.0.0"
    );

    let fetched = registry.download(&bench.transfer(), &versions[0]).unwrap();
    let FetchedContent::Archive { file, .. } = fetched.content else {
        panic!()
    };
    assert_eq!(std::fs::read(file).unwrap(), b"one");
    assert_eq!(fetched.origin.kind, OriginKind::Registry);
    assert_eq!(fetched.origin.version.as_deref(), Some("1.0.0"));
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| asked.header("authorization") == Some("Bearer s3cret"))
    );
}

#[test]
fn an_archive_that_is_not_the_one_of_the_index_leaves_nothing() {
    let server = Server::start(serve);
    let bench = Bench::new();
    let versions = registry(&server)
        .versions(&bench.http, &name("pdf-tools"))
        .unwrap()
        .versions;
    let error = registry(&server)
        .download(&bench.transfer(), &versions[1])
        .unwrap_err();
    assert!(error.to_string().contains("was promised"), "{error}");
    bench.nothing_left();
}

#[test]
fn searching_and_looking_up() {
    let server = Server::start(serve);
    let bench = Bench::new();
    let found = registry(&server)
        .search(
            &bench.http,
            &SearchQuery {
                words: "pdf & more",
                limit: 5,
                ..SearchQuery::default()
            },
        )
        .unwrap();
    assert_eq!((found.total, found.skills[0].downloads), (1, 7));
    assert_eq!(
        registry(&server)
            .summary(&bench.http, &name("pdf-tools"))
            .unwrap(),
        found.skills[0]
    );
    let error = registry(&server)
        .versions(&bench.http, &name("missing"))
        .unwrap_err();
    assert!(
        matches!(&error, RegistryError::NotFound { name, .. } if name == "missing"),
        "{error}"
    );
    let refusing = Server::start(|_| Reply::status(401));
    let error = registry(&refusing)
        .summary(&bench.http, &name("x"))
        .unwrap_err();
    assert!(
        matches!(error, RegistryError::Unauthorized { .. }),
        "{error}"
    );
}

#[test]
fn an_index_that_contradicts_itself_is_refused() {
    let bench = Bench::new();
    for (body, problem) in [
        (
            line("other", "1.0.0", "x", ""),
            "`pdf` has a version of `other`",
        ),
        (
            line("pdf", "1.0.0", "x", "") + &line("pdf", "1.0.0", "y", ""),
            "has the version 1.0.0 twice",
        ),
        (
            line("pdf", "1.0.0+a", "x", "") + &line("pdf", "1.0.0+b", "y", ""),
            "has the version 1.0.0+b twice",
        ),
        (line("pdf", "1.0", "x", ""), "not sound"),
        ("{}".to_owned(), "missing field"),
        ("<html>".to_owned(), "not sound"),
    ] {
        let reply = body.clone();
        let server = Server::start(move |_| Reply::ok(reply.clone()));
        let error = registry(&server)
            .versions(&bench.http, &name("pdf"))
            .unwrap_err();
        assert!(error.to_string().contains(problem), "{body}: {error}");
    }
}

#[test]
fn the_index_is_spread_over_folders() {
    let path = |text: &str| index_path(&name(text)).join("/");
    assert_eq!(path("a"), "index/1/a");
    assert_eq!(path("ab"), "index/2/ab");
    assert_eq!(path("abc"), "index/3/a/abc");
    assert_eq!(path("abcd"), "index/ab/cd/abcd");
    assert_eq!(path("pdf-tools"), "index/pd/f-/pdf-tools");
}
