//! Whether a script may run at all: the one place where that is decided.
//!
//! Policy and what was approved of exactly these bytes decide; where they want a question, the
//! command line or the user answers it. A block is no question.

use std::fmt::Write as _;
use std::path::Path;

use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::resource::SkillRoot;
use skillyard_catalog::source::SourceKind;
use skillyard_format::package::Digest;
use skillyard_trust::approval::ApprovalChange;
use skillyard_trust::verdict::{NetworkGrant, OptIn, ScriptVerdict};

use crate::context::Context;
use crate::error::trust::OfflineLock;
use crate::error::{CommandError, RunError};
use crate::files;
use crate::library::permission::Permissions;
use crate::question::{self, Consent};
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;

/// What is to be approved.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The skill.
    pub(crate) skill: &'a str,
    /// Where it came from; `None` if it was named by its path.
    pub(crate) source: Option<SourceKind>,
    /// Its folder.
    pub(crate) folder: &'a Path,
    /// The copy of it that is to run.
    pub(crate) copy: &'a Path,
    /// What it consists of, to the byte.
    pub(crate) digest: Digest,
    /// The script.
    pub(crate) script: &'a str,
    /// The hosts it is to reach.
    pub(crate) hosts: &'a [String],
    /// What it could reach, in words.
    pub(crate) reach: &'a str,
    /// The names of the user's variables that it gets.
    pub(crate) variables: &'a [String],
}

/// What the command line says to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagAnswer {
    /// Nothing: ask.
    Ask,
    /// Yes, this once.
    Yes,
    /// Yes to every first run.
    AllowScripts,
}

/// Why a script may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Policy needs no question, or these bytes were approved before.
    Policy,
    /// A flag said so.
    Flag,
    /// The user said so.
    User,
}

impl Approval {
    /// The word for programs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Flag => "flag",
            Self::User => "user",
        }
    }
}

/// Decides, and asks if need be.
pub(crate) fn decide(
    context: &Context,
    request: &Request<'_>,
    answer: FlagAnswer,
) -> Result<Approval, CommandError> {
    let permissions = Permissions::load(context)?;
    let approved = permissions.approval(request.skill, Some(&request.digest));
    // What is revoked is not put right by what is said of altered skills.
    if let Some(reason) = permissions.revoked(request.source, request.folder) {
        let hint = permissions.revoked_remedy(request.skill, request.folder);
        return Err(refused(context, request, &reason, &hint));
    }
    if let Some(altered) =
        permissions.altered_or_changing(request.skill, request.folder, request.digest)
    {
        let hint = permissions.remedy(request.skill, request.folder);
        return Err(refused(context, request, &altered.to_string(), &hint));
    }
    let provenance = permissions.provenance_of(request.source, request.folder);
    let opt_in = match answer {
        FlagAnswer::AllowScripts => OptIn::Yes,
        FlagAnswer::Ask | FlagAnswer::Yes => OptIn::No,
    };
    let decision = permissions.decide_for(&provenance, request.skill, approved, opt_in);
    let untrusted = permissions.untrusted_project(request.folder);
    let untrusted = untrusted.filter(|_| request.source.is_none());
    let hint = match (untrusted, permissions.part_of(request.folder)) {
        (Some(root), _) => permissions.project_remedy(&root),
        (None, Some((whole, below))) => {
            let script = below.join(request.script);
            let script = script.display();
            format!("It is part of `{whole}`: start it with `skillyard run {whole} {script}`")
        }
        _ => decision.hint.clone().unwrap_or_default(),
    };
    let lock = permissions.offline_lock(context, &provenance)?;
    match &decision.verdict {
        ScriptVerdict::Blocked { reason, .. } => Err(refused(context, request, reason, &hint)),
        ScriptVerdict::Run { network, .. } => {
            check_network(context, request, network, lock.as_ref())?;
            Ok(match answer {
                FlagAnswer::AllowScripts => Approval::Flag,
                FlagAnswer::Ask | FlagAnswer::Yes => Approval::Policy,
            })
        }
        ScriptVerdict::Ask { network, reason } => {
            check_network(context, request, network, lock.as_ref())?;
            ask(context, request, answer, reason)
        }
    }
}

