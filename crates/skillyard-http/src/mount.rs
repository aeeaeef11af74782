//! What a server tells a site that stands below one of its addresses, as extensions of a request.
//!
//! No client can set them: they are values inside the program, not headers.

/// Where whoever asks reaches the site, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(pub String);

/// Whoever asks was let in by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LetIn;
