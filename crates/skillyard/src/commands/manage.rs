//! `skillyard skill manage`, as other tools call what looks after installed skills.

use super::Outcome;
use crate::cli::{Detail, command};
use crate::context::Context;
use crate::error::Status;

/// Look after installed skills
///
/// Other tools call it `skill manage ACTION`, which is understood: list, enable, disable, update
/// and remove are commands of their own here.
///
/// Examples:
///   skillyard list --installed       the same as `skillyard skill manage list`
///   skillyard enable pdf-tools
///   skillyard disable pdf-tools
///   skillyard update pdf-tools
///   skillyard remove pdf-tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {}

pub(crate) fn run(context: &Context) -> Outcome {
    let mut all = command(Detail::Lines);
    if let Some(own) = all.find_subcommand_mut("manage") {
        context.printer.data(&own.render_long_help().to_string())?;
    }
    Ok(Status::Yes)
}
