//! The tool guard at its public boundary.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod combine;
mod denied_tool_names;
mod deny;
mod files;
mod probes;
mod property;
mod scripts;
mod shell;
mod syntax;

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use skillyard_trust::guard::{
    ActiveSkill, DenyLayer, GuardDecision, GuardEnvironment, GuardInput, GuardRequest,
    GuardVerdict, ToolList, check,
};

/// The list that most probes are about.
const LIST: &str = "Bash(git:*) Bash(pdftotext:*) Read";

/// A machine with a workspace, a home and links between them.
struct Machine {
    links: HashMap<PathBuf, PathBuf>,
}

impl Machine {
    fn new() -> Self {
        let links = [
            ("/project/docs/link", "/etc/passwd"),
            ("/project/out-link", "/home/u/secret"),
            ("/skills/pdf/scripts/away.sh", "/usr/bin/curl"),
            ("/usr/bin/gitlink", "/usr/bin/git"),
        ];
        let links = links.map(|(from, to)| (from.into(), to.into()));
        Self {
            links: links.into(),
        }
    }
}

impl GuardEnvironment for Machine {
    fn workspace(&self) -> &Path {
        Path::new("/project")
    }

    fn home(&self) -> Option<&Path> {
        Some(Path::new("/home/u"))
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        let mut real = PathBuf::new();
        for component in path.components() {
            match component {
                Component::ParentDir => {
                    real.pop();
                }
                Component::CurDir => {}
                other => real.push(other),
            }
            if let Some(target) = self.links.get(&real) {
                real.clone_from(target);
            }
        }
        Some(real)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        ["git", "curl", "pdftotext"]
            .contains(&name)
            .then(|| Path::new("/usr/bin").join(name))
    }
}

fn skill(allowed: &str) -> ActiveSkill {
    ActiveSkill {
        name: "pdf".into(),
        folder: Some("/skills/pdf".into()),
        allowed: ToolList::parse(allowed),
        disallowed: ToolList::Absent,
    }
}

fn ask(allowed: &str, tool: &str, input: &str) -> GuardDecision {
    let request = GuardRequest {
        tool: tool.into(),
        input: GuardInput::Text(input.into()),
    };
    check(&request, &[skill(allowed)], &[], &Machine::new())
}

fn allows(allowed: &str, tool: &str, input: &str) -> bool {
    ask(allowed, tool, input).verdict == GuardVerdict::Allowed
}

/// Checks commands against a list; `+` before a command that is allowed, `-` before one that is not.
fn commands(allowed: &str, table: &[&str]) {
    for line in table {
        let (expected, command) = line.split_at(1);
        let decision = ask(allowed, "Bash", command);
        let found = match decision.verdict {
            GuardVerdict::Allowed => "+",
            GuardVerdict::Denied => "-",
        };
        assert_eq!(found, expected, "{allowed}: {command:?}: {decision:?}");
        assert!(!decision.reason.is_empty());
    }
}

fn policy(name: &str, tools: &str) -> DenyLayer {
    let ToolList::Declared(tools) = ToolList::parse(tools) else {
        unreachable!("a parsed list is declared")
    };
    DenyLayer {
        name: name.into(),
        tools,
    }
}
