//! A script of a skill on its way into the sandbox, with the configuration of this machine.
//!
//! `place` finds the skill and copies it, `approval` asks whether it may run, `profile` says what the
//! user allows, `record` writes down what happened. What it needs and may do is put together by
//! [`skillyard_agent::script`].

pub(crate) mod approval;
pub(crate) mod place;
pub(crate) mod profile;
pub(crate) mod record;
pub(crate) mod sandboxed;

use std::ffi::OsString;

use skillyard_agent::script::{self, Allowed, Copy, ScriptPlan, Subject};
use skillyard_sandbox::Backend;

use crate::context::Context;
use crate::error::RunError;
use place::SkillPlace;

/// What a script of a copied skill needs and may do.
pub(crate) fn plan(
    context: &Context,
    (skill, copy): (&SkillPlace, &Copy),
    script: &str,
    arguments: &[OsString],
    allowed: &Allowed,
    backend: Backend,
) -> Result<ScriptPlan, RunError> {
    let subject = Subject {
        name: &skill.name,
        copy: &copy.folder(),
        folder: &skill.folder,
        fields: &skill.fields,
        script,
        path: &context.environment.path,
        home: context.environment.home.as_deref(),
    };
    Ok(script::plan(&subject, allowed, arguments, backend)?)
}
