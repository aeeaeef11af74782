//! Whether a script may run at all: the one place where that is decided.
//!
//! The decision knows where a skill came from and asks the user where that is not enough.
//! Tiers, recorded approvals and policies join here.

use skillyard_catalog::source::SourceKind;
use skillyard_format::package::Digest;

use crate::context::Context;
use crate::error::{CommandError, RunError};
use crate::sanitize::visible;

/// What is to be approved.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The skill.
    pub(crate) skill: &'a str,
    /// Where it came from; `None` if it was named by its path.
    pub(crate) source: Option<SourceKind>,
    /// What it consists of, to the byte.
    pub(crate) digest: Digest,
    /// The script.
    pub(crate) script: &'a str,
    /// What it could reach, in words.
    pub(crate) reach: &'a str,
}

/// What the command line says to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
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
    /// Its source needs no question.
    Source,
    /// A flag said so.
    Flag,
    /// The user said so.
    User,
}

impl Approval {
    /// The word for programs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Flag => "flag",
            Self::User => "user",
        }
    }
}

/// Decides, and asks if need be.
pub(crate) fn decide(
    context: &Context,
    request: &Request<'_>,
    answer: Answer,
) -> Result<Approval, CommandError> {
    // Inside the binary, the organisation's, or in the user's own folder.
    let own = [
        SourceKind::Builtin,
        SourceKind::Org,
        SourceKind::OrgPinned,
        SourceKind::User,
    ];
    if request.source.is_some_and(|source| own.contains(&source)) {
        return Ok(Approval::Source);
    }
    if answer != Answer::Ask {
        return Ok(Approval::Flag);
    }
    let denied = || RunError::NotApproved(request.skill.to_owned());
    if !context.printer.can_ask() {
        return Err(denied().into());
    }
    context.printer.people(&format!(
        "Skill `{}` wants to run `{}`.\n  digest  {}\n  reach   {}",
        visible(request.skill),
        visible(request.script),
        request.digest,
        visible(request.reach),
    ));
    let question = cliclack::confirm("Run it this once?").initial_value(false);
    match { question }.interact() {
        Ok(true) => Ok(Approval::User),
        Ok(false) => Err(denied().into()),
        Err(_) => Err(CommandError::Stopped),
    }
}
