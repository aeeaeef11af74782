//! The document that says what the API can do, made from the code that does it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use skillyard_http::bearer;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, AllOf, Components, Object, Schema};
use utoipa::{IntoResponses as _, Modify, OpenApi};

use super::refusals::{Gate, Upload};
use super::{
    agents, audit, files, find, guard, install, manage, messages, models, prompt, remcochat,
    session_list, sessions, skill, skills, tools,
};
use crate::problem::Problem;
use crate::server::Server;

#[derive(OpenApi)]
#[openapi(
    info(title = "Skillyard", description = "Agent Skills for programs"),
    paths(
        skills::list,
        skill::get,
        skill::body,
        skill::activate,
        skill::findings,
        skill::usage,
        files::list,
        files::read,
        find::search,
        find::matching,
        prompt::get,
        guard::check,
        tools::call,
        manage::enable,
        manage::disable,
        manage::reload,
        install::install,
        audit::query,
        audit::verify,
        audit::replay,
        agents::list,
        agents::create,
        agents::get,
        agents::change,
        agents::versions,
        agents::version,
        session_list::list,
        sessions::open,
        sessions::get,
        sessions::delete,
        sessions::export,
        sessions::fork,
        sessions::release,
        messages::say,
        messages::stop,
        messages::follow,
        messages::decide,
        models::list,
        remcochat::list,
        remcochat::reload,
    ),
    // Refusals and parameters only refer to them.
    components(schemas(Problem, files::Encoding, prompt::Format)),
    // On this machine nobody is asked for one.
    security(("token" = []), ()),
    modifiers(&Usual)
)]
struct Document;

/// What holds for every route and therefore stands at none: tokens, and what the gate refuses.
struct Usual;

impl Modify for Usual {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let scheme = bearer::scheme("a token of `--token-file`");
        components.add_security_scheme(bearer::NAME, scheme);
        let items = document.paths.paths.values_mut();
        let operations = items.flat_map(|item| {
            [
                &mut item.get,
                &mut item.put,
                &mut item.post,
                &mut item.delete,
            ]
        });
        for operation in operations.flatten() {
            let mut usual = Gate::responses();
            if operation.request_body.is_some() {
                usual.extend(Upload::responses());
            }
            for (status, response) in usual {
                let responses = &mut operation.responses.responses;
                responses.entry(status).or_insert(response);
            }
        }
    }
}

/// `GET /api/v1/openapi.json`.
pub(super) async fn document(State(server): State<Arc<Server>>) -> Json<utoipa::openapi::OpenApi> {
    let mut document = Document::openapi();
    server.version.clone_into(&mut document.info.version);
    if let Some(components) = &mut document.components {
        join(components);
    }
    Json(document)
}

/// Makes one object of those that are several at once, where one of them allows nothing but what
/// it has itself: together they would allow nothing at all.
fn join(components: &mut Components) {
    let joined: Vec<(String, Object)> = components
        .schemas
        .iter()
        .filter_map(|(name, schema)| match schema {
            RefOr::T(Schema::AllOf(all)) => Some((name.clone(), one_of_all(all, components)?)),
            _ => None,
        })
        .collect();
    for (name, object) in joined {
        let schema = RefOr::T(Schema::Object(object));
        components.schemas.insert(name, schema);
    }
}

fn one_of_all(all: &AllOf, components: &Components) -> Option<Object> {
    let mut whole = Object::new();
    whole.description.clone_from(&all.description);
    for item in &all.items {
        let item = match item {
            RefOr::Ref(to) => components
                .schemas
                .get(to.ref_location.rsplit('/').next()?)?,
            item @ RefOr::T(_) => item,
        };
        let RefOr::T(Schema::Object(part)) = item else {
            return None;
        };
        whole.properties.extend(part.properties.clone());
        whole.required.extend(part.required.iter().cloned());
        if let Some(others) = &part.additional_properties {
            whole.additional_properties = Some(others.clone());
        }
    }
    let others = whole.additional_properties.as_deref();
    matches!(others, Some(AdditionalProperties::FreeForm(false))).then_some(whole)
}
