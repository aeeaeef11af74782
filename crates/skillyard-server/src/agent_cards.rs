//! Agents as pages and programs see them, and how they are made.

use serde::Serialize;
use skillyard_agent::agent::{Definition, Drift, StoredAgent};
use skillyard_agent::settings::{AgentLimits, LimitChanges, Strategy, ToolMode};
use skillyard_agent::shelf::{Shelf, ShelfError};
use skillyard_agent::tool_spec::WorkspaceTools;
use skillyard_audit::{Event, EventKind};
use utoipa::ToSchema;

use crate::access::Holder;
use crate::agents::refuse_long_model;
use crate::path_redactor::PathRedactor;
use crate::problem::{FormField, Problem};
use crate::server::Server;

/// An agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Card {
    /// Its name.
    pub(crate) name: String,
    /// The version that holds.
    pub(crate) version: u32,
    /// The hash of that version.
    pub(crate) hash: String,
    /// What it is for.
    pub(crate) description: String,
    /// Its model.
    pub(crate) model: String,
    /// Who picks skills.
    pub(crate) strategy: String,
    /// What it is told.
    pub(crate) instructions: String,
    /// Patterns of further skills: those that are here when a session begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) patterns: Vec<String>,
    /// Patterns of skills that it never has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) denied: Vec<String>,
    /// Its skills.
    pub(crate) skills: Vec<PinnedSkill>,
    /// How many of its skills are not what they were.
    pub(crate) drifted: usize,
}

impl Card {
    /// The same without the places of this machine that its texts name.
    pub(crate) fn redacted(self, redactor: &PathRedactor) -> Self {
        Self {
            description: redactor.redact(&self.description),
            instructions: redactor.redact(&self.instructions),
            skills: self
                .skills
                .into_iter()
                .map(|each| each.redacted(redactor))
                .collect(),
            ..self
        }
    }
}

/// An agent that cannot be used as it is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct DamagedAgent {
    /// Its name.
    pub(crate) name: String,
    /// What is wrong with it.
    pub(crate) problem: String,
}

impl DamagedAgent {
    /// The same without the places of this machine that its text names.
    pub(crate) fn redacted(self, redactor: &PathRedactor) -> Self {
        Self {
            problem: redactor.redact(&self.problem),
            ..self
        }
    }
}

/// A skill of an agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct PinnedSkill {
    /// Its name.
    pub(crate) name: String,
    /// What it consisted of when the version was made.
    pub(crate) digest: String,
    /// How it fares now: `same`, `changed` or `missing`.
    pub(crate) drift: String,
    /// Why it cannot be used, where it is known of and missing, such as that it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl PinnedSkill {
    /// The same without the places of this machine that its reason names.
    fn redacted(self, redactor: &PathRedactor) -> Self {
        Self {
            reason: self.reason.map(|reason| redactor.redact(&reason)),
            ..self
        }
    }
}

/// What an agent is to be like; what is not said is as configured, or stays as it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) model: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) skills: Option<Vec<String>>,
    pub(crate) denied: Option<Vec<String>>,
    pub(crate) strategy: Option<Strategy>,
    pub(crate) tool_mode: Option<ToolMode>,
    pub(crate) limits: LimitChanges,
}

impl Draft {
    fn apply(self, library: &Shelf, definition: &mut Definition) -> Result<(), Problem> {
        if let Some(names) = &self.skills {
            definition.skills.clear();
            definition.patterns.clear();
            let given = definition.give(library, names);
            given.map_err(|error| Problem::bad(error.to_string()).of(FormField::Skills))?;
        }
        if let Some(words) = &self.denied {
            let denied = definition.deny(words);
            denied.map_err(|error| Problem::bad(error.to_string()))?;
        }
        if self
            .model
            .as_ref()
            .is_some_and(|model| model.trim().is_empty())
        {
            let text = "`model` names no model; without it, the agent has the configured one, or keeps its own";
            return Err(Problem::bad(text).of(FormField::Model));
        }
        let is_short = refuse_long_model(self.model.as_deref());
        is_short.map_err(|problem| problem.of(FormField::Model))?;
        let fields = [
            (self.model, &mut definition.model),
            (self.description, &mut definition.description),
            (self.instructions, &mut definition.instructions),
        ];
        for (said, field) in fields {
            if let Some(said) = said {
                *field = said;
            }
        }
        definition.strategy = self.strategy.unwrap_or(definition.strategy);
        definition.tool_mode = self.tool_mode.unwrap_or(definition.tool_mode);
        self.limits.apply(&mut definition.limits);
        Ok(())
    }
}

