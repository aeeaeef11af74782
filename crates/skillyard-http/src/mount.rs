//! What a server passes to a site that is mounted below one of its paths, as extensions of a request.
//!
//! Clients cannot set them: they are values inside the program, not headers.

/// The URL of the site as its client reaches it, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountUrl(pub String);

/// The server has admitted the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted;
