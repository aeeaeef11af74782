//! What MCP asks, and who answers it.

use std::fmt::Write as _;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    ExtensionCapabilities, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ResourceTemplate,
    ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;

use super::edition::{Edition, LIFETIME};
use super::skills::{Asked, invalid};
use super::{directory, prompts, skills, tools};
use crate::server::Server;
use crate::tool::Tool;

/// The extension's name.
const SKILLS: &str = "io.modelcontextprotocol/skills";
/// How many skills the instructions name.
const MOST_NAMES: usize = 40;

/// Answers one connection.
#[derive(Clone)]
pub(crate) struct Handler {
    server: Arc<Server>,
}

impl Handler {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self { server }
    }

    fn edition(&self) -> Arc<Edition> {
        self.server.editions.current(&self.server.shelf)
    }

    /// Reading and hashing many files takes a while, so it is done elsewhere.
    async fn elsewhere<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Server, &Edition) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (server, edition) = (Arc::clone(&self.server), self.edition());
        let done = tokio::task::spawn_blocking(move || work(&server, &edition)).await;
        done.unwrap_or_else(|_| Err(ErrorData::internal_error("the server failed at this", None)))
    }

    /// Waits for the next change that hosts are shown.
    async fn changed(&self, changes: &mut tokio::sync::watch::Receiver<String>) -> bool {
        if changes.changed().await.is_err() {
            return false;
        }
        // What was listed stays for a moment; who lists again then gets the new state.
        if let Some(rest) = self.server.editions.lasts() {
            tokio::time::sleep(rest).await;
        }
        true
    }

    fn instructions(&self) -> String {
        let stock = self.server.shelf.stock();
        let choosable = stock.choosable();
        let names = choosable.iter().take(MOST_NAMES);
        let names: Vec<&str> = names.map(|skill| skill.record.name.as_str()).collect();
        let more = choosable.len().saturating_sub(names.len());
        let mut text = format!(
            "Skills are instructions for kinds of tasks. When a task fits one, call `skill_load` \
             with its name before you start, and fetch its other files with `skill_read` as they \
             are needed. Skills here: {}",
            names.join(", ")
        );
        if more > 0 {
            let _ = write!(text, ", and {more} more that `skill_search` finds");
        }
        text.push('.');
        text
    }
}

fn milliseconds() -> u64 {
    u64::try_from(LIFETIME.as_millis()).unwrap_or_default()
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut extensions = ExtensionCapabilities::new();
        let settings = json!({ "directoryRead": true });
        extensions.insert(
            SKILLS.into(),
            settings.as_object().cloned().unwrap_or_default(),
        );
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_extensions_with(extensions)
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("skillyard", self.server.version))
            .with_instructions(self.instructions())
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
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = Tool::of(&request.name)
            .ok_or_else(|| invalid(format!("there is no tool `{}`", request.name)))?;
        let input = request.arguments.unwrap_or_default();
        let called = self.elsewhere(move |server, _| Ok(tools::call(server, tool, input)));
        Ok(called.await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(
            ListPromptsResult::with_all_items(prompts::list(&self.server))
                .with_ttl_ms(milliseconds())
                .with_cache_scope(CacheScope::Private),
        )
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let got = self.elsewhere(move |server, _| {
            prompts::get(server, &request.name, request.arguments.as_ref())
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
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.elsewhere(move |_, edition| skills::read(edition, &request.uri));
        Ok(read.await?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let answered = self.elsewhere(move |_, edition| {
            let asked = Asked(request.params.as_ref());
            match request.method.as_str() {
                "skills/list" => skills::list(edition, &asked),
                "skills/get" => skills::get(edition, &asked),
                "resources/directory/read" => directory::read(edition, &asked),
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

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.server.shelf.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                goes_on = self.changed(&mut changes) => {
                    let sink = context.sink();
                    // A host that did not ask for a kind of change is not told of it.
                    let _ = sink.notify_tool_list_changed().await;
                    let _ = sink.notify_prompt_list_changed().await;
                    let _ = sink.notify_resource_list_changed().await;
                    if !goes_on {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let handler = self.clone();
        tokio::spawn(async move { handler.tell_changes(context.peer).await });
    }
}

impl Handler {
    /// Tells a connection with a session of changes until it ends.
    async fn tell_changes(&self, peer: Peer<RoleServer>) {
        let mut changes = self.server.shelf.changes();
        while self.changed(&mut changes).await {
            let told = peer.notify_tool_list_changed().await.is_ok()
                && peer.notify_prompt_list_changed().await.is_ok()
                && peer.notify_resource_list_changed().await.is_ok();
            if !told {
                return;
            }
        }
    }
}
