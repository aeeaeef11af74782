//! `skillyard doctor`: whether what this machine wrote down of its own work can be read.

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_install::scope::Scope;
use skillyard_install::{DamagedRecord, RecordKind, damaged_records};

use crate::commands::doctor::install::bad;
use crate::commands::doctor::{Check, Verdict};
use crate::context::Context;
use crate::scope;
use crate::text::shell::shell_path;

/// The records that are damaged. Those by which nothing is decided are begun anew.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let damaged = damaged_records(&context.environment.skillyard_home);
    let scopes = scope::scopes(context);
    damaged.iter().map(|each| check(each, &scopes)).collect()
}

fn check(record: &DamagedRecord, scopes: &[Scope]) -> Check {
    let DamagedRecord {
        path,
        about,
        reason,
    } = record;
    let what = match about {
        RecordKind::Project => "what was put into a project",
        RecordKind::Folder => "what was put into a folder of an agent, whose skills are held back",
        RecordKind::Making => "which folders were made for skills",
    };
    let message = format!("`{}`, the record of {what}: {reason}", path.display());
    match about {
        // Without it, empty folders may stay when their last skill goes, and nothing else.
        RecordKind::Making if fs::remove_file(path).is_ok() => Check {
            verdict: Verdict::Warning,
            ..bad("record", message, "It was removed, and is begun anew")
        },
        _ => bad("record", message, &hint(record, scopes)),
    }
}

/// What can be done: what lies in the folders at hand is known by the lock, too.
fn hint(DamagedRecord { path, about, .. }: &DamagedRecord, scopes: &[Scope]) -> String {
    let sync = "Move it away, if it is no file, and write it anew with `skillyard sync --scope";
    match about {
        RecordKind::Project
            if scopes
                .iter()
                .any(|scope| scope.placed_file().as_ref() == Some(path)) =>
        {
            format!("{sync} project`")
        }
        RecordKind::Folder if scopes.iter().any(|scope| is_of(scope, path)) => {
            format!("{sync} user`")
        }
        RecordKind::Project => format!(
            "Remove it with `rm -r {}`; `skillyard sync` in its project writes it anew",
            shell_path(path)
        ),
        RecordKind::Folder => format!(
            "Put a copy of it back, or set the variable again that named the folder and run `skillyard sync --scope user`; \
             after `rm -r {}` the skills there count as yours",
            shell_path(path)
        ),
        RecordKind::Making => format!("Remove it with `rm -r {}`", shell_path(path)),
    }
}

/// Whether it is the record of a folder that a variable names now.
fn is_of(scope: &Scope, record: &Path) -> bool {
    let record_of = |folder| -> PathBuf { Scope::folder_record(&scope.skillyard_home, folder) };
    scope
        .moved_targets()
        .any(|folder| record_of(folder) == record)
}
