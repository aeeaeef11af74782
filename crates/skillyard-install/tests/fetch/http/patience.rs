//! How often and how long a server is asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use skillyard_install::fetch::http::{HttpError, HttpSettings, Method, Submission};

use super::request;
use crate::server::{Reply, Server};
use crate::{Bench, full};

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
fn a_pause_may_be_given_as_a_time() {
    let server = Server::start(|_| {
        Reply::status(429).header("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT")
    });
    let bench = Bench::new();
    let asked = bench.http.get(&request(&server.url("/a")), 100);
    let error = asked.unwrap_err().to_string();
    assert!(error.contains("it allows the next in 25"), "{error}");
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
    // Whoever asks it for something else is told the same without waiting.
    let other = url.replace("/a?", "/b?");
    let error = bench.http.get(&request(&other), 100).unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error}");
    assert_eq!(bench.waits().len(), 2);
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
fn what_is_long_may_take_longer_to_be_sent() {
    let server = Server::start(|_| {
        // Longer than a server may be silent.
        std::thread::sleep(Duration::from_millis(400));
        Reply::status(422)
    });
    let bench = Bench::with(|settings| settings.idle_timeout = Duration::from_millis(100));
    let submit = |length: usize| {
        let submission = Submission {
            method: Method::Post,
            url: server.url("/skills").parse().unwrap(),
            headers: &[],
            body: Some(("application/gzip", vec![0; length])),
        };
        bench.http.submit(submission).unwrap_err()
    };
    // Two seconds' worth of a slow connection.
    let error = submit(64 * 1024);
    assert_eq!(error.status(), Some(422), "{}", full(&error));
    // What is short has come at once, and what became of it is not known.
    let error = submit(10);
    assert!(matches!(error, HttpError::Unknown(_)), "{}", full(&error));
    assert!(full(&error).contains("did not answer in time"));
}

#[test]
fn a_server_that_drips_is_given_up_and_not_asked_again() {
    type Limit = fn(&mut HttpSettings);
    let limits: [Limit; 2] = [
        |settings| settings.slow_after = Duration::ZERO,
        |settings| settings.total_timeout = Duration::ZERO,
    ];
    for limit in limits {
        let server = Server::start(|_| Reply::ok("hello").chunked());
        let bench = Bench::with(limit);
        let error = bench.http.get(&request(&server.url("/a")), 100);
        let error = error.unwrap_err().to_string();
        assert!(
            error.ends_with("/a` is too slow: 5 bytes came in 0 s"),
            "{error}"
        );
        assert_eq!((server.asked().len(), bench.waits()), (1, Vec::new()));
    }
    let server = Server::start(|_| Reply::ok("{}"));
    let bench = Bench::with(|settings| settings.slow_after = Duration::ZERO);
    let submission = Submission {
        method: Method::Delete,
        url: server.url("/a").parse().unwrap(),
        headers: &[],
        body: None,
    };
    let error = full(&bench.http.submit(submission).unwrap_err());
    assert!(error.contains("it is too slow"), "{error}");
}
