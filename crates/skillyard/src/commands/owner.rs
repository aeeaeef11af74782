//! `skillyard owner`.

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use serde_json::json;
use skillyard_format::{Namespace, QualifiedName};
use skillyard_install::fetch::registry::{OwnershipOffer, People, RegistryError};

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::remote::RegistryArg;
use crate::text::sanitize::visible;

/// See and change who may publish a skill, or all skills of a namespace
///
/// A publisher publishes versions and moves tags, a maintainer also withdraws and deprecates, an
/// owner also says who is what. `@acme` is a namespace, `@acme/pdf` a skill in it.
///
/// Examples:
///   skillyard owner list pdf-tools
///   skillyard owner add pdf-tools grace
///   skillyard owner create @acme
///   skillyard owner add @acme grace --role publisher
///   skillyard owner transfer pdf-tools grace
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct OwnerArgs {
    #[command(subcommand)]
    verb: OwnerCommand,
    #[command(flatten)]
    registry: RegistryArg,
}

#[derive(Debug, Subcommand)]
enum OwnerCommand {
    /// Show who may do what
    ///
    /// Examples:
    ///   skillyard owner list pdf-tools
    ///   skillyard owner list @acme
    #[command(verbatim_doc_comment)]
    List {
        /// The skill or the namespace
        name: String,
    },
    /// Give somebody a role
    ///
    /// Examples:
    ///   skillyard owner add pdf-tools grace
    ///   skillyard owner add @acme grace --role publisher
    #[command(verbatim_doc_comment)]
    Add {
        /// The skill or the namespace
        name: String,
        /// The account
        user: String,
        /// What they may do
        #[arg(long, default_value = "owner", value_parser = PossibleValuesParser::new(["publisher", "maintainer", "owner"]))]
        role: String,
    },
    /// Take somebody's role away; the last owner stays
    ///
    /// Examples:
    ///   skillyard owner remove pdf-tools grace
    #[command(verbatim_doc_comment)]
    Remove {
        /// The skill or the namespace
        name: String,
        /// The account
        user: String,
    },
    /// Make a namespace, which is yours
    ///
    /// Examples:
    ///   skillyard owner create @acme
    #[command(verbatim_doc_comment)]
    Create {
        /// The namespace
        namespace: String,
    },
    /// Offer to hand a skill or a namespace over
    ///
    /// Examples:
    ///   skillyard owner transfer pdf-tools grace
    #[command(verbatim_doc_comment)]
    Transfer {
        /// The skill or the namespace
        name: String,
        /// Whom it is offered to
        user: String,
    },
    /// List the offers that you made or got
    ///
    /// Examples:
    ///   skillyard owner offers
    #[command(verbatim_doc_comment)]
    Offers,
    /// Take over what was offered to you
    ///
    /// Examples:
    ///   skillyard owner accept pdf-tools
    #[command(verbatim_doc_comment)]
    Accept {
        /// The skill or the namespace
        name: String,
    },
    /// Decline an offer, or take yours back
    ///
    /// Examples:
    ///   skillyard owner decline pdf-tools
    #[command(verbatim_doc_comment)]
    Decline {
        /// The skill or the namespace
        name: String,
    },
}

