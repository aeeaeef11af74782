//! Where a server sends git, looked at before git goes there.
//!
//! Git is asked, because only it knows its proxies, certificates and keys: a private repository
//! that was renamed says so only to who may see it.

use std::path::Path;

use url::Url;

use super::command::Git;
use super::error::GitError;
use super::watch;
use crate::fetch::http::{HttpError, refused_redirect};
use crate::reference::shown::shown_url;

/// What git asks a server for first, below the address of the repository.
const ASKED: &str = "/info/refs";
const SERVICE: &str = "service=git-upload-pack";

/// The repository that the server of another one sends to, if it does and may.
pub(super) fn target(git: &Git, repository: &Path, url: &Url) -> Result<Option<Url>, GitError> {
    let mut command = git.command(repository);
    command
        .env("GIT_TRACE_CURL", "1")
        .env("GIT_TRACE_CURL_NO_DATA", "1")
        .env("GIT_TRACE_REDACT", "1")
        .args(["ls-remote", "--quiet", "origin", "HEAD"]);
    let output = watch::ask(git, &mut command, "ask where the repository is", repository)?;
    let Some(target) = location(&output.stderr, url) else {
        return Ok(None);
    };
    match refused_redirect(url, &target) {
        None => Ok(Some(target)),
        Some(problem) => Err(GitError::Redirect(HttpError::Redirect {
            url: shown_url(url),
            target: shown_url(&target),
            problem,
        })),
    }
}

/// The address of the repository in the last header that names another place.
fn location(trace: &[u8], url: &Url) -> Option<Url> {
    let trace = String::from_utf8_lossy(trace);
    let mut headers = trace
        .lines()
        .filter_map(|line| line.split_once("<= Recv header: "))
        .filter_map(|(_, header)| header.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("location"));
    let (_, location) = headers.next_back()?;
    let mut asked = url.clone();
    asked.set_path(&format!("{}{ASKED}", url.path().trim_end_matches('/')));
    asked.set_query(Some(SERVICE));
    let mut target = asked.join(location.trim()).ok()?;
    if !matches!(target.scheme(), "http" | "https") || target.query() != Some(SERVICE) {
        return None;
    }
    let path = target.path().strip_suffix(ASKED)?.to_owned();
    target.set_path(&path);
    target.set_query(None);
    target.set_fragment(None);
    // Nobody but the user may name a user.
    let _ = target.set_username("");
    let _ = target.set_password(None);
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_is_read_from_what_git_saw() {
        let seen = |header: &str| {
            let trace = format!(
                "08:15:39.391744 http.c:872              <= Recv header: HTTP/1.1 301 Moved\n\
                 08:15:39.391747 http.c:872              <= Recv header: {header}\n\
                 fatal: unable to access: The requested URL returned error: 301\n"
            );
            let url = Url::parse("https://a.example/old.git/").unwrap();
            location(trace.as_bytes(), &url).map(String::from)
        };
        let tail = "/info/refs?service=git-upload-pack";
        for (location, expected) in [
            ("https://b.example/new.git", "https://b.example/new.git"),
            ("/new", "https://a.example/new"),
            ("https://me:pass@b.example/x", "https://b.example/x"),
            ("//b.example/x", "https://b.example/x"),
        ] {
            for name in ["Location", "location"] {
                let found = seen(&format!("{name}: {location}{tail}"));
                assert_eq!(found.as_deref(), Some(expected), "{location}");
            }
        }
        for header in [
            "Location: https://a.example/login",
            "Location: https://a.example/new/info/refs",
            &format!("Location: file:///etc{tail}"),
            &format!("X-Location: https://b.example/new{tail}"),
            "Content-Length: 0",
        ] {
            assert_eq!(seen(header), None, "{header}");
        }
    }
}
