//! Who has a lease: a name that no other has, and the process that it was given to.
//!
//! Whether a process is gone can be told on the machine that it ran on, by its own user, who sees
//! it for as long as it is there. Linux says it; elsewhere, leases have to lapse.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;

use super::{SessionError, random};

/// A new holder: this process, and a name for one turn.
pub(super) fn own() -> Result<String, SessionError> {
    let name = random()?;
    let process = std::process::id();
    Ok(match (place(), started(process)) {
        (Some(place), Started::At(start)) => format!("{name} {place} {process} {start}"),
        _ => name,
    })
}

/// Whether the process of a holder has certainly ended.
pub(super) fn is_gone(holder: &str) -> bool {
    let parts: Vec<&str> = holder.split(' ').collect();
    let [_, there, process, start] = parts[..] else {
        return false;
    };
    if place().is_none_or(|here| here != there) {
        return false;
    }
    match process.parse().map(started) {
        Ok(Started::At(now)) => now != start,
        Ok(Started::Never) => true,
        Ok(Started::Unknown) | Err(_) => false,
    }
}

/// When a process was started.
enum Started {
    /// In ticks since the machine was.
    At(String),
    /// There is none of this number, or only what is left of it.
    Never,
    Unknown,
}

fn started(process: u32) -> Started {
    let status = match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(status) => status,
        Err(error) if error.kind() == ErrorKind::NotFound => return Started::Never,
        Err(_) => return Started::Unknown,
    };
    // The name of the program may hold anything; what follows it does not.
    let Some((_, fields)) = status.rsplit_once(')') else {
        return Started::Unknown;
    };
    let fields: Vec<&str> = fields.split_whitespace().collect();
    match (fields.first(), fields.get(19)) {
        (Some(&("Z" | "X")), _) => Started::Never,
        (_, Some(ticks)) => Started::At((*ticks).to_owned()),
        _ => Started::Unknown,
    }
}

/// This start of this machine, the processes that are seen here, and who looks at them.
fn place() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let processes = fs::read_link("/proc/self/ns/pid").ok()?;
    let user = fs::metadata("/proc/self").ok()?.uid();
    Some(format!("{}/{}/{user}", boot.trim(), processes.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_gone_once_it_has_ended() {
        let own = own().unwrap();
        assert!(!is_gone(&own));
        let parts: Vec<&str> = own.split(' ').collect();
        let [name, place, process, start] = parts[..] else {
            // Nothing can be told here.
            return;
        };
        let changed = |place, process, start| format!("{name} {place} {process} {start}");
        assert!(is_gone(&changed(place, "4194305", start)), "no such number");
        assert!(is_gone(&changed(place, process, "1")), "another's number");
        assert!(!is_gone(&changed("elsewhere", "4194305", start)));
        assert!(!is_gone(name));
    }
}
