//! `skillyard tag`.

use std::collections::BTreeMap;

use clap::Subcommand;
use semver::Version;
use serde_json::json;
use skillyard_format::QualifiedName;
use skillyard_format::qualified::is_tag;

use super::owner::skill_name;
use super::yank::named_version;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::remote::RegistryArg;
use crate::text::sanitize::visible;

/// Let words such as `beta` stand for versions of a published skill
///
/// `skillyard install NAME@TAG` installs what a tag stands for. `latest` is the highest version
/// that is no prerelease, unless you set it.
///
/// Examples:
///   skillyard tag list pdf-tools
///   skillyard tag set pdf-tools@2.0.0-rc.1 beta
///   skillyard tag remove pdf-tools beta
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct TagArgs {
    #[command(subcommand)]
    verb: TagCommand,
    #[command(flatten)]
    registry: RegistryArg,
}

#[derive(Debug, Subcommand)]
enum TagCommand {
    /// Show the tags of a skill
    ///
    /// Examples:
    ///   skillyard tag list pdf-tools
    #[command(verbatim_doc_comment)]
    List {
        /// The skill
        name: String,
    },
    /// Let a tag stand for a version
    ///
    /// Examples:
    ///   skillyard tag set pdf-tools@2.0.0-rc.1 beta
    #[command(verbatim_doc_comment)]
    Set {
        /// The skill and its version
        #[arg(value_name = "NAME@VERSION")]
        version: String,
        /// The tag
        tag: String,
    },
    /// Take a tag away
    ///
    /// Examples:
    ///   skillyard tag remove pdf-tools beta
    #[command(verbatim_doc_comment)]
    Remove {
        /// The skill
        name: String,
        /// The tag
        tag: String,
    },
}

pub(crate) fn run(context: &Context, args: &TagArgs) -> Outcome {
    let remote = args.registry.open(context)?;
    let (http, registry) = (&remote.http, &remote.registry);
    let (name, tags) = match &args.verb {
        TagCommand::List { name } => {
            let name = skill_name(name)?;
            let tags = registry.tags(http, &name);
            (name, tags)
        }
        TagCommand::Set { version, tag } => {
            let (name, version) = named_version(version)?;
            let tags = registry.set_tag(http, &name, checked(tag)?, Some(&version));
            (name, tags)
        }
        TagCommand::Remove { name, tag } => {
            let name = skill_name(name)?;
            let tags = registry.set_tag(http, &name, checked(tag)?, None);
            (name, tags)
        }
    };
    show(context, &name, &tags.map_err(InstallFailure::from)?)
}

fn checked(tag: &str) -> Result<&str, CommandError> {
    if is_tag(tag) {
        Ok(tag)
    } else {
        Err(RegistryFailure::Tag(tag.to_owned()).into())
    }
}

fn show(context: &Context, name: &QualifiedName, tags: &BTreeMap<String, Version>) -> Outcome {
    if context.printer.is_json() {
        let value = json!({ "name": name.as_str(), "tags": tags });
        context.printer.json(&value)?;
        return Ok(ExitStatus::Success);
    }
    for (tag, version) in tags {
        let line = format!("{tag}  {version}");
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    Ok(ExitStatus::Success)
}
