//! Runs a function for many items on all cores.
//!
//! The calling thread works too, and threads are started only for as long as there is work: a pool would have to be started for every
//! command anyway.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results of `each` for every item, in order; `start` creates the state of one thread.
///
/// Threads take `block` items at a time, and no more threads are started than there are blocks.
pub(crate) fn map<I: Sync, S, T: Send>(
    items: &[I],
    block: usize,
    start: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &I) -> T + Sync,
) -> Vec<T> {
    let blocks: Vec<&[I]> = items.chunks(block.max(1)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = start();
        let mut done = Vec::new();
        while let Some((at, block)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            blocks.get(at).map(|block| (at, block))
        } {
            let results: Vec<T> = block.iter().map(|item| each(&mut state, item)).collect();
            done.push((at, results));
        }
        done
    };
    let threads = if blocks.len() < 2 {
        1
    } else {
        blocks
            .len()
            .min(thread::available_parallelism().map_or(1, usize::from))
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            // Without another thread this one does all the work.
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(blocks) => done.extend(blocks),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_in_the_order_of_the_items() {
        for count in [0, 1, 9, 10, 11, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let answers = map(
                &items,
                10,
                || 0,
                |calls, item| {
                    *calls += 1;
                    item * 2
                },
            );
            let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(answers, expected);
        }
    }

    #[test]
    fn what_one_thread_works_with_is_its_own() {
        let items = [(); 100];
        let calls = map(
            &items,
            10,
            || 0,
            |calls: &mut usize, ()| {
                *calls += 1;
                *calls
            },
        );
        for block in calls.chunks(10) {
            assert!(block.windows(2).all(|two| two[1] == two[0] + 1));
        }
    }

    #[test]
    #[should_panic(expected = "stop")]
    fn a_panic_is_not_lost() {
        let items: Vec<usize> = (0..100).collect();
        map(&items, 1, || (), |(), item| assert!(*item < 50, "stop"));
    }
}