impl Server {
    /// All agents, by name, and those that are damaged: one of them does not hide the others.
    pub(crate) fn agent_cards(&self) -> Result<(Vec<Card>, Vec<DamagedAgent>), Problem> {
        let agents = self.chats.agents()?;
        let definitions = agents.definitions();
        let library = agents.shelf()?;
        let (mut cards, mut damaged) = (Vec::new(), Vec::new());
        for name in definitions.names() {
            match definitions.load(&name) {
                Ok(kept) => cards.push(card(kept, &library)),
                Err(error) => damaged.push(DamagedAgent {
                    problem: error.damage().unwrap_or_else(|| error.to_string()),
                    name,
                }),
            }
        }
        Ok((cards, damaged))
    }

    /// One agent.
    pub(crate) fn agent_card(&self, name: &str) -> Result<Card, Problem> {
        let agents = self.chats.agents()?;
        let kept = agents.definitions().load(name)?;
        Ok(card(kept, &agents.shelf()?))
    }

    /// Makes an agent.
    pub(crate) fn make_agent(
        &self,
        name: &str,
        draft: Draft,
        holder: &Holder,
    ) -> Result<Card, Problem> {
        let agents = self.chats.agents()?;
        let mut definition = Definition {
            model: agents.models()?.default,
            description: String::new(),
            instructions: String::new(),
            strategy: Strategy::default(),
            router_model: None,
            tool_mode: ToolMode::default(),
            workspace: WorkspaceTools::default(),
            mcp: Vec::new(),
            limits: AgentLimits::default(),
            patterns: Vec::new(),
            denied: Vec::new(),
            skills: Vec::new(),
        };
        let library = agents.shelf()?;
        draft.apply(&library, &mut definition)?;
        let allowed = agents.allow(&definition);
        allowed.map_err(|error| Problem::from(error).of(FormField::Model))?;
        let kept = agents.definitions().create(name, &definition)?;
        self.record(&holder.signed(changed(EventKind::AgentCreated, &kept)));
        Ok(card(kept, &library))
    }

    /// Makes a new version of an agent.
    pub(crate) fn change_agent(
        &self,
        name: &str,
        draft: &Draft,
        holder: &Holder,
    ) -> Result<Card, Problem> {
        let agents = self.chats.agents()?;
        let library = agents.shelf()?;
        let apply = |definition: &mut Definition| {
            draft.clone().apply(&library, definition)?;
            Ok::<(), Problem>(agents.allow(definition)?)
        };
        let change = agents.definitions().change(name, apply)?;
        if change.is_new() {
            let event = changed(EventKind::AgentUpdated, &change.kept);
            self.record(&holder.signed(event));
        }
        Ok(card(change.kept, &library))
    }
}

fn changed(kind: EventKind, kept: &StoredAgent) -> Event {
    Event::new(kind)
        .trigger("web")
        .detail("agent", &kept.name)
        .detail("version", kept.version.to_string())
        .detail("hash", hash(kept))
}

fn hash(kept: &StoredAgent) -> String {
    let hash = kept.versions.get(&kept.version);
    hash.cloned().unwrap_or_default()
}

/// Why a skill that is not on the shelf cannot be used, where it is known of.
fn withheld(library: &Shelf, name: &str) -> Option<String> {
    match library.named(name) {
        Err(ShelfError::Withheld { why, .. }) => Some(why.reason),
        _ => None,
    }
}

fn card(kept: StoredAgent, library: &Shelf) -> Card {
    let skills: Vec<PinnedSkill> = kept
        .definition
        .drift(library)
        .into_iter()
        .map(|(pin, drift)| PinnedSkill {
            reason: (drift == Drift::Missing)
                .then(|| withheld(library, &pin.name))
                .flatten(),
            name: pin.name,
            digest: pin.digest,
            drift: match drift {
                Drift::Same => "same",
                Drift::Changed { .. } => "changed",
                Drift::Missing => "missing",
            }
            .to_owned(),
        })
        .collect();
    let strategy = match kept.definition.strategy {
        Strategy::Tool => "tool",
        Strategy::Router => "router",
        Strategy::Hybrid => "hybrid",
    };
    Card {
        hash: hash(&kept),
        drifted: skills.iter().filter(|skill| skill.drift != "same").count(),
        skills,
        strategy: strategy.to_owned(),
        patterns: kept.definition.patterns,
        denied: kept.definition.denied,
        version: kept.version,
        description: kept.definition.description,
        model: kept.definition.model,
        instructions: kept.definition.instructions,
        name: kept.name,
    }
}
