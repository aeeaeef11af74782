//! What a script may do here: what the command line says, within what the configuration allows.

use std::ffi::OsString;
use std::time::Duration;

use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_format::package::Digest;
use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, HostRule, Network};
use skillyard_trust::tier::TrustRow;

use crate::commands::run::RunArgs;
use crate::config::keys::entries;
use crate::context::Context;
use crate::error::{CommandError, RunError};
use crate::library::permission::Permissions;
use crate::script::place::SkillPlace;
use crate::script::profile::{self, Allowed, SkillFolders};

/// What the command line allows, and the configuration where that says nothing.
pub(super) fn allowed(context: &Context, args: &RunArgs) -> Result<Allowed, CommandError> {
    let config = context.config()?;
    if args.allow_scripts {
        config.keep_locked("scripts.allow", "`--allow-scripts`", "true")?;
    }
    let configured = profile::configured(&config);
    let day = 24.0 * 60.0 * 60.0;
    let mut limits = configured.limits;
    match args.timeout {
        None => {}
        Some(seconds) if seconds > 0.0 && seconds < day => {
            limits.wall = Duration::from_secs_f64(seconds);
            let key = "sandbox.timeout";
            if let Some(by) = config
                .lock_of(key)
                .filter(|_| limits.wall > configured.limits.wall)
            {
                let (key, by) = (key.to_owned(), by.to_owned());
                let flag = "--timeout";
                return Err(RunError::Locked { key, flag, by }.into());
            }
            limits.cpu = limits.cpu.max(limits.wall);
        }
        Some(_) => return Err(RunError::Timeout.into()),
    }
    let network = if args.net.iter().any(|host| host == "full") {
        Network::Full
    } else if args.net.is_empty() {
        Network::None
    } else {
        let rules = args.net.iter().map(|host| host.parse::<HostRule>());
        Network::Hosts(rules.collect::<Result<_, _>>().map_err(RunError::from)?)
    };
    let variables = args.env.iter().map(|name| {
        let value = context.environment.passed_on(name);
        let value = value.ok_or_else(|| RunError::NoSuchVariable(name.clone()))?;
        Ok((OsString::from(name), value))
    });
    let workspace = args
        .workspace
        .as_deref()
        .map(|path| profile::workspace(path, &context.environment));
    let workspace = workspace.transpose()?;
    let mut skill_folders = SkillFolders::default();
    if let Some(folder) = workspace.as_ref().filter(|_| !args.read_only) {
        skill_folders = profile::skill_folders(context, folder)?;
        skill_folders.refuse_among(folder)?;
    }
    Ok(Allowed {
        limits,
        commands: commands(&args.command, configured.commands)?,
        workspace,
        skill_folders,
        read_only: args.read_only,
        network,
        environment: variables.collect::<Result<_, RunError>>()?,
        stdin: args.stdin,
    })
}

/// The programs that the command line names; the configuration can only be narrowed.
fn commands(
    named: &[String],
    configured: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, RunError> {
    if named.is_empty() {
        return Ok(configured);
    }
    let outside = |name: &&String| configured.as_ref().is_some_and(|all| !all.contains(name));
    match named.iter().find(outside) {
        Some(name) => Err(RunError::Command(name.clone())),
        None => Ok(Some(named.to_vec())),
    }
}

/// The back end that was asked for, or the best for what is allowed.
pub(super) fn backend(
    survey: &Survey,
    args: &RunArgs,
    allowed: &Allowed,
) -> Result<Backend, RunError> {
    match args.backend {
        Some(backend) => Ok(backend),
        None => Ok(survey.best_backend(&profile::outline(allowed))?),
    }
}

/// Refuses to do without a sandbox where the organisation keeps to itself what one has to hold.
pub(super) fn unlocked(context: &Context, skill: &SkillPlace) -> Result<(), CommandError> {
    let config = context.config()?;
    let provenance = Permissions::load(context)?.provenance_of(skill.source, &skill.folder);
    let rows = TrustRow::all_of(&provenance).map(|row| format!("trust.{}.scripts", row.as_str()));
    let rows: Vec<String> = rows.collect();
    let limits = entries().map(|entry| entry.key);
    let limits = limits.filter(|name| name.starts_with("sandbox."));
    for key in limits.chain(rows.iter().map(String::as_str)) {
        if let Some(by) = config.lock_of(key) {
            let (key, by) = (key.to_owned(), by.to_owned());
            let flag = "--backend none";
            return Err(RunError::Locked { key, flag, by }.into());
        }
    }
    Ok(())
}

/// The hosts that were approved of the skill's files as they are now, and what they are then.
pub(super) fn approved_hosts(
    context: &Context,
    skill: &SkillPlace,
) -> Result<(Vec<String>, Option<Digest>), CommandError> {
    let permissions = Permissions::load(context)?;
    // Nearly no skill has any, and its files are hashed once more for this.
    if !permissions.may_have_hosts(&skill.name) {
        return Ok((Vec::new(), None));
    }
    let root = SkillRoot::open(&skill.folder).map_err(CommandError::Resource)?;
    let now = digest(&root).map_err(CommandError::Resource)?;
    let provenance = permissions.provenance_of(skill.source, &skill.folder);
    let hosts = permissions.hosts(&provenance, &skill.name, Some(&now));
    Ok((hosts.to_vec(), Some(now)))
}
