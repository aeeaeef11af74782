//! The client itself: whole downloads or none.

mod patience;
mod secrets;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use skillyard_format::Digest;
use skillyard_install::fetch::http::{
    Download, DownloadProgress, DownloadTarget, HttpError, Request,
};
use skillyard_install::reference::ArchiveKind;
use url::Url;

use crate::Bench;
use crate::server::{Reply, Server};

fn request(url: &str) -> Request {
    Request::new(Url::parse(url).unwrap())
}

fn download(bench: &Bench, request: &Request) -> Result<Download, HttpError> {
    let file = bench.folder.path().join("file");
    let target = DownloadTarget {
        file: &file,
        limit: 1000,
        digest: None,
    };
    bench.http.download(request, &target, &())
}

#[test]
fn a_download_has_its_bytes_and_their_digest() {
    let server = Server::serve([("/a", Reply::ok("hello"))]);
    let bench = Bench::new();
    let found = download(&bench, &request(&server.url("/a"))).unwrap();
    assert_eq!(std::fs::read(&found.file).unwrap(), b"hello");
    assert_eq!((found.size, found.digest), (5, Digest::of(b"hello")));
    let asked = &server.asked()[0];
    assert!(
        asked
            .header("user-agent")
            .unwrap()
            .starts_with("skillyard/")
    );
    assert_eq!(asked.header("accept-encoding"), Some("identity"));
}

#[test]
fn a_download_that_breaks_off_at_any_byte_leaves_nothing() {
    let content: Vec<u8> = (0..=200).collect();
    for chunked in [false, true] {
        for cut in 0..content.len() {
            let content = content.clone();
            let server = Server::start(move |_| {
                let reply = Reply::ok(content.clone()).cut(cut);
                if chunked { reply.chunked() } else { reply }
            });
            let bench = Bench::new();
            let error = download(&bench, &request(&server.url("/a"))).unwrap_err();
            assert!(
                matches!(error, HttpError::Interrupted { .. }),
                "{cut}: {error}"
            );
            bench.nothing_left();
            assert_eq!(server.asked().len(), 3, "it was tried again");
        }
    }
}

#[test]
fn a_download_that_breaks_off_once_is_whole_in_the_end() {
    let tries = AtomicUsize::new(0);
    let server = Server::start(move |_| match tries.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::ok("hello").cut(3),
        _ => Reply::ok("hello"),
    });
    let bench = Bench::new();
    let found = download(&bench, &request(&server.url("/a"))).unwrap();
    assert_eq!(std::fs::read(found.file).unwrap(), b"hello");
}

#[test]
fn more_than_allowed_is_refused_whatever_the_length_says() {
    for reply in [
        Reply::ok(vec![b'x'; 1001]),
        Reply::ok(vec![b'x'; 100_000]).chunked(),
    ] {
        let server = Server::start(move |_| reply.clone());
        let bench = Bench::new();
        let error = download(&bench, &request(&server.url("/a"))).unwrap_err();
        assert!(
            matches!(error, HttpError::TooLarge { limit: 1000, .. }),
            "{error}"
        );
        bench.nothing_left();
        let error = bench
            .http
            .get(&request(&server.url("/a")), 1000)
            .unwrap_err();
        assert!(matches!(error, HttpError::TooLarge { .. }), "{error}");
        assert_eq!(bench.waits(), [], "it is not tried again");
    }
}

#[test]
fn a_wrong_digest_leaves_nothing() {
    let server = Server::serve([("/a", Reply::ok("hello"))]);
    let bench = Bench::new();
    let file = bench.folder.path().join("file");
    let target = DownloadTarget {
        file: &file,
        limit: 1000,
        digest: Some(Digest::of(b"other")),
    };
    let error = bench
        .http
        .download(&request(&server.url("/a")), &target, &())
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(&Digest::of(b"hello").to_string()),
        "{message}"
    );
    assert!(
        message.contains(&Digest::of(b"other").to_string()),
        "{message}"
    );
    bench.nothing_left();
}

#[test]
fn a_file_that_exists_is_neither_written_nor_removed() {
    let server = Server::serve([("/a", Reply::ok("hello"))]);
    let bench = Bench::new();
    std::fs::write(bench.folder.path().join("file"), "mine").unwrap();
    let error = download(&bench, &request(&server.url("/a"))).unwrap_err();
    assert!(matches!(error, HttpError::Write { .. }), "{error}");
    assert_eq!(
        std::fs::read(bench.folder.path().join("file")).unwrap(),
        b"mine"
    );
}

#[test]
fn an_answer_that_was_compressed_unasked_is_not_taken_for_json() {
    let server = Server::serve([(
        "/a",
        Reply::ok("\u{1f}\u{8b}").header("Content-Encoding", "gzip"),
    )]);
    let error = Bench::new()
        .http
        .get(&request(&server.url("/a")), 100)
        .unwrap_err();
    assert!(error.to_string().contains("compressed"), "{error}");
}

#[test]
fn an_archive_that_was_compressed_unasked_is_named_so() {
    let encoded = |encoding: &str| Reply::ok("hello").header("Content-Encoding", encoding);
    let server = Server::serve([
        ("/a.zip", encoded("gzip")),
        ("/b.zip", encoded("identity")),
        ("/c.tar.gz", encoded("gzip")),
        ("/d.tar", encoded("x-gzip")),
        ("/e.tar.gz", encoded("br")),
    ]);
    let kind = |path: &str| {
        let bench = Bench::new();
        let found = download(&bench, &request(&server.url(path)));
        found
            .map(|found| found.kind)
            .map_err(|error| error.to_string())
    };
    assert!(kind("/a.zip").unwrap_err().contains("compressed"));
    assert_eq!(kind("/b.zip").unwrap(), Some(ArchiveKind::Zip));
    // The archive itself is what is compressed there.
    assert_eq!(kind("/c.tar.gz").unwrap(), Some(ArchiveKind::TarGz));
    assert_eq!(kind("/d.tar").unwrap(), Some(ArchiveKind::TarGz));
    assert!(kind("/e.tar.gz").unwrap_err().contains("compressed"));
}

#[test]
fn progress_is_told() {
    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);
    impl DownloadProgress for Log {
        fn started(&self, what: &str, size: Option<u64>) {
            let what = what.rsplit('/').next().unwrap_or_default();
            self.0.lock().unwrap().push(format!("{what} {size:?}"));
        }
        fn received(&self, bytes: u64) {
            self.0.lock().unwrap().push(bytes.to_string());
        }
        fn finished(&self) {
            self.0.lock().unwrap().push("end".to_owned());
        }
    }
    let server = Server::serve([("/a?token=s3cret", Reply::ok("hello"))]);
    let bench = Bench::new();
    let log = Log::default();
    let file = bench.folder.path().join("file");
    let target = DownloadTarget {
        file: &file,
        limit: 1000,
        digest: None,
    };
    bench
        .http
        .download(&request(&server.url("/a?token=s3cret")), &target, &log)
        .unwrap();
    assert_eq!(*log.0.lock().unwrap(), ["a?token=… Some(5)", "5", "end"]);
}
