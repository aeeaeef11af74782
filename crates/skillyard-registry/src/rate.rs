//! How often one address or one token may ask, told in headers before it hurts.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use skillyard_http::Proxy;

use crate::error::RegistryError;
use crate::token;

/// After so many requests those who have long been quiet are forgotten.
const SWEEP_INTERVAL: u32 = 10_000;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// Requests in a minute; none means without end.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Those that change nothing, for each address.
    pub reads: Option<NonZeroU32>,
    /// Those that change something, for each address and for each token.
    pub writes: Option<NonZeroU32>,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            reads: NonZeroU32::new(12_000),
            writes: NonZeroU32::new(300),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Address(IpAddr),
    Token(String),
}

type Limiter =
    RateLimiter<Key, DefaultKeyedStateStore<Key>, DefaultClock, StateInformationMiddleware>;

/// Who asked how often.
pub(crate) struct Gate {
    reads: Option<Limiter>,
    writes: Option<Limiter>,
    asked: AtomicU32,
}

/// What is left to somebody.
pub(crate) struct Allowance {
    limit: u32,
    remaining: u32,
    reset: u64,
}

/// Somebody who has to wait.
pub(crate) struct Refused {
    limit: u32,
    wait: u64,
}

impl Allowance {
    /// Says it in headers.
    pub(crate) fn tell(&self, headers: &mut HeaderMap) {
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.insert(RESET, HeaderValue::from(self.reset));
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = RegistryError::TooMany(self.wait).into_response();
        let nothing = Allowance {
            limit: self.limit,
            remaining: 0,
            reset: self.wait,
        };
        nothing.tell(response.headers_mut());
        response
    }
}

impl Gate {
    pub(crate) fn new(rates: Rates) -> Self {
        let limiter = |each: NonZeroU32| {
            RateLimiter::keyed(Quota::per_minute(each))
                .with_middleware::<StateInformationMiddleware>()
        };
        Self {
            reads: rates.reads.map(limiter),
            writes: rates.writes.map(limiter),
            asked: AtomicU32::new(0),
        }
    }

    /// Whether a request may go on, and what is left to whoever sent it.
    pub(crate) fn admit(
        &self,
        request: &Request,
        proxy: Proxy,
    ) -> Result<Option<Allowance>, Refused> {
        let headers = request.headers();
        let address = || self::address(request.extensions(), headers, proxy);
        self.ask(request.method(), headers, address)
    }

    fn ask(
        &self,
        method: &Method,
        headers: &HeaderMap,
        address: impl FnOnce() -> Option<IpAddr>,
    ) -> Result<Option<Allowance>, Refused> {
        let is_read = method.is_safe();
        let Some(limiter) = (if is_read { &self.reads } else { &self.writes }) else {
            return Ok(None);
        };
        if self.asked.fetch_add(1, Ordering::Relaxed) % SWEEP_INTERVAL == SWEEP_INTERVAL - 1 {
            limiter.retain_recent();
        }
        let address = address().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let mut allowance = charge(limiter, &Key::Address(network(address)))?;
        let token = headers.get(header::AUTHORIZATION).filter(|_| !is_read);
        if let Some(token) = token.and_then(|value| value.to_str().ok()) {
            let of_token = charge(limiter, &Key::Token(token::hash(token)))?;
            if of_token.remaining < allowance.remaining {
                allowance = of_token;
            }
        }
        Ok(Some(allowance))
    }
}

fn charge(limiter: &Limiter, key: &Key) -> Result<Allowance, Refused> {
    match limiter.check_key(key) {
        Ok(state) => {
            let quota = state.quota();
            let (limit, remaining) = (quota.burst_size().get(), state.remaining_burst_capacity());
            let missing = limit.saturating_sub(remaining);
            let reset = quota.replenish_interval() * missing;
            Ok(Allowance {
                limit,
                remaining,
                reset: whole_seconds(reset),
            })
        }
        Err(not_until) => {
            let wait = not_until.wait_time_from(DefaultClock::default().now());
            Err(Refused {
                limit: not_until.quota().burst_size().get(),
                wait: whole_seconds(wait).max(1),
            })
        }
    }
}

/// A time in seconds, never too few.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// The address that a request comes from: the connection's, or what a trusted proxy says.
pub(crate) fn address(
    extensions: &Extensions,
    headers: &HeaderMap,
    proxy: Proxy,
) -> Option<IpAddr> {
    let connection = extensions.get::<ConnectInfo<SocketAddr>>();
    let connection = connection.map(|connection| connection.0.ip());
    proxy.address(connection, headers)
}

/// Whoever has an IPv6 address has a whole network of them.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let bits = address.to_bits() >> 64 << 64;
            IpAddr::V6(bits.into())
        }
    }
}
