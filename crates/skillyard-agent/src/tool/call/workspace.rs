//! A call that works on files of the workspace, or runs a command there.

use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind};

use super::approve::unallowed;
use super::{Calls, Ended};
use crate::front_end::Action;
use crate::host::{HostError, SkillFiles};
use crate::message::ToolCall;
use crate::session::Grant;
use crate::tool::workspace::Workspace;
use crate::tool::workspace_path;

impl Calls<'_> {
    pub(super) fn on_workspace(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let text = |key| {
            arguments
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let path = self.workspace().path(arguments);
        let about = |event: Event| match tool {
            "Bash" => event.detail("command", text("command")),
            "Write" | "Edit" => event.detail("path", path.as_deref().unwrap_or(text("path"))),
            _ => event,
        };
        if matches!(tool, "Write" | "Edit")
            && let Some(mut ended) = self.unchangeable(&path)
        {
            ended.event = about(ended.event);
            return Ok(ended);
        }
        let mut before = None;
        let mut shown = None;
        let question = match tool {
            "Bash" => {
                let command = text("command").to_owned();
                let grant = Grant::Command {
                    command: command.clone(),
                };
                Some((Action::Command { command }, grant))
            }
            "Write" | "Edit" => {
                let workspace = self.workspace();
                shown = workspace.before(arguments);
                let difference = shown
                    .as_ref()
                    .and_then(|before| workspace.difference(tool, arguments, before));
                let action = Action::Change {
                    tool: tool.to_owned(),
                    path: path.clone().unwrap_or_default(),
                    difference,
                };
                Some((action, Grant::Changes))
            }
            _ => None,
        };
        if let Some((action, grant)) = question {
            if let Some(mut denied) = self.spent() {
                denied.event = about(denied.event);
                return Ok(denied);
            }
            let reason = match tool {
                "Bash" => "a command can read and change whatever is in the workspace",
                _ => "it changes a file of the workspace",
            };
            let reason = reason.to_owned();
            let asked = |event: Event| about(event.detail("tool", tool));
            before = self.approved_before(tool, arguments);
            if before.is_none() {
                let answer = self.approved(call, action, reason, grant, &asked)?;
                let what = format!("allow this use of `{tool}`");
                if let Some(mut denied) = unallowed(answer, &what) {
                    denied.event = about(denied.event);
                    return Ok(denied);
                }
            }
            self.begins(call, tool, about)?;
            self.session.state.runs += 1;
        }
        let mut workspace = self.workspace();
        workspace.shown = shown;
        if tool != "Bash" {
            // What changes a file needs no other.
            workspace.readable.clear();
        }
        let called = workspace.call(tool, arguments);
        let made = workspace.made.take();
        let denials = std::mem::take(&mut workspace.denials);
        let mut ended = match called {
            Some(Ok(done)) => match done.code {
                Some(code) => Ended::ran(done.content, code, EventKind::ToolAllowed),
                None => Ended::ok(done.content, EventKind::ToolAllowed),
            },
            Some(Err(problem)) => Ended::failed(problem, EventKind::ToolAllowed),
            None => Ended::failed(self.unknown(tool), EventKind::ToolAllowed),
        };
        ended.event = about(ended.event);
        if let Some((skill, digest)) = before {
            let event = ended.event.skill(skill).digest(digest.to_string());
            ended.event = event.detail("scope", "digest");
        }
        if let Some(made) = made {
            ended.event = ended.event.detail("made", made);
        }
        if !denials.is_empty() {
            ended.event = ended.event.detail("denials", denials.join("; "));
        }
        Ok(ended)
    }

    /// How a change ends that cannot be made whatever the user says, so that nobody is asked.
    fn unchangeable(&self, path: &Result<String, String>) -> Option<Ended> {
        let path = match path {
            Ok(path) => path,
            Err(problem) => return Some(Ended::failed(problem.clone(), EventKind::ToolAllowed)),
        };
        if self.host.keeps(path) {
            let reason = format!("`{path}` decides what other programs do, so no model changes it");
            return Some(Ended::denied(format!("Denied: {reason}"), reason));
        }
        // Whoever is asked about one file must not allow a change to another.
        let link = workspace_path::link(self.host.surroundings().workspace(), path)?;
        let problem = format!("`{link}` is a link, which is not followed; name the file itself");
        Some(Ended::failed(problem, EventKind::ToolAllowed))
    }

    fn workspace(&mut self) -> Workspace<'_> {
        let state = &self.session.state;
        let files = self.active.iter().filter_map(|each| {
            Some(SkillFiles {
                skill: each.name.clone(),
                digest: state.active_digest(&each.name)?.parse().ok()?,
                folder: each.folder.clone()?,
            })
        });
        Workspace {
            readable: files.collect(),
            skills: self.active,
            host: self.host,
            cancel: self.cancel,
            made: None,
            denials: Vec::new(),
            shown: None,
        }
    }

    pub(super) fn unknown(&self, tool: &str) -> String {
        let names = self.session.prompt.tools.iter().map(|tool| &*tool.name);
        let near = skillyard_format::text::nearest(tool, names);
        let near = near.map(|name| format!("; did you mean `{name}`?"));
        format!("there is no tool `{tool}`{}", near.unwrap_or_default())
    }
}
