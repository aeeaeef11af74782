//! What a sandbox costs: `/bin/true` by itself, in plain bubblewrap, in ours and in others',
//! in turns. Prints one line of JSON for each way, in milliseconds of wall time.
//!
//! `overhead LAUNCHER ROUNDS [NAME=PROGRAM ARGUMENT…]…` measures further ways; a word `,` ends
//! one of them. `benches/sandbox.py` calls it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench that cannot go on stops, and printing is its purpose"
)]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};
    use std::process::{Command as Process, Stdio};
    use std::time::{Duration, Instant};

    use skillyard_sandbox::survey::Survey;
    use skillyard_sandbox::{Backend, Command, Live, Mount, MountAccess, Profile, Sandbox};

    type Way<'a> = (String, Box<dyn Fn() + 'a>);

    pub(super) fn main() {
        let mut words = std::env::args().skip(1);
        let launcher = PathBuf::from(words.next().unwrap());
        let rounds: usize = words.next().unwrap().parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        let mut ways: Vec<Way<'_>> = vec![
            other("bare", &["/bin/true".into()]),
            plain("bwrap --unshare-all", ""),
            plain(
                "bwrap, own proc dev tmp",
                "--proc /proc --dev /dev --tmpfs /tmp",
            ),
        ];
        for backend in [Backend::Bubblewrap, Backend::Landlock] {
            let own = folder.path().join(backend.as_str());
            std::fs::create_dir(&own).unwrap();
            ways.push(ours(backend, &launcher, &own));
        }
        let rest: Vec<String> = words.collect();
        for way in rest.split(|word| word == ",").filter(|way| !way.is_empty()) {
            let (name, program) = way[0].split_once('=').unwrap();
            let command: Vec<String> = std::iter::once(program.to_owned())
                .chain(way[1..].iter().cloned())
                .collect();
            ways.push(other(name, &command));
        }
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
        for _ in 0..rounds {
            for ((_, run), times) in ways.iter().zip(&mut times) {
                let start = Instant::now();
                run();
                times.push(start.elapsed());
            }
        }
        for ((name, _), mut times) in ways.into_iter().zip(times) {
            times.sort_unstable();
            let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
            println!(
                r#"{{"name": "{name}", "min": {:.3}, "median": {:.3}, "p90": {:.3}}}"#,
                at(0),
                at(50),
                at(90)
            );
        }
    }

    /// Bubblewrap as anybody would call it.
    fn plain<'a>(name: &str, more: &str) -> Way<'a> {
        let words = format!("bwrap --unshare-all --ro-bind / / {more} /bin/true");
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        other(name, &words)
    }

    fn other<'a>(name: &str, command: &[String]) -> Way<'a> {
        let command = command.to_vec();
        let run = move || {
            let status = Process::new(&command[0])
                .args(&command[1..])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(status.unwrap().success(), "{command:?}");
        };
        (name.to_owned(), Box::new(run))
    }

    /// A sandbox with a folder to read, as a skill's.
    fn ours<'a>(backend: Backend, launcher: &Path, folder: &Path) -> Way<'a> {
        let sandbox =
            Sandbox::new(backend, Survey::take(), launcher, &std::env::temp_dir()).unwrap();
        if let Some(identity) = sandbox.identity() {
            std::os::unix::fs::chown(folder, Some(identity.uid), Some(identity.gid)).unwrap();
        }
        let mounts = vec![Mount::new(folder, MountAccess::Read)];
        let profile = Profile {
            mounts,
            ..Profile::default()
        };
        let run = move || {
            let outcome = sandbox
                .run(&profile, &Command::new("/bin/true"), Live::default())
                .unwrap();
            assert_eq!(outcome.code(), 0);
        };
        (format!("skillyard {backend}"), Box::new(run))
    }
}
