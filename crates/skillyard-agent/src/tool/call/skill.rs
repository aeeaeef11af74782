//! Calls that only read skills, and what becomes active by them.

use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind, Outcome};

use super::limits::denied;
use super::{Calls, Ended};
use crate::front_end::TurnEvent;
use crate::message::{CallOutcome, Trigger};
use crate::session::Spent;
use crate::shelf::ShelfError;
use crate::telemetry::{SkillActivated, TelemetryEvent, publish};
use crate::tool::skill::{Activation, Output};

/// What is written down when a skill was altered and does not become active.
pub(crate) fn refusal(error: &ShelfError, trigger: Trigger) -> Option<Event> {
    let ShelfError::Altered { name, now, .. } = error else {
        return None;
    };
    let event = Event::new(EventKind::SkillActivated)
        .skill(name)
        .digest(now.to_string())
        .trigger(trigger.as_str());
    Some(event.ended(Outcome::Denied, error.to_string()))
}

impl Calls<'_> {
    /// Whether the skill that is meant may not be used any more since the turn began.
    pub(super) fn withheld(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Ended> {
        let named = arguments.get("name").and_then(Value::as_str);
        let named = named.filter(|_| tool.starts_with("skill_"))?;
        let name = self.shelf.find(named).ok()?.skill.record.name.clone();
        let why = self.host.withheld(&name)?;
        let digest = self.session.state.active_digest(&name);
        let skill = Some(name.clone());
        let mut denied = denied(ShelfError::Withheld { name, why }.to_string());
        (denied.event.skill, denied.event.digest) = (skill, digest);
        Some(denied)
    }

    /// What a tool that only reads skills gave.
    pub(super) fn settled(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        result: Result<Output, String>,
    ) -> Ended {
        let kind = match tool {
            "skill_read" => EventKind::ResourceRead,
            _ => EventKind::ToolAllowed,
        };
        let output = match result {
            Ok(output) => output,
            Err(problem) => {
                let mut ended = Ended::failed(problem, kind);
                let named = arguments.get("name").and_then(Value::as_str);
                let found = named.and_then(|name| self.shelf.find(name).ok());
                // What was asked for may be no skill at all.
                ended.event.skill = found.map(|found| found.skill.record.name.clone());
                let refused = ended.event.skill.as_deref().and_then(|name| {
                    let now = self.shelf.digest(name).ok()?;
                    refusal(&self.shelf.intact(name, now).err()?, Trigger::Model)
                });
                if let Some(event) = refused.filter(|_| tool == "skill_load") {
                    ended.event = event;
                    ended.outcome = CallOutcome::Denied;
                }
                return ended;
            }
        };
        let tokens = skillyard_format::tokens::estimate(&output.content);
        let named = arguments.get("name").and_then(Value::as_str);
        let found = named.and_then(|name| self.shelf.find(name).ok());
        let found = found.map(|found| found.skill.record.name.clone());
        if let Some(name) = &found
            && let Some(reason) = self.too_much(name, tokens)
        {
            let mut denied = denied(reason);
            denied.event.digest = self.session.state.active_digest(name);
            denied.event.skill = found;
            return denied;
        }
        let mut ended = Ended::ok(output.content, kind);
        if let Some(activation) = output.activated {
            ended.event = self.activated(&ended.content, activation, Trigger::Model);
        } else if let Some(name) = found {
            self.spend(&name, Spent { tokens, runs: 0 });
            ended.event.digest = self.session.state.active_digest(&name);
            ended.event.skill = Some(name);
            if let Some(Value::String(path)) = arguments.get("path") {
                ended.event = ended.event.detail("path", path);
            }
        }
        ended
    }

    /// Makes a skill active, and tells so.
    pub(crate) fn activated(
        &mut self,
        text: &str,
        activation: Activation,
        trigger: Trigger,
    ) -> Event {
        let Activation {
            name,
            digest,
            rendered,
            omitted,
            active,
        } = activation;
        self.session.activate(&name, &digest, &rendered);
        self.active.retain(|each| each.name != active.name);
        self.active.push(active);
        let tokens = skillyard_format::tokens::estimate(text);
        self.spend(&name, Spent { tokens, runs: 0 });
        self.front.event(&TurnEvent::SkillActivated {
            name: name.clone(),
            digest: digest.to_string(),
            trigger,
            tokens,
            text: text.to_owned(),
        });
        let mut event = Event::new(EventKind::SkillActivated)
            .session(&self.session.id)
            .skill(&name)
            .digest(digest.to_string())
            .trigger(trigger.as_str())
            .detail("rendered", rendered.to_string())
            .detail("tokens", tokens.to_string());
        if omitted > 0 {
            event = event.detail("omitted_bytes", omitted.to_string());
        }
        if let Ok(found) = self.shelf.find(&name) {
            publish(
                self.subscribers,
                &TelemetryEvent::SkillActivated(SkillActivated {
                    session: &self.session.id,
                    skill: &name,
                    digest: &digest.to_string(),
                    source: found.skill.kind.as_str(),
                    uri: &found.uri(),
                    tier: &found.tier,
                    trigger,
                    tokens,
                    at: (self.clock)(),
                }),
            );
            event = event
                .source(found.skill.kind.as_str())
                .origin(&found.origin)
                .tier(&found.tier);
        }
        event
    }
}
