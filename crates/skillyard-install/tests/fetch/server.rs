//! A server on loopback that answers as a test tells it, byte by byte if need be.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The path with its query.
    pub(crate) target: String,
    pub(crate) headers: HashMap<String, String>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// How many bytes of the body are sent before the connection is cut.
    cut: Option<usize>,
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

    pub(crate) fn redirect(to: &str) -> Self {
        Self::status(302).header("Location", to)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.body = body.as_bytes().to_vec();
        self
    }

    /// Cuts the connection after so many bytes of the body.
    pub(crate) fn cut(mut self, after: usize) -> Self {
        self.cut = Some(after);
        self
    }

    /// Sends the body in chunks, so that its length is not known before.
    pub(crate) fn chunked(mut self) -> Self {
        self.headers
            .push(("Transfer-Encoding".to_owned(), "chunked".to_owned()));
        self
    }
}

type Answer = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answer: Arc<Answer> = Arc::new(answer);
        let log = Arc::clone(&asked);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                let Some(request) = stream.as_ref().ok().and_then(read) else {
                    break;
                };
                log.lock().unwrap().push(request.clone());
                write(stream.as_ref().unwrap(), &answer(&request));
            }
        });
        Self {
            port,
            asked,
            thread: Some(thread),
        }
    }

    /// Answers each path with one reply, and others with 404.
    pub(crate) fn serve(replies: impl IntoIterator<Item = (&'static str, Reply)>) -> Self {
        let replies: HashMap<_, _> = replies.into_iter().collect();
        Self::start(move |asked| {
            replies
                .get(asked.target.as_str())
                .cloned()
                .unwrap_or_else(|| Reply::status(404))
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same place under another name, which is another host.
    pub(crate) fn other_name(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
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
    let mut lines = reader.by_ref().lines().map_while(Result::ok);
    let first = lines.next()?;
    let target = first.split(' ').nth(1)?.to_owned();
    let headers: HashMap<String, String> = lines
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            line.split_once(": ")
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        })
        .collect();
    let length = headers.get("content-length").map(|text| text.parse());
    let mut body = reader.take(length.and_then(Result::ok).unwrap_or(0));
    io::copy(&mut body, &mut io::sink()).ok()?;
    Some(Asked { target, headers })
}

fn write(mut stream: &TcpStream, reply: &Reply) {
    let chunked = reply
        .headers
        .iter()
        .any(|(name, _)| name == "Transfer-Encoding");
    let mut head = vec![
        format!("HTTP/1.1 {} Answer", reply.status),
        "Connection: close".to_owned(),
    ];
    if !chunked {
        head.push(format!("Content-Length: {}", reply.body.len()));
    }
    let headers = reply.headers.iter();
    head.extend(headers.map(|(name, value)| format!("{name}: {value}")));
    let head = head.join("\r\n") + "\r\n\r\n";
    let sent = &reply.body[..reply.cut.unwrap_or(reply.body.len())];
    // The client may have gone, which is what some tests are about.
    let _ = stream.write_all(head.as_bytes());
    if chunked {
        for piece in sent.chunks(1000) {
            let _ = write!(stream, "{:x}\r\n", piece.len());
            let _ = stream.write_all(piece);
            let _ = stream.write_all(b"\r\n");
        }
        if reply.cut.is_none() {
            let _ = stream.write_all(b"0\r\n\r\n");
        }
    } else {
        let _ = stream.write_all(sent);
    }
    let _ = stream.shutdown(Shutdown::Both);
}
