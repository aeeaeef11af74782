//! `skillyard completions`.

use clap_complete::Shell;

use super::Outcome;
use crate::cli;
use crate::context::Context;
use crate::error::Status;

/// Print completions for your shell
///
/// Examples:
///   skillyard completions bash > ~/.local/share/bash-completion/completions/skillyard
///   skillyard completions zsh > ~/.zfunc/_skillyard
///   skillyard completions fish > ~/.config/fish/completions/skillyard.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "skillyard", &mut script);
    context.printer.raw(&script)?;
    Ok(Status::Yes)
}
