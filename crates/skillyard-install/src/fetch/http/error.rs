//! Why a request failed, without any secret.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use skillyard_format::text::counted;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address would be asked in the clear.
    #[error("`{url}` is not encrypted; use https")]
    PlainHttp {
        /// The address.
        url: String,
    },
    /// The address has a scheme that is not fetched.
    #[error("`{url}` cannot be fetched: only https is")]
    Scheme {
        /// The address.
        url: String,
    },
    /// A variable of the environment is to name a proxy; its value may hold a password.
    #[error(
        "`{0}` does not name a proxy, which is written `http://host:port` or `socks5://host:port`"
    )]
    Proxy(&'static str),
    /// No connection could be made.
    #[error("cannot reach `{url}`")]
    Connect {
        /// The address.
        url: String,
        /// Why.
        source: reqwest::Error,
    },
    /// Whoever answers there cannot show that it is the server.
    #[error("`{url}` shows a certificate that this machine does not trust")]
    Certificate {
        /// The address.
        url: String,
        /// What is wrong with it.
        source: reqwest::Error,
    },
    /// The server was silent for too long.
    #[error("`{url}` did not answer in time")]
    Timeout {
        /// The address.
        url: String,
    },
    /// The server sends so little that it is not waited for. To begin anew would be no quicker.
    #[error("`{url}` is too slow: {received} bytes came in {} s", .after.as_secs())]
    Slow {
        /// The address.
        url: String,
        /// How much had come.
        received: u64,
        /// In which time.
        after: Duration,
    },
    /// The connection ended too early.
    #[error("`{url}` broke off after {received} bytes")]
    Interrupted {
        /// The address.
        url: String,
        /// How much had come.
        received: u64,
        /// What the connection said, if it said anything.
        source: Option<io::Error>,
    },
    /// The answer is larger than allowed.
    #[error("`{url}` is larger than the {limit} bytes that are allowed")]
    TooLarge {
        /// The address.
        url: String,
        /// The most there may be.
        limit: u64,
    },
    /// The server sent its client from place to place.
    #[error("`{url}` redirects more than {limit} times")]
    TooManyRedirects {
        /// The address that was asked first.
        url: String,
        /// The most there may be.
        limit: usize,
    },
    /// The server sent its client where it may not go.
    #[error("`{url}` redirects to `{target}`, {problem}")]
    Redirect {
        /// The address.
        url: String,
        /// Where it leads.
        target: String,
        /// Why not.
        problem: &'static str,
    },
    /// The server answered that it will not.
    #[error("`{url}` answered {status}{}", said(.message.as_deref()))]
    Status {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// What the server said about it.
        message: Option<String>,
        /// Which kind of problem it is, in a word, if it is one of a registry's.
        kind: Option<String>,
    },
    /// The server wants fewer requests.
    #[error("`{url}` answered {status}: too many requests{}", next(*.wait))]
    RateLimited {
        /// The address.
        url: String,
        /// The status.
        status: u16,
        /// How long it wants to be left alone.
        wait: Option<Duration>,
    },
    /// Something was sent that changes something, and no word came of what became of it: the
    /// connection broke, or somebody between us and the server answered.
    #[error("whether it was done is not known")]
    Unknown(#[source] Box<HttpError>),
    /// The bytes do not have the digest that was promised.
    #[error("`{url}` has the digest {found}, and {expected} was promised")]
    Digest {
        /// The address.
        url: String,
        /// What was promised.
        expected: skillyard_format::Digest,
        /// What came.
        found: skillyard_format::Digest,
    },
    /// The answer is not in the form that was asked for.
    #[error("`{url}` is not readable: {problem}")]
    Unreadable {
        /// The address.
        url: String,
        /// What is wrong.
        problem: String,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` cannot be sent: {problem}")]
    Header {
        /// Its name.
        name: String,
        /// Why not.
        problem: &'static str,
    },
    /// The download could not be stored.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Connections cannot be set up at all.
    #[error("cannot set up encrypted connections: {problem}")]
    Setup {
        /// Why.
        problem: String,
    },
}

impl HttpError {
    /// Which kind of problem a registry says that it is, in a word.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Status { kind, .. } => kind.as_deref(),
            _ => None,
        }
    }

    /// The status of the answer, if there was one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::RateLimited { status, .. } => Some(*status),
            _ => None,
        }
    }
}

fn said(message: Option<&str>) -> String {
    message.map_or_else(String::new, |message| format!(": {message}"))
}

fn next(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| {
        let seconds = counted(wait.as_secs(), "second");
        format!("; it allows the next in {seconds}")
    })
}
