//! The threads that many skills are read, checked and written on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::ThreadPoolBuilder;

/// Lets this thread work along with the others, instead of handing everything over and waiting.
pub(crate) fn work_along() {
    // Where there are threads already, they do it.
    let _ = ThreadPoolBuilder::new().use_current_thread().build_global();
}

/// Does something when a thread has time for it. Should it panic, so will whoever needs the answer.
pub(super) fn in_background(work: impl FnOnce() + Send + 'static) {
    rayon::spawn(|| drop(catch_unwind(AssertUnwindSafe(work))));
}

/// Gives memory back when a thread has time for it; nobody waits for that at the end of a command.
pub(crate) fn drop_later<T: Send + 'static>(value: T) {
    in_background(move || drop(value));
}
