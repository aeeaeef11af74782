//! Shell commands against the rules of one list: every simple command must match.

use serde_json::{Value, json};

use crate::guard::options::{self, CommandContext};
use crate::guard::path::{FilePath, PathPattern};
use crate::guard::pattern::Cwd;
use crate::guard::request::{GuardEnvironment, GuardInput};
use crate::guard::rule::{Refusal, RuleScope, ToolRule, list};
use crate::guard::shell::{self, FileAccess, Redirection, SimpleCommand, Word};
use crate::guard::wrapper::{self, Inner};

/// How many commands may stand inside one another, as in `timeout 5 nice git`.
const MAX_WRAPPERS: usize = 4;

/// What a list grants.
pub(super) struct Grants<'a> {
    /// All of its rules.
    pub(super) rules: &'a [ToolRule],
    /// Those for the shell.
    pub(super) own: &'a [&'a ToolRule],
}

/// The patterns that allow a command, or why it is refused.
pub(super) fn allow(
    input: &GuardInput,
    grants: &Grants<'_>,
    world: &dyn GuardEnvironment,
) -> Result<Vec<String>, Refusal> {
    let commands = commands(input).map_err(|reason| Refusal::by(&list(grants.own), reason))?;
    if commands.is_empty() {
        return Err(Refusal::by(&list(grants.own), "there is no command in it"));
    }
    if let Some(reason) = changes_surroundings(input) {
        return Err(Refusal::by(&list(grants.own), reason));
    }
    let mut check = CommandCheck {
        grants,
        world,
        cwd: cwd(&commands),
        patterns: Vec::new(),
    };
    for command in &commands {
        check.command(command, 0)?;
    }
    Ok(check.patterns)
}

/// Every simple command of a call: of a shell text, or the one that a list of words is.
pub(super) fn commands(input: &GuardInput) -> Result<Vec<SimpleCommand>, String> {
    let missing = || "the input has no `command`".to_owned();
    let read = |text: &str| shell::read(text).map_err(|problem| problem.to_string());
    match input {
        GuardInput::Text(text) => read(text),
        GuardInput::Fields(fields) => match fields.get("command") {
            Some(Value::String(text)) => read(text),
            Some(Value::Array(words)) => {
                let words: Option<Vec<Word>> = words
                    .iter()
                    .map(|word| Some(Word::Literal(word.as_str()?.to_owned())))
                    .collect();
                let words = words.filter(|words| !words.is_empty());
                Ok(vec![SimpleCommand {
                    words: words.ok_or_else(missing)?,
                    ..SimpleCommand::default()
                }])
            }
            _ => Err(missing()),
        },
    }
}

/// Fields beside the command that change what it means.
fn changes_surroundings(input: &GuardInput) -> Option<&'static str> {
    if is_set(input, &["env", "environment", "environment_variables"]) {
        return Some("the input sets variables for the command");
    }
    runs_elsewhere(input).then_some("the input says that the command runs in another folder")
}

/// Whether a field beside the command names the folder that it runs in.
pub(super) fn runs_elsewhere(input: &GuardInput) -> bool {
    is_set(input, &["cwd", "workdir", "working_directory", "directory"])
}

fn is_set(input: &GuardInput, keys: &[&str]) -> bool {
    let mut values = input.values(keys).into_iter();
    values.any(|value| !value.is_null() && *value != json!({}) && *value != json!([]))
}

/// After `cd` relative paths lead somewhere else.
fn cwd(commands: &[SimpleCommand]) -> Cwd {
    let moves = |command: &SimpleCommand| {
        command.program().is_none_or(wrapper::moves) && !command.words.is_empty()
    };
    if commands.iter().any(moves) {
        Cwd::Unknown
    } else {
        Cwd::Workspace
    }
}

struct CommandCheck<'a> {
    grants: &'a Grants<'a>,
    world: &'a dyn GuardEnvironment,
    cwd: Cwd,
    patterns: Vec<String>,
}

