//! Causes of internal errors, which travel to the log as an extension of a response and never in it;
//! panics become such causes.

use std::any::Any;
use std::error::Error;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// The cause of an internal error, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause(pub String);

impl Cause {
    /// An error and its sources in one line.
    pub fn of(error: &dyn Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        Self(text)
    }
}

/// The result of `work`, or the message of its panic. The state of a panicked `work` is not used
/// again.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, Cause> {
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
