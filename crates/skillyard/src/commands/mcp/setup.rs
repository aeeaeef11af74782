//! `skillyard mcp --setup`.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::Outcome;
use crate::commands::serving::OfferFlags;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::ExitStatus;
use crate::text::shell::{shell_word, shell_words};

/// A client that speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Cursor,
    Gemini,
    Opencode,
    #[value(name = "vscode")]
    VsCode,
}

/// What a client is to start.
struct ClientCommand {
    program: String,
    /// Where the program lies: what a desktop starts has not the folders of a shell.
    whole: String,
    flags: Vec<&'static str>,
    /// Skillyard's own folder, where it is not the usual one.
    home: Option<String>,
}

impl ClientCommand {
    /// What stands for this very program with these flags.
    fn new(environment: &Environment, flags: &OfferFlags) -> Self {
        let usual = environment
            .home
            .as_ref()
            .map(|home| home.join(".skillyard"));
        let home = &environment.skillyard_home;
        let home = (usual.as_ref() != Some(home)).then(|| home.to_string_lossy().into_owned());
        let whole = this_program();
        Self {
            program: program(environment),
            whole: whole.map_or_else(|| NAME.to_owned(), |path| path.to_string_lossy().into()),
            flags: flags.words(),
            home,
        }
    }

    /// The program and what it is told.
    fn words(&self) -> impl Iterator<Item = &str> {
        let first = [&*self.program, "mcp"];
        first.into_iter().chain(self.flags.iter().copied())
    }

    /// The variables that it needs, as tables in JSON have them.
    fn variables(&self) -> Option<Value> {
        let home = self.home.as_ref()?;
        Some(json!({ "SKILLYARD_HOME": home }))
    }

    /// The entry that clients share which have `mcpServers` in a file.
    fn entry(&self, program: &str) -> String {
        let arguments: Vec<&str> = self.words().skip(1).collect();
        let mut server = json!({ "command": program, "args": arguments });
        if let Some(variables) = self.variables() {
            server["env"] = variables;
        }
        json!({ "mcpServers": { "skillyard": server } }).to_string()
    }

    /// The same for a line in a shell, behind the client's flag for them and before a blank.
    fn flag(&self, flag: &str) -> String {
        let assignment = |home: &String| shell_word(&format!("SKILLYARD_HOME={home}"));
        let home = self.home.as_ref().map(assignment);
        home.map_or_else(String::new, |home| format!("{flag} {home} "))
    }
}

impl Client {
    /// What to run, or where to write what.
    fn setup(self, start: &ClientCommand) -> (String, Option<&'static str>) {
        let words = || shell_words(start.words());
        match self {
            Self::ClaudeCode => {
                let variables = start.flag("-e");
                let line = format!(
                    "claude mcp add --scope user skillyard {variables}-- {}",
                    words()
                );
                (line, None)
            }
            Self::ClaudeDesktop => (
                start.entry(&start.whole),
                Some(
                    "Write this into `claude_desktop_config.json` (Settings, Developer, Edit Config):",
                ),
            ),
            Self::Cursor => (
                start.entry(&start.program),
                Some("Write this into `~/.cursor/mcp.json`:"),
            ),
            Self::Codex => {
                let variables = start.flag("--env");
                let line = format!("codex mcp add skillyard {variables}-- {}", words());
                (line, None)
            }
            Self::Gemini => {
                let variables = start.flag("-e");
                let program = shell_word(&start.program);
                // Behind the two dashes it takes none of the flags for its own.
                let flags: String = match &start.flags[..] {
                    [] => String::new(),
                    flags => format!(" -- {}", flags.join(" ")),
                };
                let line = format!(
                    "gemini mcp add --scope user {variables}skillyard {program} mcp{flags}"
                );
                (line, None)
            }
            Self::Opencode => {
                let command: Vec<&str> = start.words().collect();
                let mut server = json!({ "type": "local", "command": command });
                if let Some(variables) = start.variables() {
                    server["environment"] = variables;
                }
                let file = json!({ "mcp": { "skillyard": server } });
                (file.to_string(), Some("Write this into `opencode.json`:"))
            }
            Self::VsCode => {
                let arguments: Vec<&str> = start.words().skip(1).collect();
                let mut server =
                    json!({ "name": "skillyard", "command": start.program, "args": arguments });
                if let Some(variables) = start.variables() {
                    server["env"] = variables;
                }
                (
                    format!("code --add-mcp {}", shell_word(&server.to_string())),
                    None,
                )
            }
        }
    }
}

