//! What goes wrong, as those are told it who need not know where things lie on this machine.
//!
//! The words of a problem come from everywhere: why a skill is held back, what to do about one that
//! was altered. So they are veiled in one place, on their way out; the page around them is ours, and
//! an address in it that reads like a place of the machine is none.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse as _, Response};

use super::Role;
use crate::problem::Problem;
use crate::server::Server;
use crate::veil::Veil;
use crate::view::Viewer;
use crate::web::{NoPage, elsewhere};

/// What went wrong, which travels with the answer that says so.
#[derive(Debug, Clone)]
pub(crate) enum Wrong {
    /// To programs.
    Told(Problem),
    /// To people.
    Shown(Box<NoPage>),
}

impl Wrong {
    /// The body of the answer without the places.
    fn veiled(self, veil: &Veil) -> Body {
        let answer = match self {
            Self::Told(problem) => problem.veiled(veil).into_response(),
            Self::Shown(page) => page.veiled(veil).into_response(),
        };
        answer.into_body()
    }
}

/// The answer as somebody with this role may read it.
pub(super) async fn veiled(server: &Arc<Server>, role: Role, mut response: Response) -> Response {
    let wrong = response.extensions_mut().remove::<Wrong>();
    let Some(wrong) = wrong.filter(|_| role != Role::Admin) else {
        return response;
    };
    let server = Arc::clone(server);
    let body = elsewhere(move || wrong.veiled(Viewer::new(role, &server).veil())).await;
    response.headers_mut().remove(CONTENT_LENGTH);
    // What cannot be veiled is not told.
    *response.body_mut() = body.unwrap_or_default();
    response
}
