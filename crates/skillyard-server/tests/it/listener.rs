//! The listener.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use skillyard_server::{Access, ServeError, Tokens, bind};

use crate::context::{ADMIN, TestServer};

#[test]
fn a_public_address_needs_tokens() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let bound = bind(address.parse().unwrap(), &Access::Loopback);
        assert!(matches!(bound, Err(ServeError::Public(_))), "{address}");
    }
    let tokens = Tokens::parse(&format!("admin {ADMIN}")).unwrap();
    assert!(bind("0.0.0.0:0".parse().unwrap(), &Access::Tokens(tokens)).is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_are_slowed_down_and_the_server_ends_in_order() {
    let server = TestServer::with_tokens();
    let bound = bind("127.0.0.1:0".parse().unwrap(), &Access::Loopback).unwrap();
    let address = bound.address;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve(Arc::clone(&server.server), async move {
        let _ = ended.await;
    }));
    let ask = move |token: String| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /api/v1/skills HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer[9..12].to_owned()
    };
    let login = move |token: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let body = format!("token={token}");
        write!(stream, "POST /login HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer[9..12].to_owned()
    };
    let answers = tokio::task::spawn_blocking(move || {
        let mut answers: Vec<String> = (0..12).map(|n| ask(format!("wrong{n}"))).collect();
        answers.push(ask(ADMIN.to_owned()));
        answers.push(login("wrong"));
        answers.push(login(ADMIN));
        answers
    });
    let answers = answers.await.unwrap();
    assert_eq!(answers[0], "401");
    assert_eq!(answers[11], "429");
    assert_eq!(answers[12], "200", "a right token is not slowed down");
    assert_eq!(answers[13], "429");
    assert_eq!(answers[14], "303", "nor is a login with one");
    end.send(()).unwrap();
    serving.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err());
}
