//! What a script may do: what the user allows, less what the skill does not need.
//!
//! `narrowed` brings both sides together, `folder` says which folders it may work in, `protected`
//! what of them stays as it is, `skill_folders` where skills are read from, `made` what was new in them afterwards; `told` tells people and
//! programs of all this.

mod folder;
mod made;
mod narrowed;
mod protected;
mod skill_folders;
mod told;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillyard_sandbox::{
    Access, Backend, Command, Commands, HostRule, Limits, Mount, Network, Profile, Stdin,
};

use super::declared::{Declared, Workspace};
use super::interpreter::{Interpreter, program};
use crate::config::Config;
use crate::error::RunError;

use narrowed::{limits, network};

pub(crate) use folder::workspace;
pub(crate) use made::Made;
pub(crate) use protected::{is_obeyed, leads_into};
pub(crate) use skill_folders::SkillFolders;
pub(crate) use told::{argv, as_json, limits_json, reach};

/// What the user allows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    /// How much it may use.
    pub(crate) limits: Limits,
    /// The programs of the system that it may start, by their names; all if nobody says.
    pub(crate) commands: Option<Vec<String>>,
    /// A folder to work in.
    pub(crate) workspace: Option<PathBuf>,
    /// Where skills are read from, which no script changes in that folder.
    pub(crate) skill_folders: SkillFolders,
    /// Whether that folder may only be read.
    pub(crate) read_only: bool,
    /// The network.
    pub(crate) network: Network,
    /// Variables that are passed on.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Whether our own input is passed on.
    pub(crate) stdin: bool,
}

impl Allowed {
    /// What the configuration allows to every script.
    pub(crate) fn configured(config: &Config) -> Self {
        Self {
            limits: config.script_limits(),
            commands: config.script_commands(),
            ..Self::default()
        }
    }

    /// The same with hosts that were approved.
    pub(crate) fn with_hosts(mut self, hosts: &[String]) -> Result<Self, RunError> {
        let rules = hosts.iter().map(|host| host.parse::<HostRule>());
        let rules: Vec<HostRule> = rules.collect::<Result<_, _>>()?;
        self.network = match self.network {
            Network::None if rules.is_empty() => Network::None,
            Network::None => Network::Hosts(rules),
            Network::Full => Network::Full,
            Network::Hosts(mut asked) => {
                let more: Vec<_> = rules.into_iter().filter(|it| !asked.contains(it)).collect();
                asked.extend(more);
                Network::Hosts(asked)
            }
        };
        Ok(self)
    }
}

/// A script, ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// What it may do.
    pub(crate) profile: Profile,
    /// How it is started.
    pub(crate) command: Command,
    /// Hosts that the skill would like and the user did not allow.
    pub(crate) wished: Vec<HostRule>,
    /// What the skill says about its scripts and nobody understands.
    pub(crate) unread: Vec<String>,
}

/// The skill as the plan needs it.
pub(crate) struct Subject<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Its copy.
    pub(crate) copy: &'a Path,
    /// Where it really is; empty if nowhere.
    pub(crate) folder: &'a Path,
    /// Its fields.
    pub(crate) fields: &'a Value,
    /// The script's path in it.
    pub(crate) script: &'a str,
    /// The folders that programs of the system are looked for in.
    pub(crate) path: &'a [PathBuf],
}

