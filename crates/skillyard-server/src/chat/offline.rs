//! Answers without a model: it activates what `/name` says or what fits best, and reads the files
//! that the instructions link to. It never pretends to understand.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use skillyard_format::Document;
use skillyard_format::links::{relative_links, resolve};

use super::{ChatEvent, Listener};
use crate::activation::Asker;
use crate::contents::Contents;
use crate::problem::Problem;
use crate::server::Server;
use crate::shelf::Stock;
use crate::tool::Tool;

/// How many linked files of a skill are read.
const MOST_FILES: usize = 3;
/// How many skills one message activates.
const MOST_SKILLS: usize = 5;
/// How many skills are proposed.
const MOST_HITS: usize = 5;

const PLAIN: &str = "There is no model here, so nobody carries the instructions out.";

/// Takes a turn.
pub(super) fn say(
    server: &Server,
    session: &str,
    message: &str,
    listener: &dyn Listener,
) -> Result<(), Problem> {
    let mut turn = Turn {
        server,
        session,
        listener,
        calls: 0,
    };
    let (names, rest) = invoked(message);
    if names.is_empty() {
        return turn.search(message);
    }
    let mut text = String::new();
    for name in names.into_iter().take(MOST_SKILLS) {
        if listener.is_stopped() {
            break;
        }
        text.push_str(&turn.activate(name, rest));
    }
    text.push_str(PLAIN);
    listener.tell(ChatEvent::Text { text });
    Ok(())
}

/// The skills that a message begins with, as in `/a /b do it`, and what is left of it.
fn invoked(message: &str) -> (Vec<&str>, &str) {
    let mut names = Vec::new();
    let mut rest = message.trim();
    while let Some(behind) = rest.strip_prefix(['/', '$']) {
        let end = behind.find(char::is_whitespace).unwrap_or(behind.len());
        let (name, left) = behind.split_at(end);
        if name.is_empty() {
            break;
        }
        names.push(name);
        rest = left.trim_start();
    }
    (names, rest)
}

struct Turn<'a> {
    server: &'a Server,
    session: &'a str,
    listener: &'a dyn Listener,
    calls: usize,
}

impl Turn<'_> {
    /// Shows what fits and activates the best.
    fn search(&mut self, message: &str) -> Result<(), Problem> {
        let input = json!({ "query": message, "limit": MOST_HITS });
        let found = self.call(Tool::Search, &input)?;
        let results: Value = serde_json::from_str(&found).unwrap_or_default();
        let names = results["results"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(|hit| hit["name"].as_str()).collect();
        let mut text = String::new();
        match names.split_first() {
            None => text.push_str("No skill fits. Type `/` to see those that are here. "),
            Some((best, others)) => {
                text.push_str(&self.activate(best, message));
                if !others.is_empty() {
                    let _ = writeln!(text, "Others that may fit: {}.", others.join(", "));
                }
            }
        }
        text.push_str(PLAIN);
        self.listener.tell(ChatEvent::Text { text });
        Ok(())
    }

    /// Activates a skill and reads what its instructions link to; says in a line what came of it.
    fn activate(&mut self, name: &str, arguments: &str) -> String {
        let input = json!({ "name": name, "arguments": arguments });
        if let Err(problem) = self.call(Tool::Load, &input) {
            return format!("{}\n", problem.detail());
        }
        let stock = self.server.shelf.stock();
        let files = linked(&stock, name);
        let mut read = 0;
        for path in files.iter().take(MOST_FILES) {
            let input = json!({ "name": name, "path": path });
            read += usize::from(self.call(Tool::Read, &input).is_ok());
        }
        match read {
            0 => format!("`{name}` is active; its instructions are above.\n"),
            1 => format!("`{name}` is active, and a file that it links to was read.\n"),
            read => format!("`{name}` is active, and {read} files that it links to were read.\n"),
        }
    }

    /// Calls a tool for everybody to see.
    fn call(&mut self, tool: Tool, input: &Value) -> Result<String, Problem> {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        self.listener.tell(ChatEvent::ToolCall {
            id: id.clone(),
            name: tool.name().to_owned(),
            input: input.clone(),
        });
        let fields: Map<String, Value> = input.as_object().cloned().unwrap_or_default();
        let asker = Asker {
            session: Some(self.session),
            trigger: "chat",
            ..Asker::default()
        };
        let called = self.server.call(tool, fields, asker);
        let (ok, output) = match &called {
            Ok(answer) => (true, answer.text.clone()),
            Err(problem) => (false, problem.detail().to_owned()),
        };
        self.listener.tell(ChatEvent::ToolResult { id, ok, output });
        called.map(|answer| answer.text)
    }
}

/// The files of a skill that its instructions link to.
fn linked(stock: &Stock, name: &str) -> Vec<String> {
    let Some(skill) = stock.usable(name) else {
        return Vec::new();
    };
    let text = Contents::open(skill).and_then(|contents| contents.skill_file());
    let text = text.unwrap_or_default();
    let document = Document::parse(text.as_bytes());
    let links = relative_links(&document.text, document.body_span());
    let mut paths: Vec<String> = Vec::new();
    for path in links.iter().filter_map(|link| resolve(&link.target)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_at_the_beginning() {
        for (message, names, rest) in [
            ("/pdf fill it", vec!["pdf"], "fill it"),
            (" /a /b  do it", vec!["a", "b"], "do it"),
            ("$pdf", vec!["pdf"], ""),
            ("look at /etc", vec![], "look at /etc"),
            ("/ pdf", vec![], "/ pdf"),
            ("", vec![], ""),
        ] {
            assert_eq!(invoked(message), (names, rest), "{message}");
        }
    }
}
