//! `skillyard yank`.

use semver::Version;
use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_format::QualifiedName;

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::remote::RegistryArg;

/// Withdraw a published version
///
/// Nothing new will use it; locks that name it still can. It is never deleted, and its number is
/// never free again.
///
/// Examples:
///   skillyard yank pdf-tools@1.2.0 --reason "deletes the wrong file"
///   skillyard yank @acme/pdf-tools@1.2.0 --undo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct YankArgs {
    /// The skill and its version
    #[arg(value_name = "NAME@VERSION")]
    version: String,
    /// Why, for those who look at it
    #[arg(long, value_name = "TEXT", conflicts_with = "undo")]
    reason: Option<String>,
    /// Offer it again
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    registry: RegistryArg,
}

pub(crate) fn run(context: &Context, args: &YankArgs) -> Outcome {
    let (name, version) = named_version(&args.version)?;
    let remote = args.registry.open(context)?;
    let (http, registry) = (&remote.http, &remote.registry);
    let done = if args.undo {
        registry.restore(http, &name, &version)
    } else {
        registry.yank(http, &name, &version, args.reason.as_deref())
    };
    done.map_err(InstallFailure::from)?;
    let event = Event::new(EventKind::RegistryYanked)
        .skill(name.as_str())
        .origin(remote.address())
        .trigger("yank")
        .reason(match &args.reason {
            Some(reason) => reason,
            None if args.undo => "taken back",
            None => "no reason was given",
        })
        .detail("version", version.to_string());
    context.record(&event)?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": name.as_str(), "version": version, "yanked": !args.undo,
        }))?;
    } else if args.undo {
        context.printer.data(&format!(" + {name}@{version}\n"))?;
        context.printer.note("It is offered again");
    } else {
        context.printer.data(&format!(" - {name}@{version}\n"))?;
        context
            .printer
            .note("Nothing new will use it; locks that name it still can");
    }
    Ok(ExitStatus::Success)
}

/// A name and a version that were typed.
pub(super) fn named_version(text: &str) -> Result<(QualifiedName, Version), CommandError> {
    let parts = text.rsplit_once('@').and_then(|(name, version)| {
        let version = version.strip_prefix('v').unwrap_or(version);
        Some((name.parse().ok()?, Version::parse(version).ok()?))
    });
    parts.ok_or_else(|| RegistryFailure::NoVersion(text.to_owned()).into())
}
