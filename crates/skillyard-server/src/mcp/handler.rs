//! What MCP asks, and who answers it.

#![expect(deprecated, reason = "clients of older revisions want to be logged to")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ResourceTemplate, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use skillyard_agent::message::CallOutcome;

use super::caller::{Caller, Connection};
use super::introduction::introduction;
use super::notifications::Subscriptions;
use super::skills::{Asked, invalid};
use super::{directory, notifications, prompts, run, skills, tools, upstream_tools};
use crate::catalog_cache::edition::{Edition, LIFETIME};
use crate::problem::Problem;
use crate::script;
use crate::server::Server;
use crate::telemetry::CallTrace;
use crate::tool::Tool;

/// The methods of the protocol that are answered here.
const OWN: [&str; 11] = [
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "tools/call",
    "tools/list",
];

/// Answers one connection.
#[derive(Clone)]
pub(crate) struct Handler {
    server: Arc<Server>,
    connection: Arc<Connection>,
    subscriptions: Arc<Subscriptions>,
    /// Whether the client is being told of changes.
    tells: Arc<AtomicBool>,
    /// Whether the client wants to hear of warnings.
    warns: Arc<AtomicBool>,
}

impl Handler {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self {
            connection: Arc::new(Connection::new(Arc::clone(&server))),
            subscriptions: Arc::default(),
            tells: Arc::default(),
            warns: Arc::default(),
            server,
        }
    }

    fn edition(&self) -> Arc<Edition> {
        self.server.editions.current(&self.server.catalog)
    }

    /// Reading and hashing many files takes a while, so it is done elsewhere.
    async fn elsewhere<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Server, &Edition) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (server, edition) = (Arc::clone(&self.server), self.edition());
        let done = tokio::task::spawn_blocking(move || work(&server, &edition)).await;
        done.unwrap_or_else(|error| {
            let problem = Problem::from(error);
            self.server.log_trouble("MCP", &problem);
            Err(ErrorData::internal_error(problem.detail().to_owned(), None))
        })
    }
}

/// How a call ended that gave this answer, or none.
fn outcome(answer: Option<&CallToolResponse>) -> CallOutcome {
    match answer {
        Some(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
            CallOutcome::Failed
        }
        Some(_) => CallOutcome::Ok,
        None => CallOutcome::Failed,
    }
}

fn milliseconds() -> u64 {
    u64::try_from(LIFETIME.as_millis()).unwrap_or_default()
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        introduction(&self.server)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.elsewhere(|server, _| Ok(tools::list(server))).await?;
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(milliseconds())
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&self.connection, &context);
        let watched = |request: &CallToolRequestParams| {
            let input = request.arguments.clone().unwrap_or_default();
            CallTrace::begin(&self.server, &request.name, &input, caller.parent.as_ref())
        };
        if script::is_named(&request.name) && script::is_offered(&self.server) {
            let watched = watched(&request);
            let answer = run::call(&self.server, request, caller, context).await;
            watched.end(&self.server, outcome(answer.as_ref().ok()));
            return answer;
        }
        if let Some(tool) = upstream_tools::known_as(&self.server, &request.name) {
            let watched = watched(&request);
            let peer = context.peer.clone();
            let answer = upstream_tools::call(&self.server, tool, request, caller, context).await?;
            watched.end(&self.server, outcome(Some(&answer)));
            if self.warns.load(Ordering::Relaxed) {
                notifications::warn(&peer, &answer).await;
            }
            return Ok(answer);
        }
        let tool = Tool::of(&request.name)
            .ok_or_else(|| invalid(format!("there is no tool `{}`", request.name)))?;
        let input = request.arguments.unwrap_or_default();
        let answer = self.elsewhere(move |server, _| Ok(tools::call(server, tool, input, &caller)));
        Ok(answer.await?.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let edition = self.edition();
        let ttl = u64::try_from(edition.tell().as_millis()).unwrap_or_default();
        let (prompts, next) = prompts::list(&edition, cursor.as_deref())?;
        let mut result = ListPromptsResult::with_all_items(prompts)
            .with_ttl_ms(ttl)
            .with_cache_scope(CacheScope::Private);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let caller = Caller::of(&self.connection, &context);
        let got = self.elsewhere(move |server, _| {
            prompts::get(server, &request.name, request.arguments.as_ref(), &caller)
        });
        Ok(got.await?.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let edition = self.edition();
        let ttl = u64::try_from(edition.tell().as_millis()).unwrap_or_default();
        let (resources, next) = skills::resources(&edition, cursor.as_deref())?;
        let mut result = ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(ttl)
            .with_cache_scope(CacheScope::Private);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("skill://{name}/{+path}", "skill file")
            .with_description("A file of a skill");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template])
            .with_ttl_ms(milliseconds())
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = Caller::of(&self.connection, &context);
        let read = self
            .elsewhere(move |server, edition| skills::read(server, edition, &request.uri, &caller));
        Ok(read.await?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let caller = Caller::of(&self.connection, &context);
        let answered = self.elsewhere(move |server, edition| {
            let asked = Asked(request.params.as_ref());
            match request.method.as_str() {
                "skills/list" => skills::list(server, edition, &asked),
                "skills/get" => skills::get(server, edition, &asked, &caller),
                "resources/directory/read" => directory::read(server, edition, &asked, &caller),
                // It came here because its parameters are not those of the method.
                method if OWN.contains(&method) => Err(invalid(format!(
                    "the parameters of `{method}` cannot be understood"
                ))),
                method => {
                    let text = format!("there is no method `{method}`");
                    Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
                }
            }
        });
        Ok(CustomResult::new(answered.await?))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Nothing is logged to clients but what the guard forbids, and that to those who ask.
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let only_worse = matches!(
            request.level,
            LoggingLevel::Error
                | LoggingLevel::Critical
                | LoggingLevel::Alert
                | LoggingLevel::Emergency
        );
        self.warns.store(!only_worse, Ordering::Relaxed);
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let files = Arc::clone(&self.subscriptions);
        let added = self.elsewhere(move |server, _| Ok(files.add(server, &request.uri)));
        if added.await? {
            Ok(())
        } else {
            Err(invalid("there are too many subscriptions"))
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        notifications::listen(&self.server, &context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // Whoever says this again is told once all the same.
        if self.tells.swap(true, Ordering::Relaxed) {
            return;
        }
        let (server, files) = (Arc::clone(&self.server), Arc::clone(&self.subscriptions));
        let (peer, mut end) = (context.peer.clone(), self.connection.end());
        tokio::spawn(async move {
            tokio::select! {
                _ = end.changed() => {}
                () = notifications::tell(&server, &files, &peer) => {}
            }
        });
    }
}
