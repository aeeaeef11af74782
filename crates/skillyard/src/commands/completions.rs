//! `skillyard completions`, and the answers to the questions that its scripts ask.
//!
//! A script knows nothing itself: at each Tab it starts the binary with `SKILLYARD_COMPLETE`
//! set and the words of the line behind `--`. So it knows the skills that are here now.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::Shells;
use skillyard_format::{SkillName, rules};

use super::Outcome;
use crate::cli;
use crate::config::Config;
use crate::config::keys::{ENTRIES, PROVENANCES};
use crate::context::Context;
use crate::environment::COMPLETE;
use crate::error::{CommandError, Status};
use crate::library::{self, Choice, IndexMode};

/// Print shell completions
///
/// They complete commands, flags and the names of your skills. Let your shell load them at its
/// start, as below; they ask the binary, so they stay up to date.
///
/// Examples:
///   echo 'source <(skillyard completions bash)' >> ~/.bashrc
///   echo 'source <(skillyard completions zsh)' >> ~/.zshrc
///   echo 'skillyard completions fish | source' >> ~/.config/fish/config.fish
///   echo 'skillyard completions powershell | Out-String | Invoke-Expression' >> $PROFILE
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let shells = Shells::builtins();
    let mut script = Vec::new();
    if let Some(shell) = shells.completer(&args.shell.to_string()) {
        shell.write_registration(COMPLETE, "skillyard", "skillyard", "skillyard", &mut script)?;
    }
    context.printer.raw(&script)?;
    Ok(Status::Yes)
}

/// Answers a script: what could stand at the cursor.
pub(crate) fn answer(context: &Context, shell: &str, arguments: &[OsString]) -> Outcome {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(shell) else {
        return Err(CommandError::NoSuchShell(shell.to_owned()));
    };
    let words = arguments.iter().skip_while(|word| *word != "--").skip(1);
    let words: Vec<OsString> = words.cloned().collect();
    let mut command = with_values(cli::command(cli::Detail::Lines), &Arc::new(context.clone()));
    let folder = Some(&*context.environment.current_dir);
    let mut found = Vec::new();
    shell.write_complete(&mut command, words, folder, &mut found)?;
    context.printer.raw(&found)?;
    Ok(Status::Yes)
}

/// The command line, with what is known about the values of its arguments.
fn with_values(command: clap::Command, context: &Arc<Context>) -> clap::Command {
    command.mut_subcommands(|each| {
        let of = each.get_name().to_owned();
        if of == "config" {
            return each.mut_subcommands(|verb| with_keys(verb, context));
        }
        if matches!(of.as_str(), "mcp" | "agent") {
            return each.mut_subcommands(|verb| with_servers(verb, context));
        }
        each.mut_args(|argument| match (of.as_str(), argument.get_id().as_str()) {
            ("show" | "explain", "name") | ("enable" | "disable", "names") => {
                let context = Arc::clone(context);
                argument.add(ArgValueCandidates::new(move || skill_names(&context)))
            }
            ("read" | "verify", "skill") | ("trust", "target" | "revoked") => {
                let context = Arc::clone(context);
                argument.add(ArgValueCompleter::new(move |word: &OsStr| {
                    skill_names_and_folders(&context, word)
                }))
            }
            ("chat", "mcp") => {
                let context = Arc::clone(context);
                argument.add(ArgValueCandidates::new(move || mcp_servers(&context)))
            }
            ("explain", "code") => argument.add(ArgValueCandidates::new(rule_codes)),
            _ => argument,
        })
    })
}

/// A verb of `mcp` or `agent`, with the servers it takes.
fn with_servers(verb: clap::Command, context: &Arc<Context>) -> clap::Command {
    verb.mut_args(|argument| match argument.get_id().as_str() {
        "server" | "mcp" => {
            let context = Arc::clone(context);
            argument.add(ArgValueCandidates::new(move || mcp_servers(&context)))
        }
        _ => argument,
    })
}

/// A verb of `config`, with the keys it takes.
fn with_keys(verb: clap::Command, context: &Arc<Context>) -> clap::Command {
    verb.mut_args(|argument| match argument.get_id().as_str() {
        "key" => {
            let context = Arc::clone(context);
            argument.add(ArgValueCandidates::new(move || keys(&context)))
        }
        _ => argument,
    })
}

/// Servers of models that need no address.
const KNOWN_MODELS: [&str; 3] = ["anthropic", "openai", "ollama"];

/// The MCP servers of the configuration.
fn mcp_servers(context: &Context) -> Vec<CompletionCandidate> {
    let names = context.config().map(|config| config.mcp_servers());
    let names = names.unwrap_or_default();
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// The keys of the configuration, with those of the sources that are there.
fn keys(context: &Context) -> Vec<CompletionCandidate> {
    let config = context.config();
    let names = config.as_ref().map(Config::aliases);
    let names = names.unwrap_or_default();
    let servers = config.map(|config| config.mcp_servers());
    let servers = servers.unwrap_or_default();
    let candidate =
        |key: String, doc: &'static str| CompletionCandidate::new(key).help(Some(doc.into()));
    let mut found = Vec::new();
    for entry in ENTRIES {
        if entry.key.contains("VARIABLE") || entry.key.contains("HEADER") {
            continue;
        }
        if entry.key.contains("SERVER") {
            let servers = if entry.key.starts_with("mcp.") {
                servers.clone()
            } else {
                KNOWN_MODELS.map(str::to_owned).into()
            };
            let keys = servers.iter().map(|name| entry.key.replace("SERVER", name));
            found.extend(keys.map(|key| candidate(key, entry.doc)));
        } else if entry.key.contains("NAME") {
            let keys = names.iter().map(|name| entry.key.replace("NAME", name));
            found.extend(keys.map(|key| candidate(key, entry.doc)));
        } else if entry.has_choice() {
            let rows = PROVENANCES.iter();
            let keys = rows.map(|row| entry.key.replace("PROVENANCE", row.name));
            found.extend(keys.map(|key| candidate(key, entry.doc)));
        } else {
            found.push(candidate(entry.key.to_owned(), entry.doc));
        }
    }
    found
}

/// The names of the skills that are here.
///
/// A shell puts them on its command line, so only names that follow the rules are told: they
/// have no character that means something to a shell.
fn skill_names(context: &Context) -> Vec<CompletionCandidate> {
    // A configuration that is wrong is said by every command; here it would be in the way.
    let Ok(catalog) = library::load(context, IndexMode::Use, &Choice::default()) else {
        return Vec::new();
    };
    let names = catalog.skills.iter().map(|skill| &skill.record.name);
    names
        .filter(|name| SkillName::new(name).is_ok())
        .map(|name| CompletionCandidate::new(name.as_str()))
        .collect()
}

fn skill_names_and_folders(context: &Context, word: &OsStr) -> Vec<CompletionCandidate> {
    let mut found = skill_names(context);
    found.retain(|each| {
        let name = each.get_value().as_encoded_bytes();
        name.starts_with(word.as_encoded_bytes())
    });
    found.extend(PathCompleter::dir().complete(word));
    found
}

/// What `explain` can explain.
fn rule_codes() -> Vec<CompletionCandidate> {
    let codes = rules::ALL.iter().map(|rule| rule.code);
    codes
        .chain(["skill"])
        .map(CompletionCandidate::new)
        .collect()
}
