//! Clients of MCP over HTTP, one for each generation of the protocol.

use axum::body::BodyDataStream;
use axum::response::Response;
use serde_json::{Value, json};
use tokio_stream::StreamExt as _;

use crate::context::{Answer, TestServer};

/// What every request of MCP says of itself.
const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

/// A client of the stateless protocol.
pub(crate) struct Modern<'a> {
    server: &'a TestServer,
    token: String,
    name: String,
    capabilities: Value,
}

impl<'a> Modern<'a> {
    pub(crate) fn new(server: &'a TestServer) -> Self {
        Self {
            server,
            token: String::new(),
            name: "test".into(),
            capabilities: json!({}),
        }
    }

    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = format!("Bearer {token}");
        self
    }

    pub(crate) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// One that can ask its user.
    pub(crate) fn asking(mut self) -> Self {
        self.capabilities = json!({ "elicitation": {} });
        self
    }

    pub(crate) async fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": self.name, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut headers = HEADERS.to_vec();
        headers.extend([
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ]);
        let named = params["name"].as_str().or(params["uri"].as_str());
        headers.extend(named.map(|name| ("mcp-name", name)));
        if !self.token.is_empty() {
            headers.push(("authorization", &self.token));
        }
        message(
            &self
                .server
                .ask("POST", "/mcp", &headers, body.to_string())
                .await,
        )
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask("tools/call", params).await
    }
}

/// A connection of the older protocol.
pub(crate) struct Legacy<'a> {
    server: &'a TestServer,
    token: String,
    pub(crate) session: String,
}

impl<'a> Legacy<'a> {
    pub(crate) async fn open(server: &'a TestServer, version: &str) -> (Self, Value) {
        let opened = Self::try_open(server, version, "", &json!({})).await;
        opened.unwrap_or_else(|answer| panic!("{}: {}", answer.status, answer.text))
    }

    /// Opens a connection with a token, if there is room for one.
    pub(crate) async fn try_open(
        server: &'a TestServer,
        version: &str,
        token: &str,
        capabilities: &Value,
    ) -> Result<(Self, Value), Answer> {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "t", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let mut legacy = Self {
            server,
            token: format!("Bearer {token}"),
            session: String::new(),
        };
        let answer = legacy.send(&body).await;
        let Some(session) = answer.headers.get("mcp-session-id") else {
            return Err(answer);
        };
        session.to_str().unwrap().clone_into(&mut legacy.session);
        let hello = message(&answer);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(legacy.send(&ready).await.status, 202);
        Ok((legacy, hello))
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = HEADERS.to_vec();
        if self.token != "Bearer " {
            headers.push(("authorization", &self.token));
        }
        if !self.session.is_empty() {
            headers.push(("mcp-session-id", &self.session));
        }
        headers
    }

    /// Sends a message and waits for the end of the answer.
    pub(crate) async fn send(&self, body: &Value) -> Answer {
        let headers = self.headers();
        let body = body.to_string();
        self.server.ask("POST", "/mcp", &headers, body).await
    }

    /// The messages of an answer, as they come.
    pub(crate) async fn follow(&self, method: &str, body: &Value) -> Messages {
        let body = match method {
            "GET" => String::new(),
            _ => body.to_string(),
        };
        Messages::of(
            self.server
                .open(method, "/mcp", &self.headers(), body)
                .await,
        )
    }

    /// The messages behind the one with this id.
    pub(crate) async fn resume(&self, last: &str) -> Messages {
        let mut headers = self.headers();
        headers.push(("last-event-id", last));
        Messages::of(self.server.open("GET", "/mcp", &headers, "").await)
    }

    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        message(&self.send(&body).await)
    }
}

/// Messages of a stream.
pub(crate) struct Messages {
    pieces: BodyDataStream,
    text: String,
    last: String,
}

impl Messages {
    fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        Self {
            pieces: response.into_body().into_data_stream(),
            text: String::new(),
            last: String::new(),
        }
    }

    /// The id of the last message that was taken.
    pub(crate) fn last_id(&self) -> String {
        let mut rest = self.text.lines().take_while(|line| !line.is_empty());
        let own = rest.find_map(|line| line.strip_prefix("id:"));
        own.unwrap_or(&self.last).trim().to_owned()
    }

    /// What comes until the stream ends.
    pub(crate) async fn rest(mut self) -> String {
        while let Some(piece) = self.pieces.next().await {
            let piece = piece.unwrap();
            self.text.push_str(std::str::from_utf8(&piece).unwrap());
        }
        self.text
    }

    /// The next one.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            while let Some((line, rest)) = self.text.split_once('\n') {
                if let Some(id) = line.strip_prefix("id:") {
                    id.trim().clone_into(&mut self.last);
                }
                let data = line.strip_prefix("data:").map(str::trim);
                let found = data.and_then(|data| serde_json::from_str(data).ok());
                let rest = rest.to_owned();
                self.text = rest;
                if let Some(found) = found {
                    return found;
                }
            }
            let piece = self.pieces.next().await.unwrap().unwrap();
            self.text.push_str(std::str::from_utf8(&piece).unwrap());
        }
    }
}

/// The text of what a tool gave.
pub(crate) fn text(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_default()
}

/// The one message of an answer, whether it is JSON or a stream.
fn message(answer: &Answer) -> Value {
    let lines = answer.text.lines();
    let mut data = lines.filter_map(|line| line.strip_prefix("data:").map(str::trim));
    let data = data.rfind(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or(&answer.text))
        .unwrap_or_else(|_| panic!("{}: {}", answer.status, answer.text))
}
