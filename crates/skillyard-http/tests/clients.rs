//! Clients that are slow, silent or too many.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::routing::{get, post};
use skillyard_http::{ConnectionLimits, listen};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything here takes, so that a test that hangs fails instead.
const LONG: Duration = Duration::from_mins(1);
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";

const LIMITS: ConnectionLimits = ConnectionLimits {
    connections: 4,
    header_timeout: LONG,
    write_timeout: LONG,
    shutdown_timeout: Duration::from_millis(100),
};

async fn start(limits: ConnectionLimits) -> SocketAddr {
    let endless = || async { Body::new(Endless) };
    let forever = || async { std::future::pending::<&str>().await };
    let router = Router::new()
        .route("/", get(|| async { "here" }))
        .route("/endless", get(endless))
        .route("/forever", get(forever))
        .route("/refused", post(|| async { (StatusCode::FORBIDDEN, "no") }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listen(
        listener,
        router,
        limits,
        |_, _| {},
        std::future::pending(),
    ));
    address
}

/// A body without an end.
struct Endless;

impl axum::body::HttpBody for Endless {
    type Data = axum::body::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Self::Data>, Self::Error>>> {
        let piece = axum::body::Bytes::from(vec![0; 64 * 1024]);
        std::task::Poll::Ready(Some(Ok(hyper::body::Frame::data(piece))))
    }
}

async fn connect(address: SocketAddr, said: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(said).await.unwrap();
    stream
}

/// The start of an answer; empty when the connection was closed.
async fn heard(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 64];
    let length = tokio::time::timeout(LONG, stream.read(&mut bytes));
    let length = length.await.unwrap().unwrap_or(0);
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

#[tokio::test]
async fn silent_connections_make_room_for_whoever_has_something_to_say() {
    let address = start(LIMITS).await;
    let mut silent = Vec::new();
    for said in [b"".as_slice(), b"GET / HTTP/1.1\r\nhost", GET, b""] {
        silent.push(connect(address, said).await);
    }
    // Far more than there are places, one after the other.
    for _ in 0..6 {
        let mut stream = connect(address, GET).await;
        assert!(heard(&mut stream).await.starts_with("HTTP/1.1 200"));
        silent.push(stream);
    }
    assert_eq!(heard(&mut silent[0]).await, "");
}

#[tokio::test]
async fn whoever_is_being_answered_keeps_their_place() {
    let address = start(LIMITS).await;
    let mut busy = Vec::new();
    for _ in 0..3 {
        busy.push(connect(address, b"GET /forever HTTP/1.1\r\nhost: x\r\n\r\n").await);
    }
    for _ in 0..3 {
        let mut stream = connect(address, GET).await;
        assert!(heard(&mut stream).await.starts_with("HTTP/1.1 200"));
    }
    for stream in &mut busy {
        let mut byte = [0; 1];
        let read = tokio::time::timeout(Duration::from_millis(50), stream.read(&mut byte));
        assert!(read.await.is_err(), "the connection was closed");
    }
}

#[tokio::test]
async fn half_a_head_is_waited_for_and_then_no_more() {
    let limits = ConnectionLimits {
        header_timeout: Duration::from_millis(200),
        ..LIMITS
    };
    let address = start(limits).await;
    let mut stream = connect(address, b"GET / HTTP/1.1\r\nhost: x\r\nx: ").await;
    assert!(!heard(&mut stream).await.contains("200"));
}

#[tokio::test]
async fn who_does_not_take_the_answer_is_cut_off() {
    let limits = ConnectionLimits {
        write_timeout: Duration::from_millis(200),
        connections: 1,
        ..LIMITS
    };
    let address = start(limits).await;
    // It asks for an answer without an end, and reads nothing of it.
    let _slow = connect(address, b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await;
    // With a single place, this one is answered only once that one is gone.
    let mut stream = connect(address, GET).await;
    assert!(heard(&mut stream).await.starts_with("HTTP/1.1 200"));
}

/// Sends a request with so many bytes, and only then reads.
async fn uploaded(stream: &mut TcpStream, path: &str, size: usize) -> std::io::Result<String> {
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {size}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let piece = vec![b'x'; 64 * 1024];
    for at in (0..size).step_by(piece.len()) {
        let length = piece.len().min(size - at);
        stream.write_all(&piece[..length]).await?;
    }
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nno") {
        if stream.read_buf(&mut answer).await? == 0 {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test]
async fn who_is_refused_before_the_end_of_the_body_hears_it() {
    let address = start(LIMITS).await;
    let mut stream = connect(address, b"").await;
    // More than the system keeps on the way, twice on one connection.
    for _ in 0..2 {
        let answer = uploaded(&mut stream, "/refused", 20_000_000).await;
        let answer = answer.unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
}

#[tokio::test]
async fn a_body_without_an_end_is_not_taken_for_ever() {
    let address = start(LIMITS).await;
    let mut stream = connect(address, b"").await;
    let sent = uploaded(&mut stream, "/refused", 1_000_000_000).await;
    assert!(sent.is_err(), "{sent:?}");
}

#[tokio::test]
async fn who_waits_to_be_asked_for_a_body_is_not_asked_in_vain() {
    let address = start(LIMITS).await;
    let head =
        b"POST /refused HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
    let mut stream = connect(address, head).await;
    assert!(heard(&mut stream).await.starts_with("HTTP/1.1 403"));
}
