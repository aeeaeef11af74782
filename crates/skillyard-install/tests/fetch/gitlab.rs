//! A server that speaks as GitLab does.

use skillyard_install::fetch::gitlab::GitLab;
use skillyard_install::fetch::{FetchedContent, forge};
use skillyard_install::origin::{Origin, OriginKind};
use skillyard_install::reference::{Hosted, Reference};
use url::Url;

use crate::server::{Asked, Reply, Server};
use crate::{Bench, header, parse};

const MAIN: &str = "1111111111111111111111111111111111111111";
const V1: &str = "3333333333333333333333333333333333333333";

fn hosted(text: &str) -> Hosted {
    match parse(text) {
        Reference::Hosted(hosted) => hosted,
        other => panic!("{other:?}"),
    }
}

fn gitlab(asked: &Asked) -> Reply {
    if asked.header("private-token") != Some("s3cret") {
        return Reply::status(404).body(r#"{"message": "404 Project Not Found"}"#);
    }
    let Some(path) = asked.target.strip_prefix("/api/v4/projects/a%2Fb%2Fc") else {
        return Reply::status(404);
    };
    match path {
        "" => Reply::ok(r#"{"id": 7, "default_branch": "main"}"#),
        "/repository/commits/main" => Reply::ok(format!(r#"{{"id": "{MAIN}", "title": "x"}}"#)),
        "/repository/tags?per_page=100&page=1" => Reply::ok(format!(
            r#"[{{"name": "v1.0.0", "commit": {{"id": "{V1}"}}}}]"#
        )),
        "/repository/archive.tar.gz?sha=3333333333333333333333333333333333333333" => {
            Reply::ok("archive")
        }
        _ => Reply::status(404),
    }
}

fn lab(server: &Server) -> GitLab {
    GitLab {
        api: Url::parse(&server.url("/api/v4")).unwrap(),
        headers: vec![header("PRIVATE-TOKEN: s3cret")],
    }
}

#[test]
fn a_folder_of_a_project_in_nested_groups_is_fetched() {
    let server = Server::start(gitlab);
    let bench = Bench::new();
    let hosted = hosted("gitlab:a/b/c//skills/pdf@^1");
    let lab = lab(&server);
    let resolved = forge::resolve(&lab, &bench.http, &hosted, hosted.tag_name()).unwrap();
    assert_eq!(resolved.commit, V1);
    let fetched = forge::fetch(&lab, &bench.transfer(), &hosted, resolved).unwrap();
    let FetchedContent::Archive { file, .. } = fetched.content else {
        panic!()
    };
    assert_eq!(std::fs::read(file).unwrap(), b"archive");
    let expected = Origin {
        kind: OriginKind::Git,
        url: server.url("/a/b/c"),
        commit: Some(V1.to_owned()),
        version: Some("1.0.0".to_owned()),
    };
    assert_eq!(fetched.origin, expected);
}

#[test]
fn the_default_branch_is_found_and_errors_are_explained() {
    let server = Server::start(gitlab);
    let bench = Bench::new();
    let resolve =
        |reference: &str| forge::resolve(&lab(&server), &bench.http, &hosted(reference), "c");
    assert_eq!(resolve("gitlab:a/b/c//").unwrap().commit, MAIN);
    let message = |reference: &str| resolve(reference).unwrap_err().to_string();
    assert_eq!(
        message("gitlab:a/b/c//@nowhere"),
        "`a/b/c` has no branch, tag or commit `nowhere`"
    );
    assert_eq!(
        message("gitlab:a/other"),
        "`a/other` does not exist on 127.0.0.1, or is private to this token"
    );
    let mut anonymous = lab(&server);
    anonymous.headers.clear();
    // All of it is hidden, so nothing is known about the revision.
    for reference in ["gitlab:a/b/c//", "gitlab:a/b/c//@main"] {
        let error = forge::resolve(&anonymous, &bench.http, &hosted(reference), "c").unwrap_err();
        assert!(error.to_string().ends_with("or is private"), "{error}");
    }
}
