//! Profiles: what they show, what they protect, and what a back end refuses.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{
    Backend, Commands, Denial, Live, Mount, MountAccess, Network, Profile, RunEnd, Sandbox,
    SandboxError,
};

use crate::lab::{BOTH, Lab, output, sandbox, try_run};

#[test]
fn protected_places_stay_as_they_are() {
    let lab = Lab::new();
    let work = lab.work();
    fs::create_dir_all(work.join(".git/hooks")).unwrap();
    fs::write(work.join(".git/config"), "[core]\n").unwrap();
    let mut profile = lab.profile();
    profile.protected = [".git/hooks", ".git/config", ".claude", ".envrc"]
        .map(PathBuf::from)
        .into();
    for attempt in [
        "echo x > .git/hooks/pre-commit",
        "echo x >> .git/config",
        "rm -rf .git/hooks",
        "mv .git .git2",
        "mv .git/hooks .git/away",
        "rmdir .git/hooks",
        "mv .git/config .git/c2",
        "ln -sf /tmp .git/hooks/x",
    ] {
        let outcome = lab.shell(Backend::Bubblewrap, &profile, attempt);
        assert_ne!(outcome.end, RunEnd::Exited(0), "{attempt}");
    }
    assert_eq!(
        fs::read_to_string(work.join(".git/config")).unwrap(),
        "[core]\n"
    );
    assert_eq!(fs::read_dir(work.join(".git/hooks")).unwrap().count(), 0);
    // Nothing stands in the place of what does not exist, and the rest of the workspace can be used.
    let outcome = lab.shell(Backend::Bubblewrap, &profile, "ls -A");
    assert!(!output(&outcome).contains(".envrc"), "{outcome:?}");
    let outcome = lab.shell(
        Backend::Bubblewrap,
        &profile,
        "echo x > .git/index && cat .git/config",
    );
    assert_eq!(output(&outcome), "[core]\n");
    assert!(work.join(".git/index").exists());
}

#[test]
fn protected_places_that_are_created_are_reported() {
    let lab = Lab::new();
    let work = lab.work();
    fs::create_dir(work.join("docs")).unwrap();
    symlink("docs/new.md", work.join("CLAUDE.md")).unwrap();
    symlink("input.txt", work.join("GEMINI.md")).unwrap();
    let mut profile = lab.profile();
    profile.protected = [
        ".envrc",
        "AGENTS.md",
        "sub/.vscode",
        "CLAUDE.md",
        "GEMINI.md",
    ]
    .map(PathBuf::from)
    .into();
    let script = "echo x > .envrc; mkdir sub; echo x > docs/new.md; ln -sf docs/new.md GEMINI.md";
    let outcome = lab.shell(Backend::Bubblewrap, &profile, script);
    let created = [".envrc", "docs/new.md"].map(|place| work.join(place));
    assert_eq!(outcome.created, created, "{outcome:?}");
    let path = work.join("GEMINI.md");
    assert_eq!(outcome.denials, [Denial::Link { path }]);
}

#[test]
fn a_mount_in_a_protected_place_is_shown() {
    let lab = Lab::new();
    fs::create_dir_all(lab.work().join(".claude/skills/own")).unwrap();
    let mut profile = lab.profile();
    profile.protected = vec![".claude".into()];
    profile.mounts[0].target = lab.work().join(".claude/skills/own");
    let outcome = lab.shell(
        Backend::Bubblewrap,
        &profile,
        "cat .claude/skills/own/SKILL.md",
    );
    assert_eq!(output(&outcome), "mine");
}

#[test]
fn what_a_back_end_cannot_enforce_it_refuses() {
    let lab = Lab::new();
    let protected = Profile {
        protected: vec![".git/hooks".into()],
        ..lab.profile()
    };
    let hosts = Profile {
        network: Network::Hosts(vec!["example.com".parse().unwrap()]),
        ..Profile::default()
    };
    let commands = Profile {
        commands: Commands::Only(vec!["/bin/sh".into()]),
        ..Profile::default()
    };
    for profile in [protected, hosts, commands] {
        let command = lab.command("/bin/true", &[]);
        let refused = try_run(Backend::Landlock, &profile, &command);
        assert!(
            matches!(refused, Err(SandboxError::Unenforceable { .. })),
            "{refused:?}"
        );
        assert_eq!(
            Survey::take().best_backend(&profile).unwrap(),
            Backend::Bubblewrap
        );
    }
}

#[test]
fn a_back_end_that_is_missing_is_an_error_and_never_replaced_by_none() {
    let nothing = Survey::default();
    let error = nothing
        .best_backend(&Profile::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("bubblewrap") && error.contains("landlock"),
        "{error}"
    );
    for backend in BOTH {
        let sandbox = Sandbox::new(
            backend,
            nothing.clone(),
            "/bin/true".as_ref(),
            "/tmp".as_ref(),
        );
        assert!(matches!(sandbox, Err(SandboxError::Unavailable { .. })));
    }
    let old = Survey {
        landlock: Some(5),
        seccomp: true,
        ..Survey::default()
    };
    assert!(old.missing(Backend::Landlock).unwrap().contains("signals"));
}

