//! Checks that every request passes: rate, `Host`, `Origin`, token, forged changes, time limits.
//!
//! They are one middleware, so no handler can forget one of them.

mod refusal;
mod revocable_stream;
mod upload;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse as _;
use axum::response::Response;
use http_body_util::BodyExt as _;
use http_body_util::Limited;
use skillyard_agent::trace_context::TraceParent;
use skillyard_http::cause::catch_panic;
use skillyard_http::headers::POLICY;
use skillyard_http::login::{FIELD, HEADER};
use skillyard_http::mount::Admitted;
use skillyard_http::origin;
use skillyard_http::origin::Sender;

use self::refusal::{Refusal, explain, login, no_token, page_before, reads_pages, unknown};
use self::upload::Waiting;
use crate::access::{Access, COOKIE, Extras, Holder, Peer, Role, SessionOwner, Visitor};
use crate::log::LogLine;
use crate::mounted_registry::{Readers, has_registry_token, is_registry};
use crate::path_redactor::PathRedactor;
use crate::problem::{Problem, too_large};
use crate::server::Server;
use crate::telemetry::parent_of;
use crate::view::Viewer;
use crate::web::{NoPage, elsewhere};
use crate::{log, script, web};

/// The largest body of a request.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The largest form: the longest instructions of an agent, in letters that take nine bytes each.
const MAX_FORM_BYTES: usize = 256 * 1024;
/// How long an answer may take to begin.
const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);

/// Lets a request pass, or says why not.
pub(crate) async fn gate(
    State(server): State<Arc<Server>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let method = request.method().clone();
    let trace = parent_of(request.headers());
    let start = Instant::now();
    // Programs that ask for anything are told in JSON.
    let reads_pages = reads_pages(request.headers()) && !path.starts_with("/api/");
    let waiting = Waiting::default();
    let request = request.map(|body| waiting.watch(body));
    let mut admitted = std::pin::pin!(catch_panic(admit(&server, request, next)));
    let answer = match tokio::time::timeout(RESPONSE_TIMEOUT, &mut admitted).await {
        Err(_) if has_own_limit(&path) && !waiting.for_client() => Ok(admitted.await),
        answer => answer,
    };
    let response = match answer {
        // Not everybody behind us says why a body could not be read.
        Ok(Ok(Ok(response)))
            if response.status().is_server_error() && waiting.bytes() > MAX_BYTES =>
        {
            too_large().into_response()
        }
        Ok(Ok(Ok(response))) => response,
        Ok(Ok(Err(refusal))) => refusal.told(reads_pages),
        Ok(Err(cause)) => Refusal::from(Problem::from(cause)).told(reads_pages),
        Err(_) if waiting.for_client() => {
            let text = "the body of the request took too long";
            Problem::new(StatusCode::REQUEST_TIMEOUT, text).into_response()
        }
        Err(_) => Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the answer took too long")
            .into_response(),
    };
    server.metrics.request(&method, &path, response.status());
    let role = response
        .extensions()
        .get::<Role>()
        .map(|role| role.as_str());
    server.host.log(&LogLine::Request {
        method: method.as_str(),
        path: &path,
        status: response.status().as_u16(),
        milliseconds: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        role,
        trace: trace.as_ref().map(TraceParent::trace),
    });
    if let Some(cause) = log::cause(&response) {
        let what = &format!("{method} {path}");
        server.host.log(&LogLine::Failure { what, cause });
    }
    with_policy(response)
}

/// Whether what is asked for takes as long as the configuration lets it: a script, a call of another
/// server's tool, what is fetched for an installation.
fn has_own_limit(path: &str) -> bool {
    let tool = path.strip_prefix("/api/v1/tools/");
    tool.is_some_and(script::is_named) || matches!(path, "/mcp" | "/api/v1/install")
}

