//! Archives at an address.

use skillyard_install::fetch::{ArchiveShape, FetchedContent, archive_url};
use skillyard_install::origin::OriginKind;
use skillyard_install::reference::{Address, ArchiveKind, Reference};

use crate::server::{Reply, Server};
use crate::{Bench, full, header, parse};

fn address(text: &str) -> Address {
    match parse(text) {
        Reference::Archive(address) => address,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_archive_is_fetched_with_the_users_headers() {
    let server = Server::serve([("/x.skill", Reply::ok("PK"))]);
    let bench = Bench::new();
    let headers = [header("X-Key: s3cret")];
    let fetched = archive_url::fetch(
        &bench.transfer(),
        &address(&server.url("/x.skill")),
        &headers,
    )
    .unwrap();
    let file = bench.folder.path().join("archive");
    assert_eq!(
        fetched.content,
        FetchedContent::Archive {
            file,
            kind: Some(ArchiveKind::Zip),
            shape: ArchiveShape::Skill
        }
    );
    assert_eq!(fetched.origin.kind, OriginKind::Archive);
    assert_eq!(fetched.origin.url, server.url("/x.skill"));
    assert_eq!(server.asked()[0].header("x-key"), Some("s3cret"));
}

#[test]
fn each_kind_is_known_by_its_type_or_name() {
    for (path, content_type, kind) in [
        ("/x.zip", "application/octet-stream", ArchiveKind::Zip),
        ("/x.tar.gz", "application/octet-stream", ArchiveKind::TarGz),
        ("/x.tgz", "text/plain", ArchiveKind::TarGz),
        ("/x.tar.zst", "binary/octet-stream", ArchiveKind::TarZst),
        (
            "/x.zip",
            "application/gzip; charset=binary",
            ArchiveKind::TarGz,
        ),
    ] {
        let server = Server::start(move |_| Reply::ok("x").header("Content-Type", content_type));
        let bench = Bench::new();
        let fetched =
            archive_url::fetch(&bench.transfer(), &address(&server.url(path)), &[]).unwrap();
        let FetchedContent::Archive { kind: found, .. } = fetched.content else {
            panic!()
        };
        assert_eq!(found, Some(kind), "{path} {content_type}");
    }
}

#[test]
fn secrets_of_the_address_are_used_and_never_told() {
    let server = Server::start(|asked| match asked.header("authorization") {
        // `me:s3cret` in base64.
        Some("Basic bWU6czNjcmV0") if asked.target == "/x.zip?v=1&token=s3cret" => Reply::ok("PK"),
        _ => Reply::status(403),
    });
    let bench = Bench::new();
    let url = server
        .url("/x.zip?v=1&token=s3cret")
        .replace("http://", "http://me:s3cret@");
    let fetched = archive_url::fetch(&bench.transfer(), &address(&url), &[]).unwrap();
    assert_eq!(fetched.origin.url, server.url("/x.zip?v=1"));
    assert!(!format!("{fetched:?}").contains("s3cret"));

    let server = Server::start(|_| Reply::status(403));
    let url = server
        .url("/x.zip?token=s3cret")
        .replace("http://", "http://me:s3cret@");
    let error = archive_url::fetch(&bench.transfer(), &address(&url), &[]).unwrap_err();
    assert!(!full(&error).contains("s3cret"), "{}", full(&error));
}

#[test]
fn what_is_too_large_leaves_nothing() {
    let server = Server::start(|_| Reply::ok(vec![0; 100_001]).chunked());
    let bench = Bench::new();
    let error =
        archive_url::fetch(&bench.transfer(), &address(&server.url("/x.zip")), &[]).unwrap_err();
    assert!(
        error.to_string().contains("larger than the 100000 bytes"),
        "{error}"
    );
    bench.nothing_left();
}

#[test]
fn what_an_address_is_not_named_for_is_told_by_its_bytes() {
    let zip = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let server = Server::serve([
        ("/skill", Reply::ok(&zip[..])),
        ("/page", Reply::ok("<!doctype html>")),
    ]);
    let fetch = |path: &str| {
        let bench = Bench::new();
        let Reference::WellKnown { address, .. } = parse(&server.url(path)) else {
            panic!("{path}");
        };
        let fetched = archive_url::fetch_unnamed(&bench.transfer(), &address, &[]).unwrap();
        (fetched.map(|fetched| fetched.origin.kind), bench.left())
    };
    let archive = (Some(OriginKind::Archive), vec!["archive".to_owned()]);
    assert_eq!(fetch("/skill"), archive);
    assert_eq!(fetch("/page"), (None, Vec::new()));
}
