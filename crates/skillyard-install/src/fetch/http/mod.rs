//! HTTP: encrypted, bounded, patient, and silent about secrets.

mod answer;
mod client;
mod date;
mod download;
mod error;
mod header;
mod progress;
mod request;
mod retry;
mod settings;
mod submit;
mod tls;

pub use client::Http;
pub(crate) use client::refused_redirect;
pub use download::{Body, Download, Target};
pub use error::HttpError;
pub use header::Header;
pub use progress::Progress;
pub use request::Request;
pub use retry::{Retry, Told};
pub use settings::{Proxies, Settings};
pub use submit::{Method, Submission};
