//! Agents: a list, one by one, and a form that makes one.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;

use super::PathInput;
use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::agent_cards::{Card, DamagedAgent, Draft};
use crate::problem::{FormField, Problem};
use crate::server::Server;

#[derive(Template)]
#[template(path = "agents.html")]
struct AgentsPage {
    frame: Frame,
    active: &'static str,
    agents: Vec<Card>,
    damaged: Vec<DamagedAgent>,
    models: Vec<String>,
    model: String,
    /// What stands in the form.
    filled: Filled,
    /// Why it made no agent.
    wrong: Option<Problem>,
}

impl AgentsPage {
    /// What is wrong with a field of the form, or with the whole of it.
    fn wrong(&self, field: Option<FormField>) -> Option<&str> {
        let wrong = self.wrong.as_ref();
        let wrong = wrong.filter(|problem| problem.field() == field);
        wrong.map(Problem::detail)
    }
}

#[derive(Template)]
#[template(path = "agent.html")]
struct AgentPage {
    frame: Frame,
    active: &'static str,
    agent: Card,
    versions: Vec<(u32, String)>,
}

/// `GET /agents`.
pub(crate) async fn list(State(server): State<Arc<Server>>, frame: Frame) -> Page {
    listed(server, frame, Filled::default(), None).await
}

/// The page with what was filled in, and why that made no agent.
async fn listed(server: Arc<Server>, frame: Frame, filled: Filled, wrong: Option<Problem>) -> Page {
    let within = frame.clone();
    let status = wrong.as_ref().map_or(StatusCode::OK, Problem::status);
    let composed = elsewhere(move || {
        let models = server.chats.agents()?.models()?;
        let redactor = within.viewer(&server).redactor().clone();
        let (agents, damaged) = server.agent_cards()?;
        Ok::<_, Problem>(AgentsPage {
            frame: within,
            active: "agents",
            agents: agents
                .into_iter()
                .map(|card| card.redacted(&redactor))
                .collect(),
            damaged: damaged
                .into_iter()
                .map(|each| each.redacted(&redactor))
                .collect(),
            models: models.known,
            model: models.default,
            filled,
            wrong,
        })
    });
    match composed.await.and_then(|page| page) {
        Ok(page) => Ok((status, shown(&page)).into_response()),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

/// `GET /agents/{name}`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    PathInput(name): PathInput<String>,
) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || {
        let kept = server.chats.agents()?.definitions().load(&name)?;
        let redactor = within.viewer(&server).redactor().clone();
        Ok::<_, Problem>(AgentPage {
            frame: within,
            active: "agents",
            agent: server.agent_card(&name)?.redacted(&redactor),
            versions: kept.versions.into_iter().rev().collect(),
        })
    });
    match composed.await.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

/// What the form says.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Filled {
    name: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    instructions: String,
    #[serde(default)]
    skills: String,
}

/// `POST /agents`.
pub(crate) async fn create(
    State(server): State<Arc<Server>>,
    frame: Frame,
    Form(filled): Form<Filled>,
) -> Page {
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let skills = filled.skills.split([',', ' ', '\n']);
    let skills: Vec<String> = skills.map(str::to_owned).collect();
    let draft = Draft {
        model: given(&filled.model),
        description: given(&filled.description),
        instructions: given(&filled.instructions),
        skills: Some(skills),
        ..Draft::default()
    };
    let holder = frame.holder();
    let name = filled.name.trim().to_owned();
    let maker = Arc::clone(&server);
    let made = elsewhere(move || maker.make_agent(&name, draft, &holder)).await;
    match made.and_then(|made| made) {
        Ok(card) => Ok(Redirect::to(&format!("/agents/{}", card.name)).into_response()),
        // The form keeps what was entered.
        Err(problem) if problem.status().is_client_error() => {
            listed(server, frame, filled, Some(problem)).await
        }
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}
