//! The session that an address names, found for whoever asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use skillyard_agent::session::Session;

use super::input::{Caller, Named};
use crate::chat::Conversation;
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// A session that whoever asks sees.
pub(super) struct Talk {
    /// Where it is.
    pub(super) server: Arc<Server>,
    /// Who asks.
    pub(super) caller: Caller,
    /// The session.
    pub(super) conversation: Arc<Conversation>,
}

impl Talk {
    /// As it is kept.
    pub(super) fn session(&self) -> Result<Session, Problem> {
        self.server.chats.session(&self.conversation)
    }

    /// The same session as it is now: a turn that ended since may have found that the session had
    /// gone on elsewhere.
    pub(super) fn again(self) -> Result<Self, Problem> {
        let register = &self.server.chats;
        let conversation = register.find(&self.conversation.id, &self.caller.session_owner)?;
        Ok(Self {
            conversation,
            ..self
        })
    }

    /// Does something with it that may take a while.
    pub(super) async fn then<T: Send + 'static>(
        self,
        work: impl FnOnce(Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        elsewhere(move || work(self)).await?
    }
}

impl FromRequestParts<Arc<Server>> for Talk {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<Server>) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let named = Named::<BTreeMap<String, String>>::from_request_parts(parts, state).await?;
        let id = named.0.get("id").cloned().unwrap_or_default();
        let (server, session_owner) = (Arc::clone(state), caller.session_owner.clone());
        let found = elsewhere(move || server.chats.find(&id, &session_owner)).await??;
        Ok(Self {
            server: Arc::clone(state),
            caller,
            conversation: found,
        })
    }
}
