//! How many requests an address may make.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How many addresses are remembered.
const MOST: usize = 10_000;

/// A bucket for each address: it holds `burst` requests and fills with `per_second`.
pub(crate) struct Rate {
    burst: f64,
    per_second: f64,
    buckets: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl Rate {
    pub(crate) fn new(burst: u32, per_second: f64) -> Self {
        Self {
            burst: f64::from(burst),
            per_second,
            buckets: Mutex::default(),
        }
    }

    /// Takes one request out of the address's bucket, if it holds one at `now`.
    pub(crate) fn take(&self, address: IpAddr, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST && !buckets.contains_key(&address) {
            // Buckets that are full again need not be remembered.
            buckets.retain(|_, (left, since)| self.filled(*left, *since, now) < self.burst);
            if buckets.len() >= MOST {
                return false;
            }
        }
        let (left, since) = buckets.entry(address).or_insert((self.burst, now));
        let filled = self.filled(*left, *since, now);
        *since = now;
        *left = if filled >= 1.0 { filled - 1.0 } else { filled };
        filled >= 1.0
    }

    fn filled(&self, left: f64, since: Instant, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(since).as_secs_f64();
        (left + passed * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_again_for_each_address() {
        let rate = Rate::new(2, 1.0);
        let (one, two) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
        let now = Instant::now();
        let taken = [0; 3].map(|_| rate.take(one.into(), now));
        assert_eq!(taken, [true, true, false]);
        assert!(rate.take(two.into(), now));
        assert!(rate.take(one.into(), now + Duration::from_millis(1_100)));
        assert!(!rate.take(one.into(), now + Duration::from_millis(1_200)));
    }

    #[test]
    fn many_addresses_do_not_fill_the_memory() {
        let rate = Rate::new(1, 0.001);
        let now = Instant::now();
        let address = |n: usize| IpAddr::from(u32::try_from(n).unwrap().to_be_bytes());
        let taken = (0..MOST + 10).filter(|n| rate.take(address(*n), now));
        assert_eq!(taken.count(), MOST);
    }
}
