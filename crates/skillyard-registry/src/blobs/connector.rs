//! The connections to an S3-compatible store.
//!
//! The store's own would read the variables for proxies by themselves, and send what is on this
//! machine through them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use object_store::client::{HttpClient, HttpConnector};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::{Client, Proxy};
use url::{Host, Url};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// How long one request may take.
const WHOLE: Duration = Duration::from_secs(30);

/// Names the proxy for an address, if there is one.
type ProxyFor = dyn Fn(&Url) -> Option<Url> + Send + Sync;

/// The proxies that lead to servers, each of which is asked about by its address.
#[derive(Clone)]
pub struct Ways(Arc<ProxyFor>);

impl Ways {
    /// Ways through what `proxy` names for an address.
    pub fn new(proxy: impl Fn(&Url) -> Option<Url> + Send + Sync + 'static) -> Self {
        Self(Arc::new(proxy))
    }

    fn proxy_for(&self, url: &Url) -> Option<Url> {
        // There machines of a cloud learn who they are, which no proxy could tell them.
        let is_own_cloud =
            matches!(url.host(), Some(Host::Ipv4(address)) if address.is_link_local());
        (!is_own_cloud).then(|| (self.0)(url)).flatten()
    }
}

impl Default for Ways {
    fn default() -> Self {
        Self::new(|_| None)
    }
}

impl fmt::Debug for Ways {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ways")
    }
}

/// Makes connections through proxies, or through none.
#[derive(Debug)]
pub(super) struct Connector {
    /// The proxies.
    pub(super) ways: Ways,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        let ways = self.ways.clone();
        let client = Client::builder()
            .user_agent(concat!("skillyard/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(WHOLE)
            .http1_only()
            .https_only(allows_plain.as_deref() != Some("true"))
            .no_proxy()
            .proxy(Proxy::custom(move |url| ways.proxy_for(url)))
            .build();
        Ok(HttpClient::new(client.map_err(failed)?))
    }
}

fn failed(error: reqwest::Error) -> object_store::Error {
    object_store::Error::Generic {
        store: "S3",
        source: Box::new(error.without_url()),
    }
}
