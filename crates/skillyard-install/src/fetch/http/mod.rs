//! HTTP: encrypted, bounded, patient, and silent about secrets.

mod answer;
mod client;
mod download;
mod error;
mod header;
mod progress;
mod retry;
mod tls;

pub use client::{Http, Proxies, Request, Settings};
pub use download::{Body, Download, Target};
pub use error::HttpError;
pub use header::Header;
pub use progress::Progress;
pub use retry::Retry;
