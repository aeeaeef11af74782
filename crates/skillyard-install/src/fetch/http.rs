//! HTTP: encrypted, bounded, patient, and silent about secrets.

mod answer;
mod client;
mod direct;
mod download;
mod error;
mod header;
mod pace;
mod progress;
mod proxies;
mod request;
mod retry;
mod settings;
mod silent;
mod submit;
mod tls;

pub use client::Http;
pub(crate) use client::refused_redirect;
pub use download::{Body, Download, DownloadTarget};
pub use error::HttpError;
pub use header::Header;
pub use progress::DownloadProgress;
pub use proxies::{NamedProxy, Proxies, Routes};
pub use request::Request;
pub use retry::{Retry, RetryNotice};
pub use settings::HttpSettings;
pub use submit::{Method, Submission};
