//! Taking in a message: the skills that it names, or those that a router chooses.

use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::tokens;

use super::{Turn, TurnError};
use crate::front_end::{EndReason, TurnEvent};
use crate::invocation::Invocation;
use crate::message::{AssistantPart, Message, Trigger, UserPart};
use crate::provider::{Delta, ProviderError};
use crate::router;
use crate::settings::Strategy;
use crate::shelf::{Caller, Loaded, ShelfError};
use crate::tool::{receive, refusal};

/// The end of the answer to a message that only names skills.
const WHAT_NOW: &str = "`. What is to be done?";

/// Whether this is the answer to a message that only names skills.
pub(super) fn is_acknowledgement(text: &str) -> bool {
    text.starts_with("Activated `") && text.ends_with(WHAT_NOW)
}

impl Turn<'_> {
    /// Takes in the user's message, with the skills that it names or that a router chooses.
    pub(super) fn ingest_message(
        &mut self,
        input: &str,
        invocation: &Invocation,
    ) -> Result<(), TurnError> {
        let withdrawn = self.withdraw()?;
        let entered = if invocation.skills.is_empty() {
            self.route(input)
        } else {
            self.enter(&invocation.skills, &invocation.arguments, Trigger::User)
        };
        // What is said to a router that does not answer is kept, as with any other model.
        let (entered, failed) = match entered {
            Ok(parts) => (parts, None),
            Err(TurnError::Provider(error)) => (Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let said = UserPart::Text {
            text: input.trim().to_owned(),
        };
        let parts = withdrawn.into_iter().chain(entered).chain([said]).collect();
        self.runtime.begin(self.session)?;
        self.session.messages.push(Message::User { parts });
        self.save()?;
        match failed {
            // The rest of the turn is stopped, too.
            None | Some(ProviderError::Cancelled) => Ok(()),
            Some(error) => Err(error.into()),
        }
    }

    /// Releases skills that may no longer be used, and returns the notes for the model.
    fn withdraw(&mut self) -> Result<Vec<UserPart>, TurnError> {
        let active = self.session.state.activated.iter();
        let active: Vec<String> = active.map(|each| each.name.clone()).collect();
        let mut told = Vec::new();
        for name in active {
            // It may have been so before this turn, or only since the skills were looked up.
            let before = self.runtime.shelf.withheld(&name).cloned();
            let Some(why) = before.or_else(|| self.runtime.host.withheld(&name)) else {
                continue;
            };
            let event = Event::new(EventKind::SkillReleased).session(&self.session.id);
            let event = event.skill(&name).reason(&why.reason);
            self.runtime.host.record(&event)?;
            self.session.release(&name);
            let note = format!("Skill `{name}` is not used any more: {}", why.reason);
            self.front.event(&TurnEvent::Note { text: note });
            let text = format!(
                "Skill `{name}` was withdrawn ({}). Do not follow its instructions any more, and do not use its files.",
                why.reason
            );
            told.push(UserPart::Note { text });
        }
        self.active = super::active(&self.runtime.shelf, self.session);
        Ok(told)
    }

    /// Takes skills into the message, all of them or none: one that counted as active in a
    /// message that never came to be would not be given to the model later.
    fn enter(
        &mut self,
        names: &[String],
        arguments: &str,
        trigger: Trigger,
    ) -> Result<Vec<UserPart>, TurnError> {
        let loaded = names.iter().map(|name| self.load(name, arguments, trigger));
        let loaded: Vec<Loaded> = loaded.collect::<Result<_, _>>()?;
        self.runtime.begin(self.session)?;
        let before = (
            self.session.state.activated.clone(),
            self.session.state.spent.clone(),
        );
        let parts = loaded.into_iter();
        let parts = parts.map(|each| self.activate(each, arguments, trigger));
        let parts: Result<Vec<UserPart>, TurnError> = parts.collect();
        if parts.is_err() {
            (self.session.state.activated, self.session.state.spent) = before;
        }
        parts
    }

    fn load(&mut self, name: &str, arguments: &str, trigger: Trigger) -> Result<Loaded, TurnError> {
        let caller = match trigger {
            Trigger::User => Caller::User,
            Trigger::Model | Trigger::Router => Caller::Model,
        };
        if let Some(why) = self.runtime.host.withheld(name) {
            let name = name.to_owned();
            return Err(ShelfError::Withheld { name, why }.into());
        }
        match self.runtime.shelf.load(name, arguments, caller) {
            Ok(loaded) => Ok(loaded),
            Err(error) => {
                if let Some(event) = refusal(&error, trigger) {
                    self.runtime.host.record(&event.session(&self.session.id))?;
                }
                Err(error.into())
            }
        }
    }

    fn activate(
        &mut self,
        loaded: Loaded,
        arguments: &str,
        trigger: Trigger,
    ) -> Result<UserPart, TurnError> {
        let (name, digest) = (loaded.name.clone(), loaded.digest.to_string());
        let output = receive(loaded, &self.session.state);
        if let Some(activation) = output.activated {
            let tokens = tokens::estimate(&output.content);
            let too_much = self.calls().too_much(&name, tokens);
            // What the user names is their own choice.
            if let Some(reason) = too_much.filter(|_| trigger != Trigger::User) {
                let text = format!("Skill `{name}` was chosen and is not given: {reason}");
                let event = Event::new(EventKind::SkillActivated)
                    .session(&self.session.id)
                    .skill(name)
                    .digest(digest)
                    .trigger(trigger.as_str());
                self.runtime
                    .host
                    .record(&event.ended(Outcome::Denied, reason))?;
                return Ok(UserPart::Note { text });
            }
            let event = self.calls().activated(&output.content, activation, trigger);
            self.runtime.host.record(&event)?;
        }
        Ok(UserPart::Skill {
            name,
            digest,
            arguments: arguments.to_owned(),
            trigger,
            text: output.content,
        })
    }

    /// What the strategy puts beside a message that names no skill.
    fn route(&mut self, task: &str) -> Result<Vec<UserPart>, TurnError> {
        match self.session.prompt.settings.strategy {
            Strategy::Tool => Ok(Vec::new()),
            Strategy::Router => {
                let chosen = self.chosen(task)?;
                self.enter(&chosen, "", Trigger::Router)
            }
            Strategy::Hybrid => {
                let (mut names, close) = router::candidates(&self.runtime.shelf, task);
                if close {
                    let chosen = self.chosen(task)?;
                    names.retain(|name| !chosen.contains(name));
                    names.splice(0..0, chosen);
                }
                let text = format!(
                    "Skills that may fit, the likeliest first: {}",
                    names.join(", ")
                );
                let note = (!names.is_empty()).then_some(UserPart::Note { text });
                Ok(note.into_iter().collect())
            }
        }
    }

    fn chosen(&mut self, task: &str) -> Result<Vec<String>, TurnError> {
        let front = &mut *self.front;
        // The router's text is not shown, but its retries are.
        let mut on = |delta: Delta<'_>| {
            if let Delta::Retry(reason, milliseconds) = delta {
                let reason = reason.to_owned();
                front.event(&TurnEvent::Retry {
                    reason,
                    milliseconds,
                });
            }
        };
        let choice = router::choose(
            self.runtime
                .router
                .as_deref()
                .unwrap_or(&*self.runtime.provider),
            &self.session.prompt.settings,
            &self.runtime.shelf,
            task,
            &mut on,
            &self.cancel,
        )?;
        if let Some(why) = choice.instead {
            self.front.event(&TurnEvent::Note { text: why.into() });
        }
        self.count(choice.usage);
        let mut skills = choice.skills;
        skills.retain(|name| self.runtime.host.withheld(name).is_none());
        Ok(skills)
    }

    /// Answers a message that only names skills. No model is needed to say that they are there.
    pub(super) fn acknowledge(&mut self, invocation: &Invocation) -> Result<EndReason, TurnError> {
        let names: Vec<String> = invocation
            .skills
            .iter()
            .map(|name| format!("`{name}"))
            .collect();
        let text = format!("Activated {}{WHAT_NOW}", names.join("`, "));
        self.front.event(&TurnEvent::Text {
            delta: text.clone(),
        });
        self.session.messages.push(Message::Assistant {
            parts: vec![AssistantPart::Text { text }],
        });
        self.save()?;
        Ok(EndReason::Activated)
    }
}
