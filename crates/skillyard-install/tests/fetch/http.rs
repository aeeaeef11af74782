//! The client itself: limits, retries, redirects, secrets.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use skillyard_format::Digest;
use skillyard_install::fetch::http::{Download, HttpError, Progress, Request, Target};
use url::Url;

use crate::server::{Reply, Server};
use crate::{Bench, full, header};

fn request(url: &str) -> Request {
    Request::new(Url::parse(url).unwrap())
}

fn download(bench: &Bench, request: &Request) -> Result<Download, HttpError> {
    let file = bench.folder.path().join("file");
    let target = Target {
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
    let target = Target {
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
fn busy_servers_are_asked_again_and_only_as_often_as_allowed() {
    for status in [500, 502, 503, 504, 429] {
        let tries = AtomicUsize::new(0);
        let server = Server::start(move |_| match tries.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Reply::status(status),
            _ => Reply::ok("hello"),
        });
        let bench = Bench::new();
        assert_eq!(
            bench
                .http
                .get(&request(&server.url("/a")), 100)
                .unwrap()
                .bytes,
            b"hello"
        );
        assert_eq!(bench.waits(), [1, 2].map(Duration::from_millis), "{status}");

        let server = Server::start(move |_| Reply::status(status));
        let bench = Bench::new();
        let error = bench
            .http
            .get(&request(&server.url("/a")), 100)
            .unwrap_err();
        assert_eq!(error.status(), Some(status));
        assert_eq!(server.asked().len(), 3);
    }
    for status in [400, 401, 403, 404, 410, 422, 501] {
        let server = Server::start(move |_| Reply::status(status));
        let bench = Bench::new();
        assert_eq!(
            bench
                .http
                .get(&request(&server.url("/a")), 100)
                .unwrap_err()
                .status(),
            Some(status)
        );
        assert_eq!(server.asked().len(), 1, "{status}");
    }
}

#[test]
fn a_pause_that_the_server_asks_for_is_kept_if_it_is_short() {
    let tries = AtomicUsize::new(0);
    let server = Server::start(move |_| match tries.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::status(429).header("Retry-After", "3"),
        _ => Reply::ok("hello"),
    });
    let bench = Bench::new();
    assert!(bench.http.get(&request(&server.url("/a")), 100).is_ok());
    assert_eq!(bench.waits(), [Duration::from_secs(3)]);

    let server = Server::start(|_| Reply::status(429).header("Retry-After", "3600"));
    let bench = Bench::new();
    let error = bench
        .http
        .get(&request(&server.url("/a")), 100)
        .unwrap_err();
    assert!(error.to_string().contains("in 3600 seconds"), "{error}");
    assert_eq!(bench.waits(), []);
}

#[test]
fn nobody_there_is_tried_again_and_then_told() {
    let url = Server::start(|_| Reply::ok("")).url("/a?token=s3cret");
    let bench = Bench::new();
    let error = bench.http.get(&request(&url), 100).unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error}");
    assert_eq!(bench.waits().len(), 2);
    assert!(!full(&error).contains("s3cret"), "{}", full(&error));
}

#[test]
fn a_silent_server_is_not_waited_for_forever() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a", listener.local_addr().unwrap());
    let bench = Bench::with(|settings| {
        settings.idle_timeout = Duration::from_millis(50);
        settings.retry.pauses.clear();
    });
    let error = bench.http.get(&request(&url), 100).unwrap_err();
    assert!(matches!(error, HttpError::Timeout { .. }), "{error}");
}

#[test]
fn redirects_are_followed_a_few_times() {
    let server = Server::serve([
        ("/a", Reply::redirect("b?x=1")),
        ("/b?x=1", Reply::status(307).header("Location", "/c")),
        ("/c", Reply::ok("hello")),
    ]);
    let bench = Bench::new();
    let body = bench.http.get(&request(&server.url("/a")), 100).unwrap();
    assert_eq!(
        (body.bytes.as_slice(), body.url.as_str()),
        (&b"hello"[..], server.url("/c").as_str())
    );

    let server = Server::start(|_| Reply::redirect("/again"));
    let bench = Bench::new();
    let error = bench
        .http
        .get(&request(&server.url("/a")), 100)
        .unwrap_err();
    assert!(
        matches!(error, HttpError::TooManyRedirects { limit: 5, .. }),
        "{error}"
    );
    assert_eq!(server.asked().len(), 6);
}

