//! Answers that end in a panic: whoever asked is told, and what else comes over the same connection
//! is answered.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::cause::Cause;

/// What `work` comes to, or with which words it panicked. Whatever it was about is not used after
/// that, so nobody sees it half done.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Cause> {
    let mut work = pin!(work);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
            Err(panic) => Poll::Ready(Err(Cause(format!("it panicked: {}", words(&*panic))))),
        },
    )
    .await
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without words")
}
