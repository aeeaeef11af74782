//! `skillyard owner`.

use clap::Subcommand;
use serde_json::json;
use skillyard_format::SkillName;

use super::Outcome;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::remote::Remote;
use crate::sanitize::visible;

/// See and change who may publish a skill
///
/// Examples:
///   skillyard owner list pdf-tools
///   skillyard owner add pdf-tools grace
///   skillyard owner remove pdf-tools grace
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
    /// A registry of your configuration, other than the default one
    #[arg(long, value_name = "ALIAS", global = true)]
    registry: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show who owns a skill
    List {
        /// The skill
        name: String,
    },
    /// Let somebody else publish it, too
    Add {
        /// The skill
        name: String,
        /// The account
        user: String,
    },
    /// Take that back; the last owner stays
    Remove {
        /// The skill
        name: String,
        /// The account
        user: String,
    },
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let remote = Remote::open(context, args.registry.as_deref())?;
    let (http, registry) = (&remote.http, &remote.registry);
    let (name, owners) = match &args.verb {
        Verb::List { name } => {
            let name = skill_name(name)?;
            let owners = registry.owners(http, &name);
            (name, owners)
        }
        Verb::Add { name, user } => {
            let name = skill_name(name)?;
            let owners = registry.add_owner(http, &name, user);
            (name, owners)
        }
        Verb::Remove { name, user } => {
            let name = skill_name(name)?;
            let owners = registry.remove_owner(http, &name, user);
            (name, owners)
        }
    };
    let owners = owners.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        let value = json!({ "name": name.as_str(), "owners": owners });
        context.printer.json(&value)?;
        return Ok(Status::Yes);
    }
    for owner in &owners {
        context.printer.data(&format!("{}\n", visible(owner)))?;
    }
    Ok(Status::Yes)
}

/// A name of a skill that was typed.
pub(super) fn skill_name(text: &str) -> Result<SkillName, CommandError> {
    SkillName::new(text).map_err(|problem| CommandError::Name {
        name: text.to_owned(),
        problem,
        proposal: SkillName::from_text(text).map(|name| name.to_string()),
    })
}