pub(crate) fn run(context: &Context, args: &OwnerArgs) -> Outcome {
    let remote = args.registry.open(context)?;
    let (http, registry) = (&remote.http, &remote.registry);
    let failed = InstallFailure::from;
    match &args.verb {
        OwnerCommand::List { name } => {
            let people = registry.people(http, &subject(name)?).map_err(failed)?;
            show(context, &people)
        }
        OwnerCommand::Add { name, user, role } => {
            let role = Some(role.as_str());
            let people = registry.set_role(http, &subject(name)?, user, role);
            show(context, &people.map_err(|error| not_given(user, error))?)
        }
        OwnerCommand::Remove { name, user } => {
            let people = registry.set_role(http, &subject(name)?, user, None);
            show(context, &people.map_err(failed)?)
        }
        OwnerCommand::Create { namespace } => {
            let name = Namespace::new(namespace).map_err(RegistryFailure::from)?;
            let people = registry.create_namespace(http, name.as_str());
            let people = people.map_err(failed)?;
            if !context.printer.is_json() {
                let note = format!("`{name}` is there now, and belongs to");
                context.printer.note(&note);
            }
            show(context, &people)
        }
        OwnerCommand::Transfer { name, user } => {
            let offer = registry.offer(http, &subject(name)?, user);
            let offer = offer.map_err(|error| not_given(user, error))?;
            let note = format!(
                "`{}` has until {} to take it with `skillyard owner accept {}{}`",
                offer.to,
                offer.expires,
                offer.subject,
                remote.flag()
            );
            if context.printer.is_json() {
                context.printer.json(&offer)?;
            } else {
                context.printer.note(&visible(&note));
            }
            Ok(ExitStatus::Success)
        }
        OwnerCommand::Offers => {
            let offers = registry.transfers(http).map_err(failed)?;
            list(context, &offers)
        }
        OwnerCommand::Accept { name } => {
            let name = subject(name)?;
            registry.accept(http, &name).map_err(failed)?;
            told(context, &name, "accepted", "is yours now")
        }
        OwnerCommand::Decline { name } => {
            let name = subject(name)?;
            registry.decline(http, &name).map_err(failed)?;
            told(context, &name, "declined", "is offered no more")
        }
    }
}

/// Why somebody was given nothing: where one of the names is not there, both are worth a look.
fn not_given(user: &str, error: RegistryError) -> CommandError {
    match error {
        RegistryError::Http(ref answer) if answer.status() == Some(404) => {
            let failure = RegistryFailure::NotGiven {
                user: user.to_owned(),
                source: Box::new(error),
            };
            failure.into()
        }
        error => InstallFailure::from(error).into(),
    }
}

fn show(context: &Context, people: &People) -> Outcome {
    if context.printer.is_json() {
        context.printer.json(people)?;
        return Ok(ExitStatus::Success);
    }
    let plain = people.people.iter().all(|each| each.role == "owner");
    for each in &people.people {
        let line = if plain {
            each.account.clone()
        } else {
            format!("{}  {}", each.account, each.role)
        };
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    Ok(ExitStatus::Success)
}

fn list(context: &Context, offers: &[OwnershipOffer]) -> Outcome {
    if context.printer.is_json() {
        context.printer.json(&json!({ "offers": offers }))?;
        return Ok(ExitStatus::Success);
    }
    for each in offers {
        let line = format!(
            "{}  from {} to {}, until {}",
            each.subject, each.from, each.to, each.expires
        );
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    if offers.is_empty() {
        context.printer.note("There are no offers");
    }
    Ok(ExitStatus::Success)
}

fn told(context: &Context, name: &str, key: &str, words: &str) -> Outcome {
    if context.printer.is_json() {
        let value = json!({ "subject": name, key: true });
        context.printer.json(&value)?;
    } else {
        context.printer.note(&format!("`{name}` {words}"));
    }
    Ok(ExitStatus::Success)
}

/// A skill or a namespace that was typed.
fn subject(text: &str) -> Result<String, CommandError> {
    match text.strip_prefix('@') {
        Some(rest) if !rest.contains('/') => {
            let namespace = Namespace::new(rest).map_err(RegistryFailure::from)?;
            Ok(namespace.to_string())
        }
        _ => Ok(skill_name(text)?.to_string()),
    }
}

/// A name of a skill that was typed.
pub(super) fn skill_name(text: &str) -> Result<QualifiedName, CommandError> {
    use skillyard_format::SkillName;
    use skillyard_format::qualified::QualifiedProblem;
    text.parse().map_err(|problem| match problem {
        QualifiedProblem::Name(problem) if !text.starts_with('@') => CommandError::Name {
            name: text.to_owned(),
            problem,
            proposal: SkillName::from_text(text).map(|name| name.to_string()),
        },
        problem => RegistryFailure::from(problem).into(),
    })
}
