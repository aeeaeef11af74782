//! A container of podman or docker, for who wants one.

use std::ffi::OsString;

use crate::command::{Command, Stdin};
use crate::profile::{Limits, MountAccess, Network, Profile};

/// The image that is used when no other is named.
pub(crate) const IMAGE: &str = "docker.io/library/debian:stable-slim";

/// The arguments of `docker` or `podman` to run a program in a container called `name`.
pub(crate) fn arguments(
    profile: &Profile,
    command: &Command,
    image: &str,
    name: &str,
) -> Vec<OsString> {
    let Limits {
        memory,
        processes,
        open_files,
        file_size,
        scratch,
        cpu,
        ..
    } = profile.limits;
    let mut words: Vec<OsString> = [
        "run",
        "--rm",
        "--init",
        "--read-only",
        "--cap-drop=ALL",
        "--pull=never",
    ]
    .map(OsString::from)
    .into();
    let network = match profile.network {
        Network::Full => "bridge",
        Network::None | Network::Hosts(_) => "none",
    };
    for option in [
        format!("--name={name}"),
        format!("--network={network}"),
        "--security-opt=no-new-privileges".to_owned(),
        "--ipc=private".to_owned(),
        "--hostname=sandbox".to_owned(),
        "--user=65534:65534".to_owned(),
        format!("--memory={memory}"),
        format!("--memory-swap={memory}"),
        format!("--pids-limit={processes}"),
        format!("--ulimit=nofile={open_files}"),
        format!("--ulimit=fsize={file_size}"),
        format!("--ulimit=cpu={}", cpu.as_secs().max(1)),
        "--ulimit=core=0".to_owned(),
        format!("--tmpfs=/tmp:rw,nosuid,nodev,size={scratch}"),
        "--env=HOME=/tmp".to_owned(),
    ] {
        words.push(option.into());
    }
    // The engine's own value can be more than it may set.
    if let Some(most) = most_processes() {
        words.push(format!("--ulimit=nproc={most}").into());
    }
    if command.stdin != Stdin::Empty {
        words.push("--interactive".into());
    }
    for mount in &profile.mounts {
        let mut option = OsString::from("--mount=type=bind,source=");
        option.push(&mount.source);
        option.push(",target=");
        option.push(&mount.target);
        if mount.access == MountAccess::Read {
            option.push(",readonly");
        }
        words.push(option);
    }
    for (name, value) in &profile.environment {
        let mut option = OsString::from("--env=");
        option.push(name);
        option.push("=");
        option.push(value);
        words.push(option);
    }
    let mut directory = OsString::from("--workdir=");
    directory.push(&command.directory);
    words.extend([directory, image.into(), command.program.clone().into()]);
    words.extend(command.arguments.iter().cloned());
    words
}

/// How many processes the user of all containers may have, if that is limited for us.
fn most_processes() -> Option<u64> {
    /// Enough for a hundred containers, and less than an engine leaves of what we have.
    const ENOUGH: u64 = 16_384;
    let ours = rustix::process::getrlimit(rustix::process::Resource::Nproc).maximum;
    ours.map(|most| most.min(ENOUGH))
}

/// Why a mount cannot be written as an option: a comma would start another one.
pub(crate) fn unwritable(profile: &Profile) -> Option<String> {
    let mut paths = profile
        .mounts
        .iter()
        .flat_map(|mount| [&mount.source, &mount.target]);
    let path = paths.find(|path| path.to_string_lossy().contains([',', '"', '\n']))?;
    Some(format!(
        "`{}` holds a character that it takes for its own",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Mount;
    use std::path::Path;

    #[test]
    fn everything_is_closed_but_what_is_named() {
        let profile = Profile {
            mounts: vec![
                Mount::new(Path::new("/s"), MountAccess::Read),
                Mount::new(Path::new("/w"), MountAccess::Write),
            ],
            environment: vec![("A".into(), "b c".into())],
            ..Profile::default()
        };
        let command = Command::new("/bin/sh").arguments(["-c", "--privileged"]);
        let words = arguments(&profile, &command, "image", "x");
        let has = |word: &str| words.iter().any(|each| each == word);
        for word in [
            "--network=none",
            "--read-only",
            "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            "--mount=type=bind,source=/s,target=/s,readonly",
            "--mount=type=bind,source=/w,target=/w",
            "--env=A=b c",
            "--pids-limit=128",
            "--pull=never",
        ] {
            assert!(has(word), "{word} in {words:?}");
        }
        let limited = words
            .iter()
            .any(|word| word.to_string_lossy().starts_with("--ulimit=nproc="));
        assert_eq!(limited, most_processes().is_some());
        // Arguments of the program follow the image.
        let image = words.iter().position(|each| each == "image");
        assert!(image < words.iter().position(|each| each == "--privileged"));
        assert!(!has("--interactive"));
    }

    #[test]
    fn a_comma_in_a_path_is_refused() {
        let mut profile = Profile::default();
        assert_eq!(unwritable(&profile), None);
        profile.mounts.push(Mount::new(
            Path::new("/a,readonly=false"),
            MountAccess::Read,
        ));
        assert!(unwritable(&profile).is_some());
    }
}
