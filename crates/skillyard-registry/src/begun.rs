//! What was begun is finished, also when whoever asked for it has gone.
//!
//! A change is recorded once it is certain. If it ended with the connection, who closes theirs in
//! time would change something that stands in no audit log.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::RwLock;

use crate::endpoints::publish::whole;
use crate::error::RegistryError;
use crate::server::Server;

/// The longest body of a change that is no upload.
const LONGEST: usize = 64 * 1024;

/// Changes under way, each of which holds the lock for reading.
#[derive(Debug, Default)]
pub(crate) struct Begun(Arc<RwLock<()>>);

impl Begun {
    /// Does something to its end, whether or not anybody waits for it.
    pub(crate) async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, RegistryError> {
        let under_way = Arc::clone(&self.0).read_owned().await;
        let task = tokio::spawn(async move {
            let done = work.await;
            drop(under_way);
            done
        });
        task.await.map_err(RegistryError::internal)
    }

    /// Waits until nothing is under way any more, or this has taken too long.
    pub(crate) async fn done(&self, patience: Duration) {
        let _ = tokio::time::timeout(patience, self.0.write()).await;
    }
}

/// Answers whoever changes something from a task of its own.
pub(crate) async fn finished(
    State(server): State<Server>,
    request: Request,
    next: Next,
) -> Response {
    if is_question(request.method()) {
        return next.run(request).await;
    }
    // Only what has wholly come is begun: the rest might never come.
    let (parts, body) = request.into_parts();
    let request = match whole(body, LONGEST).await {
        Ok(body) => Request::from_parts(parts, Body::from(body)),
        Err(error) => return error.into_response(),
    };
    let answer = server.begun.finish(next.run(request)).await;
    answer.unwrap_or_else(RegistryError::into_response)
}

/// Whether a method changes nothing.
pub(crate) fn is_question(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