#[test]
fn only_the_commands_that_are_allowed_are_there() {
    let lab = Lab::new();
    let profile = Profile {
        commands: Commands::Only(["/bin/sh", "/usr/bin/env"].map(PathBuf::from).into()),
        ..lab.profile()
    };
    fs::copy("/bin/ls", lab.work().join("ls")).unwrap();
    let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let loader = loader
        .iter()
        .find(|path| fs::exists(path).unwrap_or(false))
        .unwrap();
    for (attempt, allowed) in [
        ("env true 2>/dev/null; echo $?".to_owned(), "127"),
        ("/usr/bin/ls >/dev/null 2>&1; echo $?".to_owned(), "127"),
        ("./ls >/dev/null 2>&1; echo $?".to_owned(), "126"),
        (
            "/proc/self/root/usr/bin/ls >/dev/null 2>&1; echo $?".to_owned(),
            "127",
        ),
        (
            format!("{loader} /usr/bin/ls >/dev/null 2>&1; echo $?"),
            "127",
        ),
        ("env sh -c 'echo yes'".to_owned(), "yes"),
    ] {
        let shown = output(&lab.shell(Backend::Bubblewrap, &profile, &attempt));
        assert_eq!(shown.trim(), allowed, "{attempt}");
    }
}

#[test]
fn mounts_are_shown_where_they_belong() {
    let lab = Lab::new();
    let mount = Mount {
        source: lab.own(),
        target: "/skill".into(),
        access: MountAccess::Read,
    };
    assert_eq!(Backend::Landlock.place(&mount), lab.own());
    assert_eq!(
        Backend::Bubblewrap.place(&mount),
        std::path::Path::new("/skill")
    );
    let profile = Profile {
        mounts: vec![mount],
        ..Profile::default()
    };
    let command = skillyard_sandbox::Command::new("/bin/cat").arguments(["/skill/SKILL.md"]);
    assert_eq!(
        output(&lab.run(Backend::Bubblewrap, &profile, &command)),
        "mine"
    );
}

#[test]
fn a_mount_that_is_not_there_is_an_error() {
    let lab = Lab::new();
    let profile = Profile {
        mounts: vec![Mount::new(&lab.root().join("nowhere"), MountAccess::Read)],
        ..Profile::default()
    };
    for backend in BOTH {
        let error = try_run(backend, &profile, &lab.command("/bin/true", &[]));
        assert!(
            matches!(error, Err(SandboxError::Mount { .. })),
            "{error:?}"
        );
    }
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let lab = Lab::new();
    for backend in BOTH {
        let error = try_run(
            backend,
            &lab.profile(),
            &lab.command("/usr/bin/no-such-program", &[]),
        );
        let error = error.unwrap_err();
        assert!(matches!(error, SandboxError::Start { .. }), "{error:?}");
        assert!(error.to_string().contains("No such file"), "{error}");
        let relative = try_run(backend, &lab.profile(), &lab.command("input.txt", &[]));
        assert!(matches!(relative, Err(SandboxError::Start { .. })));
    }
}

#[test]
fn the_host_is_not_named() {
    let lab = Lab::new();
    let shown = output(&lab.shell(
        Backend::Bubblewrap,
        &lab.profile(),
        "uname -n; tr '\\0' ' ' < /proc/1/cmdline",
    ));
    assert!(shown.starts_with("sandbox\n"), "{shown}");
    // The first process says nothing about what is mounted.
    assert!(!shown.contains(&*lab.root().to_string_lossy()), "{shown}");
}

#[test]
fn none_is_nothing_but_what_was_asked_for() {
    let lab = Lab::new();
    let secret = lab.root().join("home/.ssh/id_rsa");
    let outcome = lab.run(
        Backend::None,
        &lab.profile(),
        &lab.command("/bin/cat", &[secret.to_str().unwrap()]),
    );
    assert_eq!(output(&outcome), "SECRET");
    assert_eq!(outcome.backend, Backend::None);
}

#[test]
fn what_may_only_be_read_keeps_its_mode_times_and_attributes() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let lab = Lab::new();
    let profile = Profile {
        mounts: vec![Mount::new(&lab.work(), MountAccess::Read)],
        ..Profile::default()
    };
    let script = "import os\n\
        f = os.open('input.txt', os.O_RDONLY)\n\
        print(os.read(f, 9).decode().strip())\n\
        for change in (lambda: os.fchmod(f, 0o600), lambda: os.utime(f, (1, 1)), lambda: os.setxattr(f, 'user.x', b'1')):\n\
        \ttry: change()\n\
        \texcept OSError: pass\n";
    for backend in BOTH {
        let sandbox = sandbox(backend);
        let file = lab.work().join("input.txt");
        // Whoever runs it owns the file, as users own their workspaces.
        if let Some(identity) = sandbox.identity() {
            chown(&file, Some(identity.uid), Some(identity.gid)).unwrap();
        }
        let before = std::fs::metadata(&file).unwrap();
        let command = lab.command("/usr/bin/python3", &["-c", script]);
        let outcome = sandbox.run(&profile, &command, Live::default()).unwrap();
        assert_eq!(output(&outcome), "input\n", "{outcome:?}");
        let after = std::fs::metadata(&file).unwrap();
        let kept = |file: &std::fs::Metadata| (file.mode(), file.mtime(), file.ctime());
        assert_eq!(kept(&after), kept(&before), "{backend}");
    }
}