async fn admit(server: &Arc<Server>, request: Request, next: Next) -> Result<Response, Refusal> {
    let refuse = Refusal::new;
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip());
    let peer = server.proxy.address(peer, request.headers());
    if let Some(address) = peer
        && !address.is_loopback()
        && !server.rate.take(address)
    {
        return Err(refuse(StatusCode::TOO_MANY_REQUESTS, "too many requests"));
    }
    let loopback_only = matches!(server.access(), Access::Loopback);
    let authority = request.uri().authority().map(|it| it.as_str().to_owned());
    let sender = origin::check(request.headers(), authority.as_deref(), loopback_only)
        .map_err(|foreign| refuse(StatusCode::FORBIDDEN, explain(foreign)))?;
    if let Some(registry) = &server.registry
        && is_registry(request.uri().path())
    {
        let readers = registry.readers;
        return to_registry(server, readers, peer, request, next).await;
    }
    let identity = identify(server, request.headers(), peer)
        .map_err(|status| refuse(status, "too many wrong tokens"))?;
    let request = limited(request)?;
    let path = request.uri().path();
    let open =
        matches!(path, "/healthz" | "/login" | "/favicon.ico") || path.starts_with("/assets/");
    let Some(holder) = identity.holder else {
        if !open {
            return Err(unknown(&request).into());
        }
        return Ok(next.run(request).await);
    };
    let changes = !matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    // A bearer token is sent by no browser of itself; MCP speaks JSON, which a form cannot.
    let exempt = identity.by == By::Bearer || path == "/mcp" || path == "/login";
    let mut request = if changes && sender == Sender::Browser && !exempt {
        unforged(server, request, &identity.session).await?
    } else {
        request
    };
    let (role, visitor) = (holder.role, holder.clone());
    let login = (identity.by == By::Cookie).then(|| server.logins.ended(&identity.session));
    request.extensions_mut().insert(Visitor {
        session_owner: match role {
            Role::Admin => SessionOwner::All,
            _ => SessionOwner::Token(holder.name.clone()),
        },
        holder,
        csrf: server.forgery.value(&identity.session),
        logged_in: identity.by == By::Cookie,
        extras: Extras {
            agents: server.chats.agents().is_ok(),
            registry: server.registry.is_some(),
        },
    });
    let mut response = redacted(server, role, next.run(request).await).await;
    response.extensions_mut().insert(role);
    let login = async move {
        match login {
            Some(ended) => ended.await,
            None => std::future::pending().await,
        }
    };
    Ok(revocable_stream::until_revoked(
        response,
        visitor,
        server.accesses(),
        login,
    ))
}

/// The response without paths of this machine, unless an admin reads it: problems may name them.
async fn redacted(server: &Arc<Server>, role: Role, mut response: Response) -> Response {
    let extensions = response.extensions_mut();
    let (problem, page) = (
        extensions.remove::<Problem>(),
        extensions.remove::<NoPage>(),
    );
    if role == Role::Admin || (problem.is_none() && page.is_none()) {
        return response;
    }
    let server = Arc::clone(server);
    let body = elsewhere(move || {
        let viewer = Viewer::new(role, &server);
        let redactor: &PathRedactor = viewer.redactor();
        let redacted = match (page, problem) {
            (Some(page), _) => page.redacted(redactor).into_response(),
            (None, Some(problem)) => problem.redacted(redactor).into_response(),
            (None, None) => Response::default(),
        };
        redacted.into_body()
    })
    .await;
    response.headers_mut().remove(CONTENT_LENGTH);
    // If redaction fails, the body stays empty.
    *response.body_mut() = body.unwrap_or_default();
    response
}

/// Passes a request on to the registry, which asks for tokens of its own where it is changed.
async fn to_registry(
    server: &Server,
    readers: Readers,
    peer: Option<IpAddr>,
    mut request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    if readers == Readers::Everybody || has_registry_token(request.headers()) {
        return Ok(next.run(request).await);
    }
    let identity = identify(server, request.headers(), peer)
        .map_err(|status| Refusal::new(status, "too many wrong tokens"))?;
    if identity.holder.is_none() {
        let reads_pages = reads_pages(request.headers());
        let answer = if reads_pages {
            login(&request)
        } else {
            no_token()
        };
        return Err(answer.into());
    }
    request.extensions_mut().insert(Admitted);
    Ok(next.run(request).await)
}

/// The request, with a body that ends.
fn limited(request: Request) -> Result<Request, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > MAX_BYTES) {
        return Err(too_large());
    }
    Ok(request.map(|body| Body::new(Limited::new(body, MAX_BYTES))))
}

/// The answer to a form without end.
fn too_long(before: Option<String>) -> Refusal {
    let text = "the form is larger than 256 KiB; your browser's way back leads to what you wrote";
    Refusal::Problem(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text), before)
}

