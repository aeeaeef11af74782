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

use crate::cli;
use crate::commands::completion::paths;
use crate::commands::completion::values::{Values, plain};
use crate::context::Context;
use crate::environment::COMPLETE;
use crate::error::{CommandError, ExitStatus, Outcome};

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
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(context: &Context, args: &CompletionsArgs) -> Outcome {
    let shells = Shells::builtins();
    let mut script = Vec::new();
    if let Some(shell) = shells.completer(&args.shell.to_string()) {
        shell.write_registration(COMPLETE, "skillyard", "skillyard", "skillyard", &mut script)?;
    }
    // Paths that are not told to bash it finds itself, and quotes.
    let script = String::from_utf8_lossy(&script);
    let script = script.replace("-o bashdefault", "-o bashdefault -o default");
    // Where nobody has switched completions on, zsh does not know `compdef`.
    let script = match script.strip_prefix(ZSH_HEAD) {
        Some(rest) => format!("{ZSH_HEAD}{ZSH_START}{rest}"),
        None => script,
    };
    context.printer.raw(script.as_bytes())?;
    Ok(ExitStatus::Success)
}

/// How the script of zsh begins.
const ZSH_HEAD: &str = "#compdef skillyard\n";
const ZSH_START: &str = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }\n";

/// Answers a script: what could stand at the cursor.
pub(crate) fn answer(context: &Context, shell: &str, arguments: &[OsString]) -> Outcome {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(shell) else {
        return Err(CommandError::NoSuchShell(shell.to_owned()));
    };
    let words = arguments.iter().skip_while(|word| *word != "--").skip(1);
    let words: Vec<OsString> = words.cloned().collect();
    let line = CompletionLine {
        context: context.clone(),
        words: words.clone(),
    };
    let mut command = with_values(cli::command(cli::HelpDetail::Lines), &Arc::new(line));
    let folder = Some(&*context.environment.current_dir);
    let mut found = Vec::new();
    shell.write_complete(&mut command, words, folder, &mut found)?;
    if QUOTE_NOTHING.contains(&shell.name()) {
        found = harmless(&found);
    }
    context.printer.raw(&found)?;
    Ok(ExitStatus::Success)
}

/// Shells that put a candidate on the command line as it is, where it means what its characters
/// mean there; the others quote it.
const QUOTE_NOTHING: [&str; 2] = ["bash", "powershell"];

/// The candidates that have no character in them that means something to a shell: whoever made
/// the folders here chose their names.
fn harmless(found: &[u8]) -> Vec<u8> {
    let is_harmless = |each: char| each.is_alphanumeric() || "-_./:@+=".contains(each);
    let found = String::from_utf8_lossy(found);
    let candidates = found.split_inclusive(['\n', '\u{b}']);
    let kept = candidates.filter(|candidate| {
        let value = candidate.trim_end_matches(['\n', '\u{b}']);
        let value = value.split('\t').next().unwrap_or(value);
        let value = value.strip_prefix("~/").unwrap_or(value);
        value.chars().all(is_harmless)
    });
    let kept: String = kept.collect();
    kept.trim_end_matches('\u{b}').as_bytes().to_vec()
}

/// What is to be completed, and where it stands.
struct CompletionLine {
    context: Context,
    words: Vec<OsString>,
}

/// The command line, with what is known about the values of its arguments.
fn with_values(command: clap::Command, line: &Arc<CompletionLine>) -> clap::Command {
    command.mut_subcommands(|each| {
        let name = each.get_name().to_owned();
        valued(each, &name, line)
    })
}

/// A command of this path, such as `agent skill add`, and all below it.
fn valued(command: clap::Command, path: &str, line: &Arc<CompletionLine>) -> clap::Command {
    let command = command.mut_subcommands(|each| {
        let path = format!("{path} {}", each.get_name());
        valued(each, &path, line)
    });
    command.mut_args(|argument| {
        let Some(values) = Values::of(path, argument.get_id().as_str()) else {
            return argument;
        };
        let line = Arc::clone(line);
        let skills_and = |paths: fn() -> PathCompleter| {
            let line = Arc::clone(&line);
            ArgValueCompleter::new(move |word: &OsStr| {
                let mut found = skills(&line.context, word);
                found.extend(paths().complete(word));
                found
            })
        };
        match values {
            Values::SkillsAndFolders => argument.add(skills_and(PathCompleter::dir)),
            Values::SkillsAndPaths => argument.add(skills_and(PathCompleter::any)),
            Values::Paths => argument.add(ArgValueCompleter::new(PathCompleter::any())),
            Values::Files(which) => argument.add(ArgValueCandidates::new(move || {
                plain(paths(&line.context, &line.words, which))
            })),
            values => argument.add(ArgValueCandidates::new(move || values.found(&line.context))),
        }
    })
}

/// The names of skills that begin with a word.
fn skills(context: &Context, word: &OsStr) -> Vec<CompletionCandidate> {
    let mut found = Values::Skills.found(context);
    found.retain(|each| {
        let name = each.get_value().as_encoded_bytes();
        name.starts_with(word.as_encoded_bytes())
    });
    found
}
