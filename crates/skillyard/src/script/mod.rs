//! A script of a skill on its way into the sandbox.
//!
//! `place` finds the skill and copies it while hashing it, `interpreter` finds who understands
//! the script and `installation` what belongs to that program, `approval` asks whether it may run, `declared` is what the skill says about
//! itself, and `profile` puts together what it may do.

pub(crate) mod approval;
mod declared;
mod installation;
pub(crate) mod interpreter;
pub(crate) mod place;
pub(crate) mod profile;
pub(crate) mod record;
pub(crate) mod sandboxed;
pub(crate) mod scratch;

use std::ffi::OsString;

use skillyard_sandbox::Backend;

use crate::context::Context;
use crate::error::RunError;
use place::{Copy, SkillPlace};
use profile::{Allowed, Plan, Subject};

/// What a script of a copied skill needs and may do.
pub(crate) fn plan(
    context: &Context,
    (skill, copy): (&SkillPlace, &Copy),
    script: &str,
    arguments: &[OsString],
    allowed: &Allowed,
    backend: Backend,
) -> Result<Plan, RunError> {
    let interpreter = interpreter::find(
        &copy.folder().join(script),
        script,
        &context.environment.path,
        context.environment.home.as_deref(),
    )?;
    let subject = Subject {
        name: &skill.name,
        copy: &copy.folder(),
        folder: &skill.folder,
        fields: &skill.fields,
        script,
        path: &context.environment.path,
    };
    profile::plan(&subject, &interpreter, allowed, arguments, backend)
}