/// The request, if it carries the value that only our pages know.
async fn unforged(server: &Server, request: Request, session: &str) -> Result<Request, Refusal> {
    // Loading the answer again would only send the same form again.
    let before = page_before(request.headers());
    let forged = || {
        let text = "the page is too old; load it again, then repeat this";
        let problem = Problem::new(StatusCode::FORBIDDEN, text);
        Refusal::Problem(problem, before.clone())
    };
    let header = request.headers().get(HEADER);
    if let Some(value) = header.and_then(|value| value.to_str().ok()) {
        let ours = server.forgery.is_ours(session, value);
        return if ours { Ok(request) } else { Err(forged()) };
    }
    let kind = request.headers().get(CONTENT_TYPE);
    let is_form = kind.is_some_and(|kind| {
        kind.as_bytes()
            .starts_with(b"application/x-www-form-urlencoded")
    });
    if !is_form {
        return Err(forged());
    }
    let (parts, body) = request.into_parts();
    let body = Limited::new(body, MAX_FORM_BYTES).collect().await;
    let bytes = body.map_err(|_| too_long(before.clone()))?.to_bytes();
    let mut fields = form_urlencoded::parse(&bytes);
    let value = fields.find(|(key, _)| key == FIELD);
    match value {
        Some((_, value)) if server.forgery.is_ours(session, &value) => {
            Ok(Request::from_parts(parts, Body::from(bytes.clone())))
        }
        _ => Err(forged()),
    }
}

/// Lets only admins pass.
pub(crate) async fn admins(request: Request, next: Next) -> Response {
    at_least(Role::Admin, request, next).await
}

/// Lets those pass who may talk.
pub(crate) async fn talkers(request: Request, next: Next) -> Response {
    at_least(Role::Chat, request, next).await
}

async fn at_least(role: Role, request: Request, next: Next) -> Response {
    let visitor = request.extensions().get::<Visitor>();
    if visitor.is_some_and(|visitor| visitor.holder.role >= role) {
        return next.run(request).await;
    }
    let text = format!("this needs a token with the role `{}`", role.as_str());
    let problem = Problem::new(StatusCode::FORBIDDEN, text);
    if reads_pages(request.headers()) {
        web::refused(request, problem).await
    } else {
        problem.into_response()
    }
}

/// How somebody showed who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Place,
    Bearer,
    Cookie,
}

/// Who asks, as far as they showed it.
struct Authentication {
    /// Who they are; nobody known without one.
    holder: Option<Holder>,
    /// How they showed it.
    by: By,
    /// The session that their cookie names.
    session: String,
}

/// Finds out who asks; refuses those who guess.
fn identify(
    server: &Server,
    headers: &HeaderMap,
    peer: Option<IpAddr>,
) -> Result<Authentication, StatusCode> {
    let tokens = match server.access() {
        Access::Loopback => {
            return Ok(Authentication {
                holder: Some(Holder::user()),
                by: By::Place,
                session: String::new(),
            });
        }
        Access::Tokens(tokens) => tokens,
    };
    let authorization = headers.get(AUTHORIZATION);
    if let Some(value) = authorization.and_then(|value| value.to_str().ok()) {
        let token = match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
            _ => "",
        };
        let holder = tokens.holder(token);
        // Right tokens cost nothing, so that only guessing is slowed down.
        if holder.is_none() && peer.is_some_and(|peer| !server.guesses.take(peer)) {
            return Err(StatusCode::TOO_MANY_REQUESTS);
        }
        return Ok(Authentication {
            holder,
            by: By::Bearer,
            session: String::new(),
        });
    }
    let value = COOKIE.value(headers).unwrap_or_default();
    Ok(Authentication {
        holder: server.logins.holder(&tokens, value),
        by: By::Cookie,
        session: value.to_owned(),
    })
}

/// The answer with its policy.
fn with_policy(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(X_FRAME_OPTIONS, "DENY");
    // Without any, browsers would send forms of ours without their origin.
    set(REFERRER_POLICY, "same-origin");
    set(CACHE_CONTROL, "no-store");
    let same_origin = HeaderName::from_static("cross-origin-opener-policy");
    set(same_origin, "same-origin");
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    set(resource, "same-origin");
    response
}
