//! A small HTTP client: over https, within limits.
//!
//! Redirects are followed here and not by the library below, because headers
//! other than `Authorization` carry tokens, too, and must not follow to another host.

use std::error::Error as _;
use std::sync::OnceLock;
use std::{fmt, io, iter};

use reqwest::blocking::{Client, Response};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, LOCATION};
use reqwest::{Proxy, redirect};
use url::Url;

use super::answer;
use super::error::HttpError;
use super::header::Header;
use super::request::Request;
use super::settings::HttpSettings;
use super::silent::UnresponsiveServers;
use super::tls::{self, Trust};
use crate::reference::shown::shown_url;
use crate::reference::{Nearness, is_loopback};

/// A client, which keeps its connections.
pub struct Http {
    pub(super) settings: HttpSettings,
    pub(super) silent: UnresponsiveServers,
    plain: OnceLock<Client>,
    encrypted: OnceLock<Client>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The answer to a request, before its body is read.
pub(super) struct HttpResponse {
    pub(super) response: Response,
    /// The address that answered.
    pub(super) url: Url,
}

impl Http {
    /// A client; nothing is read or connected before the first request.
    pub fn new(settings: HttpSettings) -> Self {
        Self {
            settings,
            silent: UnresponsiveServers::default(),
            plain: OnceLock::new(),
            encrypted: OnceLock::new(),
        }
    }

    /// The connections for an address, for who speaks another language than downloads do. They
    /// follow no redirects and give up when nothing comes for the idle time.
    pub fn client_for(&self, url: &Url) -> Result<Client, HttpError> {
        self.check(url)?;
        Ok(self.client(url)?.clone())
    }

    /// Makes a request once and follows redirects.
    pub(super) fn open(&self, request: &Request) -> Result<HttpResponse, HttpError> {
        let mut url = request.url.clone();
        let mut headers = request.headers.as_slice();
        self.check(&url)?;
        for _ in 0..=self.settings.max_redirects {
            let response = self.send(&url, request.accept, headers)?;
            let Some(target) = redirect_target(&url, &response)? else {
                return answer::check(response, &url, headers)
                    .map(|response| HttpResponse { response, url });
            };
            self.check_redirect(&url, &target)?;
            if target.origin() != url.origin() {
                headers = &[];
            }
            url = target;
        }
        Err(HttpError::TooManyRedirects {
            url: shown_url(&request.url),
            limit: self.settings.max_redirects,
        })
    }

    fn send(
        &self,
        url: &Url,
        accept: Option<&'static str>,
        headers: &[Header],
    ) -> Result<Response, HttpError> {
        let mut map = HeaderMap::new();
        // An archive must come as it is stored: its digest is of those bytes.
        map.insert(
            ACCEPT_ENCODING,
            reqwest::header::HeaderValue::from_static("identity"),
        );
        if let Some(accept) = accept {
            map.insert(ACCEPT, reqwest::header::HeaderValue::from_static(accept));
        }
        for header in headers {
            map.insert(header.name(), header.value().clone());
        }
        let request = self.client(url)?.get(url.clone()).headers(map);
        request.send().map_err(|error| Self::unsent(url, error))
    }

    /// Why a request got no answer.
    pub(super) fn unsent(url: &Url, error: reqwest::Error) -> HttpError {
        let url = shown_url(url);
        let source = error.without_url();
        if source.is_timeout() {
            HttpError::Timeout { url }
        } else if is_about_certificate(&source) {
            HttpError::Certificate { url, source }
        } else {
            HttpError::Connect { url, source }
        }
    }

    pub(super) fn client(&self, url: &Url) -> Result<&Client, HttpError> {
        let (lock, trust) = match url.scheme() {
            "https" => (&self.encrypted, Trust::System),
            _ => (&self.plain, Trust::Nothing),
        };
        if let Some(client) = lock.get() {
            return Ok(client);
        }
        let client = self.build(trust)?;
        Ok(lock.get_or_init(|| client))
    }

