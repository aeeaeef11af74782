//! The document that says what the registry can do, made from the code that does it.

use axum::Json;
use axum::extract::State;
use skillyard_http::headers::{BEARER_NAME, bearer_scheme};
use utoipa::openapi::ServerBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Content, Paths, Ref, RefOr, Response, ResponseBuilder, path::ParameterIn};
use utoipa::{Modify, OpenApi};

use crate::endpoints::{
    apm, curation, dist_tags, download, health, index, list, log, marketplace, namespaces, owners,
    publish, show, tokens, transfers, well_known,
};
use crate::extract::PublicUrl;
use crate::extract::is_free;
use crate::pages::{self, compare, file, home, login, owner, skill};
use crate::problem::Problem;
use crate::server::base_path;
use crate::server::{ReadAccess, Server};

#[derive(OpenApi)]
#[openapi(
    info(title = "Skillyard registry", description = "Publish, find and fetch Agent Skills"),
    paths(
        list::list,
        show::show,
        download::latest,
        download::version,
        download::archive,
        download::zip,
        index::index,
        log::checkpoint,
        log::entries,
        log::inclusion,
        log::consistency,
        log::consistency_path,
        index::changes,
        well_known::archives,
        well_known::files,
        well_known::file,
        well_known::archives_in,
        well_known::files_in,
        well_known::file_in,
        marketplace::marketplace,
        marketplace::marketplace_in,
        apm::versions,
        apm::publish,
        apm::download,
        apm::search,
        publish::publish,
        curation::yank,
        curation::restore,
        curation::deprecate,
        curation::undeprecate,
        owners::list,
        owners::add,
        owners::remove,
        dist_tags::list,
        dist_tags::put,
        dist_tags::delete,
        transfers::list,
        transfers::offer_skill,
        transfers::accept_skill,
        transfers::decline_skill,
        transfers::offer_namespace,
        transfers::accept_namespace,
        transfers::decline_namespace,
        namespaces::show,
        namespaces::create,
        namespaces::add,
        namespaces::remove,
        tokens::list,
        tokens::create,
        tokens::revoke,
        tokens::me,
        health::health,
        health::ready,
        document,
        home::home,
        skill::skill,
        file::file,
        compare::compare,
        owner::owner,
        login::show,
        login::login,
        login::logout,
        pages::asset,
    ),
    components(schemas(Problem, marketplace::Plugin, well_known::ArchiveEntry, well_known::FileEntry)),
    modifiers(&Usual)
)]
struct ApiDocument;

/// Read this document
#[utoipa::path(get, path = "/openapi.json", tag = "registry",
    responses((status = 200, description = "an OpenAPI 3.1 document", content_type = "application/json")))]
pub(crate) async fn document(
    State(server): State<Server>,
    PublicUrl(url): PublicUrl,
) -> Json<utoipa::openapi::OpenApi> {
    let mut document = ApiDocument::openapi();
    if server.settings.access == ReadAccess::Private {
        close(&mut document.paths);
    }
    // Paths stand below where this document was found.
    let below = base_path(&url);
    let root = if below.is_empty() { "/" } else { &below };
    document.servers = Some(vec![ServerBuilder::new().url(root).build()]);
    Json(document)
}

/// What is read without a token elsewhere needs one here.
fn close(paths: &mut Paths) {
    let closed = paths.paths.iter_mut().filter(|(path, _)| !is_free(path));
    for operation in closed.filter_map(|(_, item)| item.get.as_mut()) {
        let needed = SecurityRequirement::new(BEARER_NAME, Vec::<String>::new());
        operation.security.get_or_insert_with(|| vec![needed]);
        let usual = || RefOr::Ref(Ref::from_response_name("Problem"));
        let responses = &mut operation.responses.responses;
        responses.entry("401".to_owned()).or_insert_with(usual);
        let login = ResponseBuilder::new().description("to the login, for a browser without one");
        responses.insert("303".to_owned(), login.build().into());
    }
}

/// What holds for every route and therefore stands at none: tokens, tags, and how things go wrong.
struct Usual;

impl Modify for Usual {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let scheme = bearer_scheme("a token that begins with `sky_`");
        components.add_security_scheme(BEARER_NAME, scheme);
        components
            .responses
            .insert("Problem".to_owned(), problem().into());
        for (id, operation) in operations(&mut document.paths) {
            operation.operation_id = Some(id);
            complete(operation);
        }
    }
}

/// Every operation, with a name that no other has: its method and its path.
fn operations(paths: &mut Paths) -> impl Iterator<Item = (String, &mut Operation)> {
    paths.paths.iter_mut().flat_map(|(path, item)| {
        let words = path.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let words = words.join("_");
        [
            ("get", &mut item.get),
            ("put", &mut item.put),
            ("post", &mut item.post),
            ("delete", &mut item.delete),
        ]
        .into_iter()
        .filter_map(move |(method, operation)| {
            let id = format!("{method}_{words}").trim_end_matches('_').to_owned();
            Some((id, operation.as_mut()?))
        })
    })
}

fn problem() -> Response {
    let schema = Ref::from_schema_name("Problem");
    ResponseBuilder::new()
        .description("why there is no answer, as RFC 9457 has it")
        .content("application/problem+json", Content::new(Some(schema)))
        .build()
}

fn complete(operation: &mut Operation) {
    let parameters = operation.parameters.as_deref().unwrap_or_default();
    let has = |place: ParameterIn| {
        let is = |each: &RefOr<utoipa::openapi::path::Parameter>| match each {
            RefOr::T(parameter) => parameter.parameter_in == place,
            RefOr::Ref(_) => false,
        };
        parameters.iter().any(is)
    };
    let mut statuses = vec!["403", "405", "408", "429", "503"];
    if has(ParameterIn::Path) || parameters.is_empty() {
        statuses.push("404");
    }
    if !parameters.is_empty() || operation.request_body.is_some() {
        statuses.push("400");
    }
    if operation.security.is_some() {
        statuses.extend(["401", "409", "422"]);
    }
    let responses = &mut operation.responses.responses;
    for status in statuses {
        let usual = || RefOr::Ref(Ref::from_response_name("Problem"));
        responses.entry(status.to_owned()).or_insert_with(usual);
    }
    if operation.security.is_none() && operation.request_body.is_none() {
        let unchanged =
            ResponseBuilder::new().description("not changed since the tag in `If-None-Match`");
        responses.insert("304".to_owned(), unchanged.build().into());
    }
}