impl CommandCheck<'_> {
    fn refuse<T>(&self, reason: String) -> Result<T, Refusal> {
        Err(Refusal::by(&list(self.grants.own), reason))
    }

    fn command(&mut self, command: &SimpleCommand, wrappers: usize) -> Result<(), Refusal> {
        for redirection in &command.redirections {
            self.redirection(redirection)?;
        }
        if let Some(name) = command.assignments.first() {
            return self.refuse(format!("it sets the variable `{name}` for a command"));
        }
        if command.words.is_empty() {
            return Ok(());
        }
        self.words(&command.words, wrappers)
    }

    fn words(&mut self, words: &[Word], wrappers: usize) -> Result<(), Refusal> {
        let Some(program) = words.first().and_then(Word::literal) else {
            return self.refuse("which program it starts is only known when it runs".into());
        };
        if wrapper::changes_the_shell(program) {
            return self.refuse(format!(
                "`{program}` changes what later commands mean; only plain `Bash` allows it"
            ));
        }
        let mut refusal = None;
        for rule in self.grants.own {
            let RuleScope::Commands(patterns) = &rule.scope else {
                continue;
            };
            for pattern in patterns {
                if !pattern.allows(words, self.cwd, self.world) {
                    continue;
                }
                let ctx = CommandContext {
                    world: self.world,
                    cwd: self.cwd,
                };
                let dangerous = options::danger(words, pattern.named(), &ctx);
                if let Some(reason) = dangerous {
                    refusal = Some(Refusal::by(&rule.pattern, reason));
                    continue;
                }
                self.inner(words, pattern.named(), wrappers)?;
                let text = rule.pattern.to_string();
                if !self.patterns.contains(&text) {
                    self.patterns.push(text);
                }
                return Ok(());
            }
        }
        match refusal {
            Some(refusal) => Err(refusal),
            None => self.refuse(format!("`{}` is not in the list", describe(words))),
        }
    }

    /// What a program such as `timeout` starts must match too.
    fn inner(&mut self, words: &[Word], named: usize, wrappers: usize) -> Result<(), Refusal> {
        let inner = wrapper::inner(words, named);
        if !matches!(inner, Inner::None) && wrappers == MAX_WRAPPERS {
            return self.refuse("too many programs start one another".into());
        }
        match inner {
            Inner::None => Ok(()),
            Inner::Hidden(reason) => self.refuse(reason),
            Inner::Words(words) => self.words(&words, wrappers + 1),
            Inner::Shell(text) => {
                let commands = match shell::read(&text) {
                    Ok(commands) => commands,
                    Err(problem) => return self.refuse(problem.to_string()),
                };
                if cwd(&commands) == Cwd::Unknown {
                    self.cwd = Cwd::Unknown;
                }
                let mut commands = commands.iter();
                commands.try_for_each(|command| self.command(command, wrappers + 1))
            }
        }
    }

    fn redirection(&self, redirection: &Redirection) -> Result<(), Refusal> {
        let Some(target) = redirection.target.literal() else {
            return self.refuse("the file of a redirection is only known when it runs".into());
        };
        if is_device(target) {
            return Ok(());
        }
        let is_relative = !target.starts_with(['/', '~']);
        if self.cwd == Cwd::Unknown && is_relative {
            return self.refuse(format!("where `{target}` lies is unknown after `cd`"));
        }
        // In quotes `~` is a file of that name, and without them the word is not literal.
        let place = if target.starts_with('~') {
            None
        } else {
            FilePath::of(target, self.world)
        };
        let Some(place) = place.filter(|place| place.is_inside(self.world)) else {
            return self.refuse(format!(
                "the redirection to `{target}` leaves the workspace"
            ));
        };
        let is_hidden = place.is_hidden(self.world);
        if redirection.access == FileAccess::Write && is_hidden && !self.may_write(&place) {
            return self.refuse(format!(
                "the redirection to `{target}` writes a hidden file, which may hold settings"
            ));
        }
        Ok(())
    }

    fn may_write(&self, place: &FilePath) -> bool {
        let covers = |pattern: &PathPattern| pattern.allows(place, self.world);
        self.grants.rules.iter().any(|rule| {
            rule.pattern.tool == "Write"
                && match &rule.scope {
                    RuleScope::All => true,
                    RuleScope::Files(pattern) => covers(pattern),
                    _ => false,
                }
        })
    }
}

/// Files that are none: what is written there is gone, or already the command's own.
pub(super) fn is_device(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr")
}

/// The beginning of a command, for people.
fn describe(words: &[Word]) -> String {
    let texts = words.iter().map_while(Word::literal);
    let text: Vec<&str> = texts.take(3).collect();
    let mut text = text.join(" ");
    if words.len() > 3 {
        text.push_str(" …");
    }
    text.chars().take(80).collect()
}
