//! Where clients reach a registry, as whoever starts it says.

use std::net::SocketAddr;

use url::Url;

use crate::error::registry::RegistryFailure;

/// Checks what `--url` says: an address of the web, and one with TLS where others than this
/// machine can reach the registry, because tokens travel with requests.
pub(super) fn checked(url: Option<&str>, address: SocketAddr) -> Result<(), RegistryFailure> {
    let Some(text) = url else {
        if address.ip().is_loopback() {
            return Ok(());
        }
        return Err(RegistryFailure::Exposed(address));
    };
    let wrong = || RegistryFailure::Url(text.to_owned());
    let url = Url::parse(text).map_err(|_| wrong())?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
        return Err(wrong());
    }
    if url.scheme() == "http" && !address.ip().is_loopback() {
        return Err(RegistryFailure::Exposed(address));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_need_an_address_with_tls() {
        let check = |url: Option<&str>, address: &str| {
            checked(url, address.parse().unwrap()).map_err(|error| error.to_string())
        };
        let (open, own) = ("0.0.0.0:7879", "127.0.0.1:7879");
        assert!(check(None, own).is_ok() && check(None, open).is_err());
        assert!(check(Some("http://skills.example"), own).is_ok());
        assert!(check(Some("https://skills.example/below/"), open).is_ok());
        assert!(check(Some("http://skills.example"), open).is_err());
        for wrong in [
            "",
            "banana",
            "ftp://x",
            "javascript:alert(1)",
            "//x",
            "https://",
            "https://ann:secret@x.example",
            "https://x.example/?q",
            "https://x.example/#top",
        ] {
            for address in [open, own] {
                let error = check(Some(wrong), address).unwrap_err();
                assert!(error.contains("no address"), "{wrong}: {error}");
            }
        }
    }
}