#[test]
fn secrets_do_not_follow_to_another_host_and_do_not_come_back() {
    let second = Server::start(|_| Reply::ok(""));
    let there = second.url("/x");
    let first = Server::start(move |asked| match asked.target.as_str() {
        "/same" => Reply::redirect("/away"),
        _ => Reply::redirect(&there),
    });
    let bench = Bench::new();
    let secrets = [
        header("Authorization: Bearer s3cret"),
        header("PRIVATE-TOKEN: s3cret"),
        header("X-Key: s3cret"),
    ];
    let request = request(&first.url("/same")).headers(secrets.clone());
    bench.http.get(&request, 100).unwrap();
    for asked in first.asked() {
        assert_eq!(
            asked.header("private-token"),
            Some("s3cret"),
            "the same host still knows them"
        );
    }
    assert!(!format!("{:?}", second.asked()).contains("s3cret"));

    // Another name and back: whoever is in between must not choose where they go.
    let back = Server::start(|asked| match asked.target.as_str() {
        "/1" => Reply::redirect(&format!(
            "http://localhost:{}/2",
            asked.header("host").unwrap().split(':').nth(1).unwrap()
        )),
        "/2" => Reply::redirect(&format!(
            "http://127.0.0.1:{}/3",
            asked.header("host").unwrap().split(':').nth(1).unwrap()
        )),
        _ => Reply::ok(""),
    });
    let request = Request::new(Url::parse(&back.url("/1")).unwrap()).headers(secrets);
    bench.http.get(&request, 100).unwrap();
    let knew: Vec<bool> = back
        .asked()
        .iter()
        .map(|asked| asked.header("x-key").is_some())
        .collect();
    assert_eq!(knew, [true, false, false]);
}

#[test]
fn only_encrypted_connections_leave_this_machine() {
    let bench = Bench::with(|settings| settings.retry.pauses.clear());
    let check = |url: &str, expected: &str| {
        let error = bench.http.get(&request(url), 100).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    check("http://example.com/x", "not encrypted; use https");
    check("http://127.0.0.1.example.com/x", "not encrypted; use https");
    check("ftp://example.com/x", "only https");
    check("file:///etc/passwd", "only https");
    for target in ["http://example.com/x", "file:///etc/passwd", "gopher://x/"] {
        let target = target.to_owned();
        let server = Server::start(move |_| Reply::redirect(&target));
        let error = bench
            .http
            .get(&request(&server.url("/a")), 100)
            .unwrap_err();
        assert!(
            matches!(
                error,
                HttpError::PlainHttp { .. } | HttpError::Scheme { .. }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_host_that_may_be_asked_in_the_clear_cannot_send_us_to_this_machine() {
    // The name is resolved by the proxy, which here answers itself.
    let proxy = Server::start(|asked| match asked.target.as_str() {
        "http://plain.example/ok" => Reply::ok("hello"),
        _ => Reply::redirect("http://127.0.0.1:1/admin"),
    });
    let bench = Bench::with(|settings| {
        settings.plain_hosts = vec!["plain.example".to_owned()];
        settings.proxies.http = Some(proxy.url("").into());
    });
    let body = bench
        .http
        .get(&request("http://plain.example/ok"), 100)
        .unwrap();
    assert_eq!(body.bytes, b"hello");
    let error = bench
        .http
        .get(&request("http://plain.example/bad"), 100)
        .unwrap_err();
    assert!(
        error.to_string().contains("which is on this machine"),
        "{error}"
    );
}

#[test]
fn what_a_server_says_is_told_without_secrets_and_control_characters() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/plain" => Reply::status(400).body(r#"{"message": "no \u001b[31m such thing"}"#),
        _ => Reply::status(400).body(r#"{"message": "the token s3cret is bad"}"#),
    });
    let bench = Bench::new();
    let error = bench
        .http
        .get(&request(&server.url("/plain?sig=s3cret")), 100)
        .unwrap_err();
    assert!(!full(&error).contains("s3cret"), "{error}");
    let error = bench
        .http
        .get(&request(&server.url("/plain")), 100)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with(r"answered 400: no \u{1b}[31m such thing"),
        "{error}"
    );
    let request = request(&server.url("/x")).headers([header("Authorization: Bearer s3cret")]);
    let error = bench.http.get(&request, 100).unwrap_err();
    assert!(!full(&error).contains("s3cret"), "{}", full(&error));
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
fn requests_and_proxies_can_be_printed_without_their_secrets() {
    let request =
        request("https://h/x?token=s3cret").headers([header("Authorization: Bearer s3cret")]);
    assert!(!format!("{request:?}").contains("s3cret"), "{request:?}");
    for proxy in [
        "http://me:s3cret@127.0.0.1:1/",
        "me:s3cret@",
        "http://me:s3cret@ /",
    ] {
        let bench = Bench::with(|settings| settings.proxies.http = Some(proxy.into()));
        assert!(!format!("{:?}", bench.http).contains("s3cret"));
        let url = Url::parse("http://127.0.0.1:1/").unwrap();
        let error = bench.http.get(&Request::new(url), 100).unwrap_err();
        assert!(!full(&error).contains("s3cret"), "{}", full(&error));
    }
}

#[test]
fn a_server_that_cannot_encrypt_is_not_talked_to() {
    let server = Server::start(|_| Reply::ok("hello"));
    let bench = Bench::with(|settings| settings.retry.pauses.clear());
    let url = server.url("/a").replace("http:", "https:");
    let error = bench.http.get(&request(&url), 100).unwrap_err();
    // Without any certificates on this machine it does not come to that.
    assert!(
        matches!(error, HttpError::Connect { .. } | HttpError::Setup { .. }),
        "{error}"
    );
}

#[test]
fn progress_is_told() {
    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);
    impl Progress for Log {
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
    let target = Target {
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
