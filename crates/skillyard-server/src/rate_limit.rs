//! Limits of requests per address.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

/// When more addresses are known, those whose buckets are full again are forgotten.
const MAX_ADDRESSES: usize = 10_000;

type Limiter<C> =
    RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// A bucket for each address: it holds `burst` requests and regains one per `interval`.
pub(crate) struct RateLimit<C: Clock = DefaultClock>(Limiter<C>);

impl RateLimit {
    pub(crate) fn new(burst: u32, interval: Duration) -> Self {
        Self::with_clock(burst, interval, DefaultClock::default())
    }
}

impl<C: Clock> RateLimit<C> {
    fn with_clock(burst: u32, interval: Duration, clock: C) -> Self {
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(interval).unwrap_or(Quota::per_second(burst));
        let store = DefaultKeyedStateStore::default();
        Self(RateLimiter::new(quota.allow_burst(burst), store, clock))
    }

    /// Takes one request out of the bucket of an address, if it holds one.
    pub(crate) fn take(&self, address: IpAddr) -> bool {
        if self.0.len() >= MAX_ADDRESSES {
            self.0.retain_recent();
        }
        self.0.check_key(&address).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use governor::clock::FakeRelativeClock;
    use std::net::Ipv4Addr;

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

    fn limit(burst: u32, clock: FakeRelativeClock) -> RateLimit<FakeRelativeClock> {
        RateLimit::with_clock(burst, Duration::from_secs(1), clock)
    }

    #[test]
    fn a_bucket_empties_and_fills_again_for_each_address() {
        let clock = FakeRelativeClock::default();
        let limit = limit(2, clock.clone());
        let taken = [0; 3].map(|_| limit.take(ONE));
        assert_eq!(taken, [true, true, false]);
        assert!(limit.take(Ipv4Addr::new(10, 0, 0, 2).into()));
        clock.advance(Duration::from_millis(1_100));
        assert!(limit.take(ONE));
        clock.advance(Duration::from_millis(100));
        assert!(!limit.take(ONE));
    }

    #[test]
    fn addresses_that_are_quiet_again_are_forgotten() {
        let clock = FakeRelativeClock::default();
        let limit = limit(1, clock.clone());
        for number in 0..u32::try_from(MAX_ADDRESSES).unwrap() {
            assert!(limit.take(Ipv4Addr::from(number).into()));
        }
        clock.advance(Duration::from_mins(1));
        assert!(limit.take(ONE));
        assert!(limit.0.len() < 10, "{}", limit.0.len());
    }
}
