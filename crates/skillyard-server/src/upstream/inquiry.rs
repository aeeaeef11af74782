//! Questions to other servers. One is under way to each of them at a time, on a thread of its own;
//! whoever wants the answer waits a moment for it and then goes on without, so that a server that
//! says nothing holds up nobody.

use parking_lot::{Condvar, Mutex};

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an answer is waited for, from when it was asked for first.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// The same of a server that gave none the last time.
const SHORT_TIMEOUT: Duration = Duration::from_millis(250);

/// The questions of one kind that are under way, by server.
pub(super) struct Inquiries<T> {
    under_way: Mutex<HashMap<String, Arc<Inquiry<T>>>>,
    /// The servers that gave no answer the last time.
    failing: Mutex<HashSet<String>>,
    /// Is told when an answer came that somebody went on without.
    late: Box<dyn Fn() + Send + Sync>,
}

/// A question that is under way.
pub(super) struct Inquiry<T> {
    began: Instant,
    timeout: Duration,
    state: Mutex<InquiryState<T>>,
    answered: Condvar,
}

enum InquiryState<T> {
    Waiting,
    /// Somebody went on without it.
    GivenUp,
    Answered(Option<T>),
}

impl<T: Clone + Send + 'static> Inquiries<T> {
    pub(super) fn new(late: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            under_way: Mutex::default(),
            failing: Mutex::default(),
            late: Box::new(late),
        })
    }

    /// Asks a server, unless that is under way.
    pub(super) fn begin(
        self: &Arc<Self>,
        server: &str,
        ask: impl FnOnce() -> Option<T> + Send + 'static,
    ) -> Arc<Inquiry<T>> {
        let mut under_way = self.under_way.lock();
        if let Some(found) = under_way.get(server) {
            return Arc::clone(found);
        }
        let inquiry = Arc::new(Inquiry {
            began: Instant::now(),
            timeout: if self.failing.lock().contains(server) {
                SHORT_TIMEOUT
            } else {
                ANSWER_TIMEOUT
            },
            state: Mutex::new(InquiryState::Waiting),
            answered: Condvar::new(),
        });
        under_way.insert(server.to_owned(), Arc::clone(&inquiry));
        drop(under_way);
        let (this, asked, server) = (Arc::clone(self), Arc::clone(&inquiry), server.to_owned());
        std::thread::spawn(move || {
            // Whatever happens, nobody is to wait for it again.
            let answer = catch_unwind(AssertUnwindSafe(ask)).ok().flatten();
            let is_news = answer.is_some();
            if is_news {
                this.failing.lock().remove(&server);
            } else {
                this.failing.lock().insert(server.clone());
            }
            this.under_way.lock().remove(&server);
            let before =
                std::mem::replace(&mut *asked.state.lock(), InquiryState::Answered(answer));
            asked.answered.notify_all();
            if is_news && matches!(before, InquiryState::GivenUp) {
                (this.late)();
            }
        });
        inquiry
    }
}

impl<T: Clone> Inquiry<T> {
    /// The answer, if it comes in time.
    pub(super) fn answer(&self) -> Option<T> {
        let mut state = self.state.lock();
        loop {
            if let InquiryState::Answered(answer) = &*state {
                return answer.clone();
            }
            let rest = self.timeout.checked_sub(self.began.elapsed());
            let Some(rest) = rest.filter(|rest| !rest.is_zero()) else {
                *state = InquiryState::GivenUp;
                return None;
            };
            self.answered.wait_for(&mut state, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    #[test]
    fn a_server_is_asked_once_and_a_late_answer_is_told() {
        let (told, late) = mpsc::channel();
        let inquiries = Inquiries::new(move || {
            let _ = told.send(());
        });
        let asked = Arc::new(AtomicUsize::new(0));
        let (go, wait) = mpsc::channel::<()>();
        let count = Arc::clone(&asked);
        let slow = inquiries.begin("slow", move || {
            count.fetch_add(1, Ordering::Relaxed);
            let _ = wait.recv();
            Some(1)
        });
        let quick = inquiries.begin("quick", || Some(2));
        assert_eq!(quick.answer(), Some(2));
        let again = inquiries.begin("slow", || unreachable!("one is under way"));
        assert!(Arc::ptr_eq(&slow, &again));
        assert_eq!(slow.answer(), None);
        let start = Instant::now();
        assert_eq!(again.answer(), None);
        assert!(
            start.elapsed() < ANSWER_TIMEOUT,
            "nobody waits for it twice"
        );
        go.send(()).unwrap();
        late.recv().unwrap();
        assert_eq!(slow.answer(), Some(1));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn who_panics_is_asked_again() {
        let inquiries: Arc<Inquiries<u8>> = Inquiries::new(|| {});
        let broken = inquiries.begin("s", || panic!("as planned"));
        assert_eq!(broken.answer(), None);
        let again = inquiries.begin("s", || Some(1));
        assert_eq!(again.timeout, SHORT_TIMEOUT, "it has been waited for");
        assert_eq!(again.answer(), Some(1));
        assert_eq!(inquiries.begin("s", || Some(1)).timeout, ANSWER_TIMEOUT);
    }
}
