//! A script of a skill on a shelf, ready to run: of exactly the bytes that were decided about.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use skillyard_format::Digest;
use skillyard_sandbox::{Live, Outcome, Sandbox};

use super::{Allowed, Copy, ScriptError, ScriptPlan, Subject, plan};
use crate::shelf::Shelf;

/// A script that somebody wants to run.
#[derive(Debug, Clone, Copy)]
pub struct ScriptRequest<'a> {
    /// The skill.
    pub skill: &'a str,
    /// What it must consist of; anything else is not run.
    pub digest: Digest,
    /// The script: its path in the skill, or its name in `scripts/`.
    pub script: &'a str,
    /// What it is told.
    pub arguments: &'a [OsString],
}

/// What a script needs to know of this machine.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// The folders of `PATH`, for interpreters.
    pub path: &'a [PathBuf],
    /// The user's home directory, of which only installed programs are shown.
    pub home: Option<&'a Path>,
    /// Where copies of skills are made.
    pub temporary: &'a Path,
}

/// A script with the copy of its skill, which goes when this is dropped.
#[derive(Debug)]
pub struct Ready {
    /// The copy, which the plan shows to the script.
    pub copy: Copy,
    /// What it needs and may do.
    pub plan: ScriptPlan,
    /// Its path in the skill.
    pub script: String,
}

impl Ready {
    /// Runs it. Whoever calls has asked whether it may, and writes down that it does.
    pub fn run(&self, sandbox: &Sandbox, live: Live<'_>) -> Result<Outcome, ScriptError> {
        Ok(sandbox.run(&self.plan.profile, &self.plan.command, live)?)
    }
}

impl Shelf {
    /// A script of a skill, made ready for a sandbox: the skill is copied while it is hashed, and is
    /// refused if it is not what was decided about.
    pub fn script(
        &self,
        wanted: &ScriptRequest<'_>,
        allowed: &Allowed,
        machine: &Machine<'_>,
        sandbox: &Sandbox,
    ) -> Result<Ready, ScriptError> {
        let found = self.find(wanted.skill)?;
        let record = &found.skill.record;
        let folder = self.brought(found)?;
        let copy = Copy::make(&record.name, folder, machine.temporary, sandbox.owner())?;
        let now = copy.digest();
        self.intact(&record.name, now)?;
        if now != wanted.digest {
            return Err(ScriptError::Changed {
                skill: record.name.clone(),
                wanted: wanted.digest,
                now,
            });
        }
        let script = copy.script(wanted.script)?.0.to_owned();
        let subject = Subject {
            name: &record.name,
            copy: &copy.folder(),
            folder,
            fields: &record.fields_json(),
            script: &script,
            path: machine.path,
            home: machine.home,
        };
        let plan = plan(&subject, allowed, wanted.arguments, sandbox.backend())?;
        Ok(Ready { copy, plan, script })
    }
}
