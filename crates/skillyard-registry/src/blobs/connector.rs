//! The connections to an S3-compatible store.
//!
//! The store's own would read the variables for proxies by themselves, and send what is on this
//! machine through them.

use std::time::Duration;

use object_store::client::{HttpClient, HttpConnector};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::{Client, NoProxy, Proxy};
use secrecy::{ExposeSecret as _, SecretString};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// How long one request may take.
const WHOLE: Duration = Duration::from_secs(30);

/// Where machines of a cloud learn who they are, which no proxy could tell them.
const OWN_CLOUD: &str = "169.254.0.0/16";

/// Makes connections through a proxy, or through none.
#[derive(Debug)]
pub(super) struct Connector {
    /// The proxy, if there is one.
    pub(super) proxy: Option<SecretString>,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        let mut builder = Client::builder()
            .user_agent(concat!("skillyard/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(WHOLE)
            .http1_only()
            .https_only(allows_plain.as_deref() != Some("true"))
            .no_proxy();
        if let Some(proxy) = &self.proxy {
            let proxy = Proxy::all(proxy.expose_secret()).map_err(failed)?;
            builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(OWN_CLOUD)));
        }
        Ok(HttpClient::new(builder.build().map_err(failed)?))
    }
}

fn failed(error: reqwest::Error) -> object_store::Error {
    object_store::Error::Generic {
        store: "S3",
        source: Box::new(error.without_url()),
    }
}
