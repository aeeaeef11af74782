//! The document that says what the API can do, made from the code that does it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use skillyard_http::headers::{BEARER_NAME, bearer_scheme};
use utoipa::ToSchema as _;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{AdditionalProperties, AllOf, Components, Object, Schema};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response};
use utoipa::{IntoResponses, Modify, OpenApi};

use super::{
    admin, agents, audit, files, guard, messages, prompt, remcochat, sessions, skill, skills, tools,
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
        skills::search,
        skills::matching,
        prompt::get,
        guard::check,
        tools::call,
        admin::enable,
        admin::disable,
        admin::reload,
        admin::install,
        audit::query,
        audit::verify,
        audit::replay,
        agents::list,
        agents::create,
        agents::get,
        agents::change,
        agents::versions,
        agents::version,
        sessions::list,
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
        sessions::models,
        remcochat::list,
        remcochat::reload,
    ),
    // Refusals and parameters only refer to them.
    components(schemas(Problem, files::Encoding, prompt::Format)),
    // On this machine nobody is asked for one.
    security(("token" = []), ()),
    modifiers(&Usual)
)]
struct ApiDocument;

/// What holds for every route and therefore stands at none: tokens, and what the gate refuses.
struct Usual;

impl Modify for Usual {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let scheme = bearer_scheme("a token of `--token-file`");
        components.add_security_scheme(BEARER_NAME, scheme);
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
    let mut document = ApiDocument::openapi();
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

macro_rules! refusals {
    ($($(#[$text:meta])* $name:ident = $status:literal, $description:literal;)*) => {$(
        $(#[$text])*
        pub(super) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                refused($status, $description)
            }
        }
    )*};
}

refusals! {
    /// It makes no sense.
    Senseless = "400", "it makes no sense; `detail` says why";
    /// Whoever asks may not.
    Forbidden = "403", "who asks may not do this";
    /// The skill is not what was installed, or it is revoked.
    Altered = "403", "the skill's files are not those that are locked, or it is revoked; `skill` names it, and `remedy` says what its user can do";
    /// There is nothing of that name.
    Missing = "404", "there is nothing of that name";
    /// It does not fit to how things are.
    Untimely = "409", "it does not fit to how things are";
    /// The body is of another kind.
    NotJson = "415", "the body is not JSON";
    /// The user has to be asked.
    Unanswered = "428", "the user has to be asked what `detail` says; with their yes, call again with `consent`";
    /// There is no room for more.
    Full = "503", "there is no room for more at the moment";
}

/// What anybody can be refused with, whatever they ask for.
pub(super) struct Gate;

impl IntoResponses for Gate {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let all = [
            ("401", "a token is needed, where the server has tokens"),
            ("403", "who asks may not do this"),
            ("429", "too many requests, or too many wrong tokens"),
            (
                "500",
                "the server failed, which is no fault of who asks; its log says why",
            ),
            ("503", "the answer took too long"),
        ];
        all.into_iter()
            .flat_map(|(status, description)| refused(status, description))
            .collect()
    }
}

/// What whoever sends a body can be refused with besides.
pub(super) struct Upload;

impl IntoResponses for Upload {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = refused("408", "the body took too long");
        all.extend(refused("413", "the body is larger than 4 MiB"));
        all
    }
}

fn refused(status: &str, description: &str) -> BTreeMap<String, RefOr<Response>> {
    let schema = Ref::from_schema_name(Problem::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build();
    BTreeMap::from([(status.to_owned(), response.into())])
}