fn check_network(
    context: &Context,
    request: &Request<'_>,
    network: &NetworkGrant,
    lock: Option<&OfflineLock>,
) -> Result<(), CommandError> {
    let hosts = network.refused(request.hosts);
    if hosts.is_empty() {
        return Ok(());
    }
    let mut reason = format!("it may not reach {}", hosts.join(", "));
    let hint = if let Some(lock) = lock {
        let _ = write!(reason, ": {lock}");
        String::new()
    } else {
        format!(
            "Approve it with `skillyard trust {} --scripts --network {}`",
            shell_word(request.skill),
            hosts.join(" --network ")
        )
    };
    Err(refused(context, request, &reason, &hint))
}

fn ask(
    context: &Context,
    request: &Request<'_>,
    answer: FlagAnswer,
    reason: &str,
) -> Result<Approval, CommandError> {
    if answer != FlagAnswer::Ask {
        return Ok(Approval::Flag);
    }
    let denied = || RunError::NotApproved {
        skill: request.skill.to_owned(),
        file: match request.source {
            Some(_) => None,
            None => Some(request.folder.join(request.script)),
        },
    };
    if !context.printer.can_ask() {
        return Err(denied().into());
    }
    let mut text = format!(
        "Skill `{}` wants to run `{}`.\n  why asked  {}\n  digest     {}\n  reach      {}",
        visible(request.skill),
        visible(request.script),
        visible(reason),
        request.digest,
        visible(request.reach),
    );
    if !request.variables.is_empty() {
        // Their values may be secrets; the names say what is given away.
        let names = request.variables.join(", ");
        let _ = write!(text, "\n  variables  {}", visible(&names));
    }
    let unshown = unshown(request.copy);
    if let Some(why) = &unshown {
        let _ = write!(text, "\n  not always {}", visible(why));
    }
    context.printer.exactly(&text);
    let asked = match unshown {
        None => {
            let question = "May it? `always` holds while no byte of the skill changes";
            question::consent(&context.printer, question)
        }
        Some(_) => question::consent_once(&context.printer, "May it?"),
    };
    match asked {
        Ok(Consent::Once) => Ok(Approval::User),
        Ok(Consent::Always) => {
            remember(context, request)?;
            Ok(Approval::User)
        }
        Ok(Consent::No) => {
            let event = event(request, EventKind::ApprovalDenied);
            context.record(&event.ended(Outcome::Denied, "the user does not want it run"))?;
            Err(denied().into())
        }
        Err(error) => {
            let event = event(request, EventKind::ApprovalDenied);
            context.record(&event.ended(Outcome::Denied, question::UNANSWERED))?;
            Err(CommandError::unanswered(error))
        }
    }
}

/// Why the scripts of the skill in a folder cannot be approved for good, if they cannot: not all of
/// it can be shown to whoever is asked.
pub(crate) fn unshown(folder: &Path) -> Option<String> {
    let root = SkillRoot::open(folder);
    let files = root.and_then(|root| root.list(None)?.complete());
    let reason = files.err()?.whole();
    Some(format!("not all of it can be shown: {reason}"))
}

/// Approves the scripts of exactly these bytes.
fn remember(context: &Context, request: &Request<'_>) -> Result<(), CommandError> {
    let permissions = Permissions::load(context)?;
    let approval = permissions.with_scripts(context, request.skill, request.digest);
    let file = context.environment.approvals_file();
    context.ready_to_record()?;
    files::change_approvals(&file, &ApprovalChange::ApproveSkill(&approval))?;
    context.record(&event(request, EventKind::ApprovalGranted))
}

/// A refusal, written down.
fn refused(context: &Context, request: &Request<'_>, reason: &str, hint: &str) -> CommandError {
    let event = event(request, EventKind::ScriptExecuted).ended(Outcome::Denied, reason);
    if let Err(error) = context.record(&event) {
        return error;
    }
    RunError::Blocked {
        skill: request.skill.to_owned(),
        reason: reason.to_owned(),
        hint: hint.replace("NAME", request.skill),
    }
    .into()
}

/// An event about the script.
pub(crate) fn event(request: &Request<'_>, kind: EventKind) -> Event {
    Event::new(kind)
        .skill(request.skill)
        .digest(request.digest.to_string())
        .trigger("user")
        .detail("script", request.script)
}
