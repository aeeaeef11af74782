//! `skillyard doctor`: whether Skillyard's own files can be used.
//!
//! Where one of them cannot, most other commands fail, so here it must be told.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use rustix::fs::Access;
use skillyard_agent::agent::AgentStore;
use skillyard_audit::Fault;
use skillyard_catalog::private_dir::LeftoverFolder;
use skillyard_install::store::Store;

use crate::agent;
use crate::commands::doctor::{Check, Verdict};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::files;
use crate::files::private::refuse_dangling;
use crate::install::logs;
use crate::library;
use crate::scope;
use crate::signing::keyring::Keyring;
use crate::signing::policy;
use crate::text::shell::shell_word;

const AREA: &str = "home";

/// The folders in it.
const FOLDERS: &[&str] = &[
    "agents", "index", "journal", "keys", "logs", "placed", "store",
];

/// How much is written to see whether there is room.
const ROOM: usize = 64 * 1024;

/// Everything about Skillyard's own folder.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let environment = &context.environment;
    // Nobody can tell anything of what lies behind it.
    if let Err(dangling) = refuse_dangling(&environment.skillyard_home) {
        return vec![unusable("folder", &dangling)];
    }
    let readable = [
        ("config", context.config().map(drop)),
        (
            "approvals",
            files::read_approvals(&environment.approvals_file()).map(drop),
        ),
        ("trust", policy::load(environment).map(drop)),
        ("sessions", sessions(context)),
        ("registries", logs::check(&environment.registries_file())),
    ];
    let agents = AgentStore::new(&environment.agents_folder());
    let agents = agents.names().into_iter().map(|name| {
        let read = agents.load(&name);
        let read = read.map_err(|error| CommandError::from(AgentFailure::from(error)));
        ("agents", read.map(drop))
    });
    let keyring = Keyring::new(environment.keys_folder());
    let keys = keyring.names().unwrap_or_default().into_iter();
    let keys = keys.map(|name| ("keys", keyring.public(&name).map(drop)));
    let readable = readable.into_iter().chain(agents).chain(keys);
    let home = &environment.skillyard_home;
    let mut checks = vec![folder(home)];
    // What was once started as root belongs to root, too.
    let folders = FOLDERS.iter().map(|name| home.join(name));
    let store = scope::store(context);
    let folders = folders.chain(store.folders());
    checks.extend(folders.filter_map(|folder| below(&folder)));
    for (name, read) in readable {
        checks.extend(read.err().map(|error| unusable(name, &error)));
    }
    checks.extend(missing_folders(context));
    checks.extend(left_over(context, &store));
    checks.push(audit(context, &environment.logs_folder()));
    checks
}

/// What processes that were killed left behind, and what cannot be removed even now.
fn left_over(context: &Context, store: &Store) -> Vec<Check> {
    let runs = skillyard_agent::script::sweep(&context.environment.temporary);
    let stuck = store.sweep().into_iter().chain(runs);
    let told = stuck.map(|LeftoverFolder { path, source }| {
        let path = path.display().to_string();
        let hint = format!("Remove it with `rm -r {}`, as who it belongs to", shell_word(&path));
        Check {
            verdict: Verdict::Warning,
            hint: Some(hint),
            ..good(
                "left-over",
                format!("`{path}` was left by a process that was killed, and cannot be removed: {source}"),
            )
        }
    });
    told.collect()
}

/// Folders that skills are to be read from and that are not there; skills are read without them.
fn missing_folders(context: &Context) -> Vec<Check> {
    let home = context.environment.home.as_deref();
    let Ok(config) = context.config() else {
        return Vec::new();
    };
    // A relative one is looked for at the project's root.
    let surroundings = library::surroundings(context, &config);
    let root = surroundings.project_root();
    let folders = config.directories(home).into_iter();
    let missing = folders.filter(|folder| !root.join(folder).is_dir());
    let told = missing.map(|folder| Check {
        verdict: Verdict::Warning,
        hint: Some("Make it, or see `skillyard config get discovery.directories`".into()),
        ..good(
            "directories",
            format!(
                "`{}` of `discovery.directories` is no folder",
                folder.display()
            ),
        )
    });
    told.collect()
}

/// Whether the sessions can be used, if it is known where they are.
fn sessions(context: &Context) -> Result<(), CommandError> {
    match context.config() {
        Ok(_) => agent::check_store(context),
        Err(_) => Ok(()),
    }
}

/// Whether something can be written there, by writing it.
fn folder(folder: &Path) -> Check {
    let tried = match folder.symlink_metadata() {
        Ok(_) => tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(&vec![0; ROOM])),
        Err(error) if error.kind() == ErrorKind::NotFound => will_be_made(folder),
        Err(error) => Err(error),
    };
    match tried {
        Ok(()) => good(
            "folder",
            format!("`{}` can be written to", folder.display()),
        ),
        Err(source) => {
            let path = folder.to_owned();
            unusable("folder", &CommandError::Write { path, source })
        }
    }
}

/// What is wrong with a folder in it, if it is there.
fn below(path: &Path) -> Option<Check> {
    let error = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => rustix::fs::access(path, Access::WRITE_OK)
            .err()
            .map(io::Error::from),
        Ok(_) => Some(ErrorKind::NotADirectory.into()),
        // A link that leads to nothing is there. A file around it was told of.
        Err(error) => Some(error).filter(|error| {
            let nothing = [ErrorKind::NotFound, ErrorKind::NotADirectory];
            !nothing.contains(&error.kind()) || path.is_symlink()
        }),
    };
    let path = path.to_owned();
    error.map(|source| unusable("folder", &CommandError::Write { path, source }))
}

/// Whether the folder can be made once it is needed.
fn will_be_made(folder: &Path) -> io::Result<()> {
    let above = folder.ancestors().find(|above| above.exists());
    let above = above.unwrap_or(Path::new("/"));
    Ok(rustix::fs::access(above, Access::WRITE_OK)?)
}

fn audit(context: &Context, folder: &Path) -> Check {
    // Looked at before anything is written: a writer mends what it can, and says so in the log.
    match skillyard_audit::verify(folder, None) {
        Err(error) => return unusable("audit", &error.into()),
        Ok(verdict) => {
            if let Some(fault) = verdict.fault {
                return changed(&fault);
            }
        }
    }
    if folder.exists()
        && let Err(error) = context.ready_to_record()
    {
        return unusable("audit", &error);
    }
    good("audit", "the audit log is intact".into())
}

fn changed(fault: &Fault) -> Check {
    Check {
        verdict: Verdict::Bad,
        hint: Some(
            "Look at it with `skillyard audit verify`; docs/audit.md says what it means".into(),
        ),
        ..good(
            "audit",
            format!("the audit log is not intact: {}", fault.kind),
        )
    }
}

fn unusable(name: &'static str, error: &CommandError) -> Check {
    Check {
        verdict: Verdict::Bad,
        hint: error
            .hint()
            .or_else(|| Some("Mend it, or move it away".into())),
        ..good(name, error.with_causes())
    }
}

fn good(name: &'static str, message: String) -> Check {
    Check::good(AREA, name, message)
}