    fn build(&self, trust: Trust) -> Result<Client, HttpError> {
        let setup = |error: reqwest::Error| HttpError::Setup {
            problem: error.without_url().to_string(),
        };
        let routes = self.settings.proxies.routes()?;
        Client::builder()
            .tls_backend_preconfigured(tls::config(trust)?)
            .user_agent(&self.settings.user_agent)
            .connect_timeout(self.settings.connect_timeout)
            .timeout(self.settings.idle_timeout)
            .redirect(redirect::Policy::none())
            .referer(false)
            // The environment is the binary's business.
            .no_proxy()
            .proxy(Proxy::custom(move |url| routes.proxy_for(url).cloned()))
            .build()
            .map_err(setup)
    }

    pub(super) fn check(&self, url: &Url) -> Result<(), HttpError> {
        match url.scheme() {
            "https" => Ok(()),
            "http" if is_loopback(url) || self.may_be_plain(url) => Ok(()),
            "http" => Err(HttpError::PlainHttp {
                url: shown_url(url),
            }),
            _ => Err(HttpError::Scheme {
                url: shown_url(url),
            }),
        }
    }

    fn may_be_plain(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let host = url
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        self.settings.plain_hosts.contains(&host)
    }

    fn check_redirect(&self, url: &Url, target: &Url) -> Result<(), HttpError> {
        let Some(problem) = refused_redirect(url, target) else {
            return self.check(target);
        };
        Err(HttpError::Redirect {
            url: shown_url(url),
            target: shown_url(target),
            problem,
        })
    }
}

/// Why a server may not send us from one address to another, if it may not.
pub(crate) fn refused_redirect(url: &Url, target: &Url) -> Option<&'static str> {
    if url.scheme() == "https" && target.scheme() != "https" {
        Some("which is not encrypted")
    } else if Nearness::of(target) == Nearness::Here && !is_loopback(url) {
        Some("which is on this machine")
    } else {
        None
    }
}

/// Where an answer sends us, if it does.
fn redirect_target(url: &Url, response: &Response) -> Result<Option<Url>, HttpError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response
        .headers()
        .get(LOCATION)
        .and_then(|value| value.to_str().ok());
    let target = location.and_then(|location| url.join(location).ok());
    let mut target = target.ok_or_else(|| HttpError::Redirect {
        url: shown_url(url),
        target: crate::reference::shown::shown(location.unwrap_or_default()),
        problem: "which is no address",
    })?;
    // Nobody but the user may name a user.
    let _ = target.set_username("");
    let _ = target.set_password(None);
    Ok(Some(target))
}

/// Whether a connection was given up because of a certificate.
fn is_about_certificate(error: &reqwest::Error) -> bool {
    let chain = iter::successors(error.source(), |error| (*error).source());
    let mut tls = chain.filter_map(|error| error.downcast_ref().and_then(tls_error));
    tls.any(|error| matches!(error, rustls::Error::InvalidCertificate(_)))
}

/// What is in an error of the system, or in one in it; it is not among its causes.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    let deeper = || inner.downcast_ref().and_then(tls_error);
    inner.downcast_ref().or_else(deeper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encrypted_host_cannot_send_us_into_the_clear_or_to_this_machine() {
        let settings = HttpSettings {
            plain_hosts: vec!["plain.example".to_owned()],
            ..HttpSettings::default()
        };
        let http = Http::new(settings);
        let check = |from: &str, to: &str| {
            let (from, to) = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
            http.check_redirect(&from, &to).is_ok()
        };
        assert!(check("https://a.example/", "https://b.example/"));
        assert!(check("http://plain.example/", "https://b.example/"));
        assert!(check("http://127.0.0.1/", "http://localhost/"));
        assert!(!check("https://a.example/", "http://plain.example/"));
        assert!(!check("https://a.example/", "http://127.0.0.1/"));
        assert!(!check("https://a.example/", "https://127.9.9.9/"));
        assert!(!check("https://a.example/", "https://[::1]/"));
        for here in ["localhost", "localhost.", "a.localhost", "0.0.0.0", "[::]"] {
            assert!(!check("https://a.example/", &format!("https://{here}/")));
        }
        assert!(!check("https://a.example/", "https://[::ffff:127.0.0.1]/"));
        assert!(!check("http://plain.example/", "http://a.example/"));
        assert!(!check("https://a.example/", "file:///etc/passwd"));
    }
}
