//! The threads that many skills are read, checked and written on.

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::ThreadPoolBuilder;
use skillyard_install::processors::Apart;

/// Lets this thread work along with the others, instead of handing everything over and waiting.
pub(crate) fn work_along() {
    // For the threads that all share one would wait until the last of them has started.
    let own = ThreadPoolBuilder::new().use_current_thread().build();
    // Where this thread has others already, they do it.
    if let Ok(own) = own {
        drop(Apart::keep());
        // It is needed to the end.
        let _ = ManuallyDrop::new(own);
    }
}

/// Does something when a thread has time for it. Should it panic, so will whoever needs the answer.
pub(super) fn in_background(work: impl FnOnce() + Send + 'static) {
    rayon::spawn(|| drop(catch_unwind(AssertUnwindSafe(work))));
}

/// Gives memory back when a thread has time for it; nobody waits for that at the end of a command.
pub(crate) fn drop_later<T: Send + 'static>(value: T) {
    in_background(move || drop(value));
}
