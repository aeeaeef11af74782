//! How far a download is.

/// Someone who wants to know how far a download is.
pub trait DownloadProgress: Send + Sync {
    /// A download begins, or begins anew after it broke off.
    fn started(&self, what: &str, size: Option<u64>);
    /// So many bytes have come in all.
    fn received(&self, bytes: u64);
    /// It is over, well or not.
    fn finished(&self);
}

/// Nobody wants to know.
impl DownloadProgress for () {
    fn started(&self, _what: &str, _size: Option<u64>) {}
    fn received(&self, _bytes: u64) {}
    fn finished(&self) {}
}