/// Puts everything together for a back end.
pub(crate) fn plan(
    subject: &Subject<'_>,
    interpreter: &Interpreter,
    allowed: &Allowed,
    arguments: &[OsString],
    backend: Backend,
) -> Result<Plan, RunError> {
    let declared = Declared::read(subject.fields);
    let workspace = match declared.workspace {
        Some(Workspace::None) => None,
        _ => allowed.workspace.as_deref(),
    };
    // Where it can be, the copy is shown in the place of the skill. It cannot where the workspace
    // is that place or lies in it: an author works on the skill, and the script is to see the work.
    let is_worked_on = workspace.is_some_and(|each| each.starts_with(subject.folder));
    let skill = Mount {
        source: subject.copy.to_owned(),
        target: if subject.folder.as_os_str().is_empty() || is_worked_on {
            subject.copy.to_owned()
        } else {
            subject.folder.to_owned()
        },
        access: Access::Read,
    };
    let folder = backend.place(&skill).to_owned();
    let mut profile = Profile {
        limits: limits(allowed, &declared),
        commands: commands(allowed, interpreter, subject.path),
        ..Profile::default()
    };
    if let Some(workspace) = workspace {
        let read_only = allowed.read_only || declared.workspace == Some(Workspace::Read);
        let access = if read_only {
            Access::Read
        } else {
            Access::Write
        };
        profile.mounts.push(Mount::new(workspace, access));
        if access == Access::Write {
            profile.protected = protected::places(workspace, &allowed.skill_folders)?;
        }
    }
    let installation = interpreter.installation.iter();
    profile
        .mounts
        .extend(installation.map(|place| Mount::new(place, Access::Read)));
    profile.mounts.push(skill);
    let wished = if backend == Backend::None {
        // Nothing is kept from it, so nothing else is told. Hosts that were asked for are refused.
        profile.network = match &allowed.network {
            Network::Hosts(rules) => Network::Hosts(rules.clone()),
            Network::None | Network::Full => Network::Full,
        };
        Vec::new()
    } else {
        network(&mut profile, allowed, &declared)
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
    Ok(Plan {
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
pub(crate) fn in_workspace(
    workspace: &Path,
    skill_folders: &SkillFolders,
    limits: Limits,
) -> Result<Profile, RunError> {
    Ok(Profile {
        mounts: vec![Mount::new(workspace, Access::Write)],
        protected: protected::places(workspace, skill_folders)?,
        limits,
        ..Profile::default()
    })
}

/// As much of a profile as is known before the script is: enough to choose a back end, and
/// nothing to run with.
pub(crate) fn outline(allowed: &Allowed) -> Profile {
    let workspace = allowed.workspace.iter().filter(|_| !allowed.read_only);
    Profile {
        mounts: workspace
            .map(|folder| Mount::new(folder, Access::Write))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn planned(metadata: &Value, allowed: &Allowed) -> Plan {
        let fields = json!({ "metadata": metadata });
        let subject = Subject {
            name: "pdf",
            copy: Path::new("/tmp/copy/pdf"),
            folder: Path::new("/skills/pdf"),
            fields: &fields,
            script: "scripts/run.py",
            path: &[],
        };
        let interpreter = Interpreter {
            program: Some("/usr/bin/python3".into()),
            arguments: vec!["-u".into()],
            installation: Vec::new(),
        };
        plan(
            &subject,
            &interpreter,
            allowed,
            &["a".into()],
            Backend::Bubblewrap,
        )
        .unwrap()
    }

    #[test]
    fn a_skill_narrows_and_never_widens() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits {
            wall: Duration::from_secs(20),
            ..Limits::default()
        };
        let allowed = Allowed {
            limits,
            workspace: Some(folder.path().to_owned()),
            network: Network::Hosts(vec![
                "a.example".parse().unwrap(),
                "b.example".parse().unwrap(),
            ]),
            ..Allowed::default()
        };
        let plain = planned(&json!({}), &allowed);
        assert_eq!(
            argv(&plain.command),
            ["/usr/bin/python3", "-u", "/skills/pdf/scripts/run.py", "a"]
        );
        assert_eq!(plain.command.directory, folder.path());
        assert_eq!(plain.profile.limits.wall, Duration::from_secs(20));
        assert_eq!(plain.profile.writable().count(), 1);
        let more = json!({ "sandbox-timeout": "1000", "sandbox-memory": "999999", "sandbox-network": "a.example evil.example", "sandbox-workspace": "write" });
        let more = planned(&more, &allowed);
        assert_eq!(more.profile.limits, plain.profile.limits);
        let writes = format!("hosts a.example; writes `{}`", folder.path().display());
        assert_eq!(reach(&more.profile, Backend::Bubblewrap), writes);
        assert_eq!(more.wished, ["evil.example".parse().unwrap()]);
        let less = json!({ "sandbox-timeout": "5", "sandbox-memory": "10", "sandbox-network": "none", "sandbox-workspace": "none" });
        let less = planned(&less, &allowed);
        assert_eq!(
            (
                less.profile.limits.wall.as_secs(),
                less.profile.limits.memory
            ),
            (5, 10 << 20)
        );
        assert_eq!(reach(&less.profile, Backend::Bubblewrap), "no network");
        assert_eq!(less.command.directory, Path::new("/skills/pdf"));
        let read = planned(&json!({ "sandbox-workspace": "read" }), &allowed);
        assert_eq!(read.profile.writable().count(), 0);
        let full = Allowed {
            network: Network::Full,
            ..Allowed::default()
        };
        assert_eq!(
            reach(
                &planned(&json!({ "sandbox-network": "a.example" }), &full).profile,
                Backend::Bubblewrap
            ),
            "hosts a.example"
        );
        let none = planned(
            &json!({ "sandbox-network": "a.example" }),
            &Allowed::default(),
        );
        assert_eq!(none.profile.network, Network::None);
    }
}
