//! A web server that answers as a test tells it, and can hang up in the middle.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) target: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    /// The path without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// How many bytes of the body are sent before the connection is cut.
    pub(crate) cut: Option<usize>,
}

impl Reply {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: body.into(),
            cut: None,
        }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::ok("")
        }
    }

    pub(crate) fn json(body: &serde_json::Value) -> Self {
        Self::ok(body.to_string()).header("Content-Type", "application/json")
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Cuts the connection after so many bytes of the body.
    pub(crate) fn cut(mut self, after: usize) -> Self {
        self.cut = Some(after);
        self
    }
}

type Answer = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    sent: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answer: Arc<Answer> = Arc::new(answer);
        let sent = Arc::new(AtomicUsize::new(0));
        let (log, count) = (Arc::clone(&asked), Arc::clone(&sent));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                let Some(request) = stream.as_ref().ok().and_then(read) else {
                    break;
                };
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                let count = Arc::clone(&count);
                // Several at once, because git keeps one connection open and asks on another.
                thread::spawn(move || {
                    log.lock().unwrap().push(request.clone());
                    let reply = answer(&request);
                    count.fetch_add(reply.body.len(), Ordering::SeqCst);
                    write(stream.as_ref().unwrap(), &reply);
                });
            }
        });
        Self {
            port,
            asked,
            sent,
            thread: Some(thread),
        }
    }

    /// Answers each path with one reply, and others with 404.
    pub(crate) fn serve(replies: impl IntoIterator<Item = (&'static str, Reply)>) -> Self {
        let replies: HashMap<_, _> = replies.into_iter().collect();
        Self::start(move |asked| {
            let reply = replies.get(asked.path()).cloned();
            reply.unwrap_or_else(|| Reply::status(404))
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The host and port.
    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How many bytes the bodies of all answers had.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A connection without a request ends the loop.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let mut next = |reader: &mut BufReader<&TcpStream>| {
        line.clear();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let first = next(&mut reader)?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let line = next(&mut reader)?;
        let Some((name, value)) = line.split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = Vec::new();
    if let Some(length) = headers.get("content-length") {
        let length: u64 = length.parse().ok()?;
        reader.take(length).read_to_end(&mut body).ok()?;
    } else if headers.contains_key("transfer-encoding") {
        loop {
            let length = next(&mut reader)?;
            let length = u64::from_str_radix(&length, 16).ok()?;
            reader.by_ref().take(length).read_to_end(&mut body).ok()?;
            next(&mut reader)?;
            if length == 0 {
                break;
            }
        }
    }
    Some(Asked {
        method,
        target,
        headers,
        body,
    })
}

fn write(mut stream: &TcpStream, reply: &Reply) {
    let mut head = vec![
        format!("HTTP/1.1 {} Answer", reply.status),
        "Connection: close".to_owned(),
        format!("Content-Length: {}", reply.body.len()),
    ];
    let headers = reply.headers.iter();
    head.extend(headers.map(|(name, value)| format!("{name}: {value}")));
    let head = head.join("\r\n") + "\r\n\r\n";
    let sent = &reply.body[..reply.cut.unwrap_or(reply.body.len()).min(reply.body.len())];
    // The client may have gone, which is what some tests are about.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(sent);
    let _ = stream.shutdown(Shutdown::Both);
}
