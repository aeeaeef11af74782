//! What the user can do where a server does not give what was asked for.

use std::error::Error;
use std::io;

use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::fetch::well_known::WellKnownError;
use skillyard_install::reference::is_loopback;
use url::Url;

use super::InstallFailure;
use super::source_hint::limit_hint;

/// Where no connection comes about, or too much comes over it.
pub(super) fn http_hint(failure: &InstallFailure) -> Option<String> {
    let (InstallFailure::RegistryAnswer(RegistryError::Http(error))
    | InstallFailure::Site(WellKnownError::Http(error))
    | InstallFailure::Forge(ForgeError::Http(error))
    | InstallFailure::Http(error)) = failure
    else {
        return None;
    };
    Some(match (error, failure) {
        (HttpError::Connect { url, source }, _) => unreached_hint(url, source),
        (HttpError::Certificate { .. }, _) => {
            "If it is one of your own organisation, name the file of its authority in `SSL_CERT_FILE`".into()
        }
        (HttpError::TooLarge { .. }, InstallFailure::Forge(_)) => {
            "Name it for git, which fetches only what is needed: `git+https://HOST/OWNER/REPOSITORY#FOLDER`".into()
        }
        (
            HttpError::TooLarge { .. },
            InstallFailure::Http(_) | InstallFailure::RegistryAnswer(_),
        ) => limit_hint("max_bytes"),
        _ => return None,
    })
}

/// What is missing where nobody answers: on this machine what should, elsewhere perhaps the way there.
fn unreached_hint(url: &str, source: &(dyn Error + 'static)) -> String {
    if Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
        if !is_refused(source) {
            return "Something answers there, but not as a server of that address: look whether it is `http` or `https`, and its port".into();
        }
        return "Nothing on this machine answers there; a registry of yours is started with `skillyard registry serve`".into();
    }
    "Look whether this machine is online, or needs a proxy (`HTTPS_PROXY`); what was installed before can be had with `skillyard sync --offline`".into()
}

/// Whether nobody listens where a connection was tried.
fn is_refused(error: &(dyn Error + 'static)) -> bool {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let mut system = chain.filter_map(|error| error.downcast_ref::<io::Error>());
    system.any(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}