/// What the program is called.
const NAME: &str = "skillyard";

/// Where this program lies.
fn this_program() -> Option<PathBuf> {
    std::env::current_exe().ok()?.canonicalize().ok()
}

/// What starts this program: its name, if that leads here, and else where it lies.
fn program(environment: &Environment) -> String {
    let Some(this) = this_program() else {
        return NAME.to_owned();
    };
    let mut named = environment.path.iter().map(|folder| folder.join(NAME));
    match named.find_map(|path| path.canonicalize().ok()) {
        Some(found) if found == this => NAME.to_owned(),
        _ => this.to_string_lossy().into_owned(),
    }
}

pub(super) fn run(context: &Context, client: Client, flags: &OfferFlags) -> Outcome {
    let (line, note) = client.setup(&ClientCommand::new(&context.environment, flags));
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "setup": line, "note": note }))?;
        return Ok(ExitStatus::Success);
    }
    context.printer.note(note.unwrap_or("Run this line:"));
    context.printer.data(&format!("{line}\n"))?;
    Ok(ExitStatus::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: &ClientCommand) -> String {
        let clients = Client::value_variants().iter();
        let lines = clients.map(|client| client.setup(start).0);
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_usual_program_is_named_shortly() {
        let start = ClientCommand {
            program: "skillyard".to_owned(),
            whole: "/usr/bin/skillyard".to_owned(),
            flags: Vec::new(),
            home: None,
        };
        insta::assert_snapshot!(lines(&start), @r#"
        claude mcp add --scope user skillyard -- skillyard mcp
        {"mcpServers":{"skillyard":{"command":"/usr/bin/skillyard","args":["mcp"]}}}
        codex mcp add skillyard -- skillyard mcp
        {"mcpServers":{"skillyard":{"command":"skillyard","args":["mcp"]}}}
        gemini mcp add --scope user skillyard skillyard mcp
        {"mcp":{"skillyard":{"type":"local","command":["skillyard","mcp"]}}}
        code --add-mcp '{"name":"skillyard","command":"skillyard","args":["mcp"]}'
        "#);
    }

    #[test]
    fn flags_the_program_and_its_home_are_passed_on() {
        let start = ClientCommand {
            program: "/opt/my tools/skillyard".to_owned(),
            whole: "/opt/my tools/skillyard".to_owned(),
            flags: vec!["--gateway", "--allow-run"],
            home: Some("/srv/yard".to_owned()),
        };
        insta::assert_snapshot!(lines(&start), @r#"
        claude mcp add --scope user skillyard -e SKILLYARD_HOME=/srv/yard -- '/opt/my tools/skillyard' mcp --gateway --allow-run
        {"mcpServers":{"skillyard":{"command":"/opt/my tools/skillyard","args":["mcp","--gateway","--allow-run"],"env":{"SKILLYARD_HOME":"/srv/yard"}}}}
        codex mcp add skillyard --env SKILLYARD_HOME=/srv/yard -- '/opt/my tools/skillyard' mcp --gateway --allow-run
        {"mcpServers":{"skillyard":{"command":"/opt/my tools/skillyard","args":["mcp","--gateway","--allow-run"],"env":{"SKILLYARD_HOME":"/srv/yard"}}}}
        gemini mcp add --scope user -e SKILLYARD_HOME=/srv/yard skillyard '/opt/my tools/skillyard' mcp -- --gateway --allow-run
        {"mcp":{"skillyard":{"type":"local","command":["/opt/my tools/skillyard","mcp","--gateway","--allow-run"],"environment":{"SKILLYARD_HOME":"/srv/yard"}}}}
        code --add-mcp '{"name":"skillyard","command":"/opt/my tools/skillyard","args":["mcp","--gateway","--allow-run"],"env":{"SKILLYARD_HOME":"/srv/yard"}}'
        "#);
    }
}
