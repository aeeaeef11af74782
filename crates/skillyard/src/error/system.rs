//! Hints about what the system refused, whoever asked it.

use std::error::Error;
use std::io::{self, ErrorKind};

use super::CommandError;

/// What the user can do about a disk that is full.
pub(super) const DISK_FULL_HINT: &str =
    "Make room on the disk; `skillyard store gc` removes what no project uses";

/// What the user can do about the failure of the system that lies at the bottom of an error.
pub(super) fn hint(error: &CommandError) -> Option<String> {
    if let CommandError::Output(_) = error {
        return None;
    }
    if let CommandError::Nowhere = error {
        return Some("Change into another one, or into what is there now with `cd \"$PWD\"`; for your own skills, say `--scope user`".into());
    }
    if is_missing(error) && std::env::current_dir().is_err() {
        return Some("The folder that you are in was removed; change into another one".into());
    }
    let text = match kind(error)? {
        ErrorKind::PermissionDenied => {
            "Look at whose it is with `ls -ld`; Skillyard keeps its own files where `SKILLYARD_HOME` says"
        }
        ErrorKind::ReadOnlyFilesystem => {
            "It lies where nothing can be written, such as in the image of a container or on a volume that is mounted \
             read-only (`findmnt -T PATH` says what is mounted there); mount it writable, or work elsewhere: Skillyard \
             keeps its own files where `SKILLYARD_HOME` says"
        }
        ErrorKind::ResourceBusy => {
            "Something is mounted there, such as a volume of a container (`findmnt -T PATH` says what), or another program \
             holds it (`fuser -vm PATH` says which); unmount it, or end the program, and run this again"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => DISK_FULL_HINT,
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "A file stands where a folder is needed; move it away"
        }
        ErrorKind::IsADirectory => "A folder stands where a file is needed; move it away",
        _ => return None,
    };
    Some(text.into())
}

/// Whether the machine failed, and not what was asked for.
pub(super) fn is_trouble(error: &CommandError) -> bool {
    let failed = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::PermissionDenied,
        ErrorKind::OutOfMemory,
        ErrorKind::ResourceBusy,
    ];
    matches!(error, CommandError::Audit(_))
        || kind(error).is_some_and(|kind| failed.contains(&kind))
}

fn is_missing(error: &CommandError) -> bool {
    matches!(error, CommandError::NoSuchPath(_)) || kind(error) == Some(ErrorKind::NotFound)
}

/// What kind of failure lies at the bottom.
fn kind(error: &CommandError) -> Option<ErrorKind> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    let mut kind = None;
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            kind = Some(error.kind());
        }
        cause = error.source();
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn what_keeps_a_place_from_being_changed_is_named() {
        let told = |kind: ErrorKind| {
            let path = PathBuf::from("/there");
            let source = kind.into();
            let told = hint(&CommandError::Write { path, source });
            told.unwrap_or_default()
        };
        assert!(told(ErrorKind::ReadOnlyFilesystem).contains("read-only"));
        assert!(told(ErrorKind::ResourceBusy).contains("mounted there"));
        assert!(told(ErrorKind::PermissionDenied).contains("ls -ld"));
    }
}
