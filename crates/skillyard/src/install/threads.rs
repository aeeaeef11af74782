//! The threads that many skills are read, checked and written on.

use rayon::ThreadPoolBuilder;

/// Lets this thread work along with the others, instead of handing everything over and waiting.
pub(crate) fn work_along() {
    // Where there are threads already, they do it.
    let _ = ThreadPoolBuilder::new().use_current_thread().build_global();
}
