//! What a script may do: what the user allows, less what the skill does not need.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillyard_sandbox::{
    Backend, Command, Commands, HostRule, Limits, Mount, MountAccess, Network, Profile, Stdin,
};

use super::interpreter::{self, Interpreter, program};
use super::permissions::{Declared, Workspace, effective_limits, restrict_network};
use super::{Allowed, ScriptError, SkillFolders, protected};

/// A script, ready to run.
#[derive(Debug, Clone)]
pub struct ScriptPlan {
    /// What it may do.
    pub profile: Profile,
    /// How it is started.
    pub command: Command,
    /// Hosts that the skill would like and the user did not allow.
    pub wished: Vec<HostRule>,
    /// What the skill says about its scripts and nobody understands.
    pub unread: Vec<String>,
}

/// The skill as the plan needs it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its copy.
    pub copy: &'a Path,
    /// Where it really is; empty if nowhere.
    pub folder: &'a Path,
    /// Its fields.
    pub fields: &'a Value,
    /// The script's path in it.
    pub script: &'a str,
    /// The folders that programs of the system are looked for in.
    pub path: &'a [PathBuf],
    /// The user's home directory, of which only installed programs are shown.
    pub home: Option<&'a Path>,
}

/// Finds who understands a script, and puts together for a back end what it needs and may do.
pub fn plan(
    subject: &Subject<'_>,
    allowed: &Allowed,
    arguments: &[OsString],
    backend: Backend,
) -> Result<ScriptPlan, ScriptError> {
    let file = subject.copy.join(subject.script);
    let interpreter = interpreter::find(&file, subject.script, subject.path, subject.home)?;
    started_by(&interpreter, subject, allowed, arguments, backend)
}

/// Where the copy of a skill is shown: in its place, or, where that is in the workspace, in the place
/// that links lead to from there, because they lead on inside as they do outside.
pub fn shown_at(folder: &Path, workspace: Option<&Path>) -> PathBuf {
    let is_inside = workspace.is_some_and(|workspace| folder.starts_with(workspace));
    let real = is_inside.then(|| folder.canonicalize().ok()).flatten();
    real.unwrap_or_else(|| folder.to_owned())
}

/// The same for a script that this interpreter understands.
pub(super) fn started_by(
    interpreter: &Interpreter,
    subject: &Subject<'_>,
    allowed: &Allowed,
    arguments: &[OsString],
    backend: Backend,
) -> Result<ScriptPlan, ScriptError> {
    let declared = Declared::read(subject.fields);
    let workspace = match declared.workspace {
        Some(Workspace::None) => None,
        _ => allowed.workspace.as_deref(),
    };
    // Where it can be, the copy is shown in the place of the skill. It cannot where the workspace
    // is that place or lies in it: an author works on the skill, and the script is to see the work.
    let place = shown_at(subject.folder, workspace);
    let is_worked_on = workspace.is_some_and(|each| each.starts_with(&place));
    let skill = Mount {
        source: subject.copy.to_owned(),
        target: if place.as_os_str().is_empty() || is_worked_on {
            subject.copy.to_owned()
        } else {
            place
        },
        access: MountAccess::Read,
    };
    let folder = backend.place(&skill).to_owned();
    let mut profile = Profile {
        limits: effective_limits(allowed, &declared),
        commands: commands(allowed, interpreter, subject.path),
        ..Profile::default()
    };
    if let Some(workspace) = workspace {
        let read_only = allowed.read_only || declared.workspace == Some(Workspace::Read);
        let access = if read_only {
            MountAccess::Read
        } else {
            MountAccess::Write
        };
        profile.mounts.push(Mount::new(workspace, access));
        if access == MountAccess::Write {
            profile.protected = protected::places(workspace, &allowed.skill_folders)?;
        }
    }
    let installation = interpreter.installation.iter();
    profile
        .mounts
        .extend(installation.map(|place| Mount::new(place, MountAccess::Read)));
    profile.mounts.push(skill);
    let wished = if backend == Backend::None {
        // Nothing is kept from it, so nothing else is told. Hosts that were asked for are refused.
        profile.network = match &allowed.network {
            Network::Hosts(rules) => Network::Hosts(rules.clone()),
            Network::None | Network::Full => Network::Full,
        };
        Vec::new()
    } else {
        restrict_network(&mut profile, allowed, &declared)
    };
    profile.environment = environment(&folder, subject.name, &allowed.environment);
    let script = folder.join(subject.script);
    let mut words = interpreter.arguments.clone();
    let program = match &interpreter.program {
        Some(program) => {
            words.push(script.into_os_string());
            program.clone()
        }
        None => script,
    };
    words.extend(arguments.iter().cloned());
    Ok(ScriptPlan {
        command: Command {
            program,
            arguments: words,
            directory: workspace.map_or(folder, Path::to_owned),
            stdin: if allowed.stdin {
                Stdin::Inherited
            } else {
                Stdin::Empty
            },
        },
        profile,
        wished,
        unread: declared.unread,
    })
}

/// What a program of nobody's skill may do in a workspace. Which programs it may start is for the
/// guard to say, which reads the whole command.
pub fn in_workspace(
    workspace: &Path,
    skill_folders: &SkillFolders,
    limits: Limits,
) -> Result<Profile, ScriptError> {
    Ok(Profile {
        mounts: vec![Mount::new(workspace, MountAccess::Write)],
        protected: protected::places(workspace, skill_folders)?,
        limits,
        ..Profile::default()
    })
}

/// As much of a profile as is known before the script is: enough to choose a back end, and
/// nothing to run with.
pub fn outline(allowed: &Allowed) -> Profile {
    let workspace = allowed.workspace.iter().filter(|_| !allowed.read_only);
    Profile {
        mounts: workspace
            .map(|folder| Mount::new(folder, MountAccess::Write))
            .collect(),
        // Which places they are says nothing about who can protect them.
        protected: vec![".git".into()],
        network: allowed.network.clone(),
        // Nor does which programs they are.
        commands: match &allowed.commands {
            None => Commands::Any,
            Some(_) => Commands::Only(Vec::new()),
        },
        ..Profile::default()
    }
}

/// The programs that a script may start: those that are allowed and here, and its interpreter.
fn commands(allowed: &Allowed, interpreter: &Interpreter, path: &[PathBuf]) -> Commands {
    let Some(names) = &allowed.commands else {
        return Commands::Any;
    };
    let found = names.iter().filter_map(|name| program(name, path));
    Commands::Only(
        interpreter
            .program
            .clone()
            .into_iter()
            .chain(found)
            .collect(),
    )
}

fn environment(
    folder: &Path,
    name: &str,
    passed: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let mut variables = passed.to_vec();
    variables.extend([
        ("SKILL_DIR".into(), folder.into()),
        ("SKILL_NAME".into(), name.into()),
        // The skill cannot be written to, and output is wanted while it happens.
        ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
        ("PYTHONUNBUFFERED".into(), "1".into()),
        ("NO_COLOR".into(), "1".into()),
    ]);
    variables
}
