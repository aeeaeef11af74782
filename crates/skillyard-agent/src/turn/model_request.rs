//! One question to the model: what it is given, and what it gives.

use skillyard_audit::{Event, EventKind};
use skillyard_format::Digest;

use super::sanitize_tool_calls::sanitize_tool_calls;
use super::{Turn, TurnError};
use crate::front_end::TurnEvent;
use crate::message::{AssistantPart, Message};
use crate::mode;
use crate::provider::{Completion, Delta, ModelRequest, ProviderError, Usage};
use crate::session::Session;
use crate::settings::ToolMode;
use crate::telemetry::{ModelCalled, TelemetryEvent, publish};

impl Turn<'_> {
    /// Asks the model. Where its server says that the request is too long, or allows a longer answer
    /// than the model gives, it gets a shorter one.
    pub(super) fn ask(&mut self) -> Result<Completion, TurnError> {
        self.steps += 1;
        let state = &self.session.state;
        let (context, answer) = (state.context, state.answer);
        loop {
            let error = match self.ask_once() {
                Err(TurnError::Provider(error)) => error,
                outcome => return outcome,
            };
            let longest = error.longest_answer(self.session.answer_tokens());
            let reason = if longest.is_some() {
                self.session.state.answer = longest;
                format!("{error}; it is asked for shorter answers")
            } else if matches!(error, ProviderError::Overfull { .. }) && self.session.tighten() {
                format!("{error}; what is oldest in the session is left out")
            } else {
                let state = &mut self.session.state;
                match error {
                    // It is not the length of the session that is too much, or of its answers.
                    ProviderError::Overfull { .. } => state.context = context,
                    ProviderError::Status { .. } => state.answer = answer,
                    _ => {}
                }
                return Err(error.into());
            };
            self.front.event(&TurnEvent::Retry {
                reason,
                milliseconds: 0,
            });
        }
    }

    fn ask_once(&mut self) -> Result<Completion, TurnError> {
        let settings = self.session.prompt.settings.clone();
        let known = self.session.state.activated.clone();
        let messages = visible_messages(self.session);
        // The list of dropped skills is stored even if the request fails.
        if self.session.state.activated != known {
            self.save()?;
        }
        let shape = mode::shape(settings.tool_mode, &self.session.prompt.tools);
        let request = build_request(self.session, &messages, shape.as_ref());
        let mut event = Event::new(EventKind::SessionPrompted)
            .session(&self.session.id)
            .detail("messages", self.session.messages.len().to_string())
            .detail("request", request_digest(&request).to_string());
        if let Some(tokens) = self.session.state.context {
            event = event.detail("context", tokens.to_string());
        }
        if let Some(tokens) = self.session.state.answer {
            event = event.detail("answer", tokens.to_string());
        }
        self.runtime.host.record(&event)?;
        let front = &mut *self.front;
        let said = &mut self.said;
        said.clear();
        let mut filter =
            (settings.tool_mode == ToolMode::Text).then(mode::ToolCallStreamFilter::default);
        let is_object = settings.tool_mode == ToolMode::JsonSchema;
        let mut heard = String::new();
        let mut on = |delta: Delta<'_>| match delta {
            // An object in the making is nothing to show.
            Delta::Text(text) if is_object => heard.push_str(text),
            Delta::Text(text) => {
                heard.push_str(text);
                let text = match &mut filter {
                    Some(filter) => filter.pass(text),
                    None => text.to_owned(),
                };
                if !text.is_empty() {
                    said.push_str(&text);
                    front.event(&TurnEvent::Text { delta: text });
                }
            }
            Delta::Retry(reason, milliseconds) => front.event(&TurnEvent::Retry {
                reason: reason.into(),
                milliseconds,
            }),
        };
        let started = (self.runtime.clock)();
        let completion = self
            .runtime
            .provider
            .complete(&request, &mut on, &self.cancel);
        let usage = match &completion {
            Ok(completion) => Usage::of(&*self.runtime.provider, &request, completion),
            // Servers do not count a stopped request, but charge for it.
            Err(error) if matches!(error, ProviderError::Cancelled) || !heard.is_empty() => {
                Usage::estimate(&request, &[AssistantPart::Text { text: heard }])
            }
            Err(_) => Usage::default(),
        };
        publish(
            &self.runtime.subscribers,
            &TelemetryEvent::ModelCalled(ModelCalled {
                session: &self.session.id,
                provider: self.runtime.provider.name(),
                model: request.model,
                max_tokens: request.max_tokens,
                started,
                ended: (self.runtime.clock)(),
                calls: completion.as_ref().is_ok_and(Completion::has_calls),
                outcome: match &completion {
                    Ok(completion) => Ok((completion.stop, usage)),
                    Err(error) => Err(error.kind()),
                },
            }),
        );
        let completion = match completion {
            Ok(completion) => completion,
            Err(error) => {
                self.count(usage);
                self.save()?;
                return Err(error.into());
            }
        };
        self.said.clear();
        let tools = &self.session.prompt.tools;
        let count = self.session.messages.len();
        let mut completion = mode::incoming(settings.tool_mode, tools, completion, count);
        let rest = match filter {
            Some(filter) => filter.rest(tools),
            None if is_object => mode::words(&completion.parts),
            None => String::new(),
        };
        if !rest.is_empty() {
            front.event(&TurnEvent::Text { delta: rest });
        }
        sanitize_tool_calls(&mut completion.parts, &self.session.messages);
        self.count(usage);
        Ok(completion)
    }

    pub(super) fn count(&mut self, usage: Usage) {
        let has_limit = self.session.prompt.settings.limits.session_tokens > 0;
        if has_limit && usage.estimated && !self.session.state.usage.estimated {
            let text = "the model's server did not count all tokens; they are estimated";
            self.front.event(&TurnEvent::Note { text: text.into() });
        }
        self.usage.add(usage);
        self.session.state.usage.add(usage);
        if usage != Usage::default() {
            self.front.event(&TurnEvent::Usage {
                request: usage,
                session: self.session.state.usage,
            });
        }
    }
}

/// The messages as the model of a session reads them in the request that is made now.
pub(crate) fn visible_messages(session: &mut Session) -> Vec<Message> {
    let fitted = session.fitted();
    mode::outgoing(&session.prompt.settings, fitted.messages)
}

/// A request, as it was or will be made.
pub(crate) fn build_request<'a>(
    session: &'a Session,
    messages: &'a [Message],
    shape: Option<&'a serde_json::Value>,
) -> ModelRequest<'a> {
    let settings = &session.prompt.settings;
    let native = settings.tool_mode.is_native();
    ModelRequest {
        model: settings.model_name(),
        system: &session.prompt.system,
        tools: if native { &session.prompt.tools } else { &[] },
        messages,
        max_tokens: session.answer_tokens(),
        shape,
    }
}

/// The digest of all bytes that a model is given.
pub(crate) fn request_digest(request: &ModelRequest<'_>) -> Digest {
    Digest::of(&serde_json::to_vec(request).unwrap_or_default())
}
