//! A server on this machine that answers requests in order with what it was given.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use secrecy::SecretString;
use serde_json::Value;
use skillyard_agent::provider::http::{Endpoint, Patience};
use skillyard_install::fetch::http::{Http, HttpSettings};

/// The key that every request carries.
pub(crate) const KEY: &str = "sk-very-secret-0123456789";

/// An answer: status, further headers, body.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: &'static str,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn stream(body: String) -> Self {
        Self {
            status: 200,
            headers: "content-type: text/event-stream\r\n",
            body,
        }
    }

    pub(crate) fn error(status: u16, headers: &'static str, body: &str) -> Self {
        Self {
            status,
            headers,
            body: body.into(),
        }
    }
}

/// A request: its first line, its headers in lower case, its body.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Starts it; when it has no answers left it closes connections.
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let mut replies: VecDeque<Reply> = replies.into();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let Some(reply) = replies.pop_front() else {
                    return;
                };
                let mut connection = connection.unwrap();
                let mut reader = BufReader::new(connection.try_clone().unwrap());
                let (mut line, mut headers) = (String::new(), String::new());
                reader.read_line(&mut line).unwrap();
                loop {
                    let mut header = String::new();
                    reader.read_line(&mut header).unwrap();
                    if header.trim().is_empty() {
                        break;
                    }
                    headers.push_str(&header.to_lowercase());
                }
                let length = headers
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.unwrap().trim().parse().unwrap()];
                reader.read_exact(&mut body).unwrap();
                seen.lock().unwrap().push(Asked {
                    line,
                    headers,
                    body: serde_json::from_slice(&body).unwrap(),
                });
                let head = format!(
                    "HTTP/1.1 {} X\r\n{}connection: close\r\n\r\n",
                    reply.status, reply.headers
                );
                let _ = connection.write_all(head.as_bytes());
                // In small pieces, so that characters and events are cut.
                for piece in reply.body.as_bytes().chunks(37) {
                    let _ = connection.write_all(piece);
                }
            }
        });
        Self { url, asked }
    }

    pub(crate) fn endpoint(&self, path: &str, header: &'static str, value: String) -> Endpoint {
        let url = format!("{}{path}", self.url);
        let http = Http::new(HttpSettings::default());
        Endpoint {
            client: http.client_for(&url.parse().unwrap()).unwrap(),
            url,
            headers: vec![(header, SecretString::from(value))],
            patience: Patience {
                attempts: 3,
                first: Duration::from_millis(1),
                longest: Duration::from_millis(20),
                silence: Duration::from_secs(10),
            },
        }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}
