//! A server that speaks as GitHub does.

use skillyard_install::fetch::forge::{self, ForgeError, ResolvedCommit};
use skillyard_install::fetch::github::GitHub;
use skillyard_install::fetch::{ArchiveShape, FetchedContent};
use skillyard_install::origin::{Origin, OriginKind};
use skillyard_install::reference::{Hosted, Reference, Revision, SubPath};
use url::Url;

use crate::server::{Asked, Reply, Server};
use crate::{Bench, header, parse};

const MAIN: &str = "1111111111111111111111111111111111111111";
const BRANCH: &str = "2222222222222222222222222222222222222222";
const V1_2: &str = "3333333333333333333333333333333333333333";

fn hosted(text: &str) -> Hosted {
    match parse(text) {
        Reference::Hosted(hosted) => hosted,
        other => panic!("{other:?}"),
    }
}

/// A repository with two branches, 120 tags and archives on another host.
fn github(asked: &Asked) -> Reply {
    let path = asked.target.strip_prefix("/api").unwrap_or_default();
    let sha = |commit: &str| match asked.header("accept") {
        Some("application/vnd.github.sha") => Reply::ok(commit),
        other => panic!("{other:?}"),
    };
    let tag = |name: &str, commit: &str| {
        format!(r#"{{"name": "{name}", "commit": {{"sha": "{commit}"}}}}"#)
    };
    match path {
        "/repos/o/r" => Reply::ok(r#"{"default_branch": "main", "private": false}"#),
        "/repos/o/r/commits/main" | "/repos/o/r/commits/1111111" => sha(MAIN),
        "/repos/o/r/commits/feature%2Fx" | "/repos/o/r/commits/7" => sha(BRANCH),
        "/repos/o/r/commits/evil" => sha("--upload-pack=x"),
        "/repos/o/r/tags?per_page=100&page=1" => {
            let tags: Vec<_> = (0..100).map(|n| tag(&format!("v0.{n}.0"), MAIN)).collect();
            Reply::ok(format!("[{}]", tags.join(",")))
        }
        "/repos/o/r/tags?per_page=100&page=2" => {
            let tags = [
                tag("v1.2.0", V1_2),
                tag("v1.3.0-rc.1", MAIN),
                tag("pdf-v5.0.0", BRANCH),
                tag("nightly", MAIN),
            ];
            Reply::ok(format!("[{}]", tags.join(",")))
        }
        _ if path.starts_with("/repos/o/r/commits/") => {
            Reply::status(422).body(r#"{"message": "No commit found for SHA"}"#)
        }
        _ if path.starts_with("/repos/o/r/tarball/") => {
            let port = asked.header("host").unwrap().split(':').nth(1).unwrap();
            Reply::redirect(&format!(
                "http://localhost:{port}/codeload/{}",
                &path["/repos/o/r/tarball/".len()..]
            ))
        }
        _ if asked.target.starts_with("/codeload/") => Reply::ok(format!(
            "tarball of {}",
            &asked.target["/codeload/".len()..]
        ))
        .header("Content-Type", "application/x-gzip"),
        _ => Reply::status(404).body(r#"{"message": "Not Found"}"#),
    }
}

fn hub(server: &Server) -> GitHub {
    GitHub {
        api: Url::parse(&server.url("/api")).unwrap(),
        headers: Vec::new(),
    }
}

#[test]
fn revisions_become_commits() {
    let server = Server::start(github);
    let bench = Bench::new();
    for (reference, commit, tag, version) in [
        ("o/r", MAIN, Some("main"), None),
        ("o/r@main", MAIN, Some("main"), None),
        ("o/r@feature/x", BRANCH, Some("feature/x"), None),
        ("o/r@1111111", MAIN, None, None),
        ("o/r@^1", V1_2, Some("v1.2.0"), Some("1.2.0")),
        ("o/r@latest", V1_2, Some("v1.2.0"), Some("1.2.0")),
        ("o/r@0.7", MAIN, Some("v0.7.0"), Some("0.7.0")),
        (
            "o/r/skills/pdf@^5",
            BRANCH,
            Some("pdf-v5.0.0"),
            Some("5.0.0"),
        ),
        (
            "o/r@1.3.0-rc.1",
            MAIN,
            Some("v1.3.0-rc.1"),
            Some("1.3.0-rc.1"),
        ),
        ("o/r@7", BRANCH, Some("7"), None),
    ] {
        let hosted = hosted(reference);
        let resolved =
            forge::resolve(&hub(&server), &bench.http, &hosted, hosted.tag_name()).unwrap();
        let is_range = matches!(hosted.revision, Some(Revision::Requirement(_)));
        assert_eq!(resolved.tags.is_some(), is_range, "{reference}");
        let expected = ResolvedCommit {
            tags: resolved.tags.clone(),
            commit: commit.to_owned(),
            tag: tag.map(str::to_owned),
            version: version.map(str::to_owned),
        };
        assert_eq!(resolved, expected, "{reference}");
    }
}

#[test]
fn a_whole_commit_needs_no_question() {
    let server = Server::start(github);
    let bench = Bench::new();
    let hosted = hosted(&format!("o/r@{V1_2}"));
    let resolved = forge::resolve(&hub(&server), &bench.http, &hosted, hosted.tag_name()).unwrap();
    assert_eq!(
        resolved,
        ResolvedCommit {
            commit: V1_2.to_owned(),
            tag: None,
            version: None,
            tags: None,
        }
    );
    assert!(server.asked().is_empty());
}

#[test]
fn a_commit_is_fetched_as_an_archive_and_the_token_stays_with_the_api() {
    let server = Server::start(github);
    let bench = Bench::new();
    let mut hub = hub(&server);
    hub.headers.push(header("Authorization: Bearer s3cret"));
    let hosted = hosted("o/r/skills/pdf@main");
    let resolved = forge::resolve(&hub, &bench.http, &hosted, hosted.tag_name()).unwrap();
    let fetched = forge::fetch(&hub, &bench.transfer(), &hosted, resolved).unwrap();
    let FetchedContent::Archive { file, shape, .. } = fetched.content else {
        panic!()
    };
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        format!("tarball of {MAIN}")
    );
    assert_eq!(
        shape,
        ArchiveShape::Repository {
            path: Some(SubPath::new("skills/pdf").unwrap())
        }
    );
    let expected = Origin {
        kind: OriginKind::Git,
        url: server.url("/o/r"),
        commit: Some(MAIN.to_owned()),
        version: None,
    };
    assert_eq!(fetched.origin, expected);
    let knew: Vec<bool> = server
        .asked()
        .iter()
        .map(|asked| asked.header("authorization").is_some())
        .collect();
    assert_eq!(knew, [true, true, false]);
}

#[track_caller]
fn refused(
    reference: &str,
    reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    token: bool,
    message: &str,
) -> ForgeError {
    let server = Server::start(reply);
    let bench = Bench::new();
    let mut hub = hub(&server);
    if token {
        hub.headers.push(header("Authorization: Bearer s3cret"));
    }
    let hosted = hosted(reference);
    let error = forge::resolve(&hub, &bench.http, &hosted, hosted.tag_name()).unwrap_err();
    assert!(error.to_string().contains(message), "{reference}: {error}");
    error
}

#[test]
fn what_went_wrong_is_explained() {
    refused(
        "o/missing",
        github,
        false,
        "`o/missing` does not exist on 127.0.0.1",
    );
    refused("o/missing", github, true, "or is private to this token");
    refused(
        "o/r@nowhere",
        github,
        false,
        "`o/r` has no branch, tag or commit `nowhere`",
    );
    refused(
        "o/r@^9",
        github,
        false,
        "no tag that fits `^9`; the highest are `v1.2.0`, `v0.99.0`, `v0.98.0`",
    );
    refused("o/r@9.9.9", github, false, "no tag that fits `9.9.9`");
    refused("o/r@evil", github, false, "gave no commit for `evil`");
    refused("o/r", |_| Reply::status(401), true, "refuses the token");
    refused("o/r", |_| Reply::ok("<html>"), false, "is not readable");
    refused("o/r", |_| Reply::ok("[]"), false, "is not readable");
    let limited = |_: &Asked| {
        Reply::status(403)
            .header("X-RateLimit-Remaining", "0")
            .header("X-RateLimit-Reset", "99999999999")
    };
    let error = refused(
        "o/r",
        limited,
        false,
        "allows no more requests for now; with a token it allows many more",
    );
    assert!(matches!(
        error,
        ForgeError::RateLimited {
            authenticated: false,
            ..
        }
    ));
    refused(
        "o/r",
        |_| Reply::status(429).header("Retry-After", "600"),
        true,
        "allows no more requests for now",
    );
}
