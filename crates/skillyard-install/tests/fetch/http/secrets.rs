//! Where requests may lead, and what is not told on the way.

use skillyard_install::fetch::http::{HttpError, NamedProxy, Request};
use url::Url;

use super::request;
use crate::server::{Reply, Server};
use crate::{Bench, full, header};

fn named(address: &str) -> NamedProxy {
    NamedProxy {
        variable: "http_proxy",
        address: address.to_owned().into(),
    }
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
        settings.proxies.http = Some(named(&proxy.url("")));
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
fn requests_and_proxies_can_be_printed_without_their_secrets() {
    let request =
        request("https://h/x?token=s3cret").headers([header("Authorization: Bearer s3cret")]);
    assert!(!format!("{request:?}").contains("s3cret"), "{request:?}");
    for proxy in [
        "http://me:s3cret@127.0.0.1:1/",
        "me:s3cret@",
        "http://me:s3cret@ /",
    ] {
        let bench = Bench::with(|settings| settings.proxies.http = Some(named(proxy)));
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
