//! Workspaces that somebody else changes while a sandbox is made.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{
    Backend, Denial, Live, Mount, MountAccess, Outcome, Profile, RunEnd, SandboxError,
};

use crate::lab::{Lab, output, sandbox_with};

/// Runs a script; between the look at the workspace and its mounts, `change` happens once.
fn run_while(
    lab: &Lab,
    mounts: Vec<Mount>,
    script: &str,
    change: impl FnOnce(),
) -> Result<Outcome, SandboxError> {
    let found = Survey::take();
    let bwrap = found.bubblewrap.clone().expect("bubblewrap");
    let slow = lab.root().join("slow-bwrap");
    let (begun, done) = (lab.root().join("begun"), lab.root().join("done"));
    let text = format!(
        "#!/bin/sh\n: > {}\nuntil test -e {}; do sleep 0.01; done\nexec {} \"$@\"\n",
        begun.display(),
        done.display(),
        bwrap.display()
    );
    fs::write(&slow, text).unwrap();
    fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).unwrap();
    let survey = Survey {
        bubblewrap: Some(slow),
        ..found
    };
    let mut profile = lab.profile();
    profile.mounts = mounts;
    profile.protected = vec!["sub/AGENTS.md".into(), "AGENTS.md".into()];
    let mut command = lab.command("/bin/sh", &["-c", script]);
    let sandbox = sandbox_with(Backend::Bubblewrap, survey);
    command.directory.clone_from(&profile.mounts[0].target);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| sandbox.run(&profile, &command, Live::default()));
        while !begun.exists() {
            std::thread::yield_now();
        }
        change();
        fs::write(&done, "").unwrap();
        run.join().unwrap()
    })
}

/// Puts a link to the host's secrets into the place of a folder.
fn exchange(lab: &Lab, folder: &Path) {
    let aside: PathBuf = lab.root().join("aside");
    fs::rename(folder, aside).unwrap();
    symlink(lab.root().join("home/.ssh"), folder).unwrap();
}

#[test]
fn a_workspace_that_becomes_a_link_is_not_mounted() {
    for access in [MountAccess::Write, MountAccess::Read] {
        let mut lab = Lab::new();
        let work = lab.work();
        let mounts = vec![Mount::new(&work, access)];
        let ran = run_while(&lab, mounts, "cat id_rsa; echo x > pwned", || {
            exchange(&lab, &work);
        });
        assert!(
            matches!(ran, Err(SandboxError::Mount { .. })),
            "{access:?}: {ran:?}"
        );
        assert_eq!(lab.harm(), None);
        assert!(!lab.root().join("home/.ssh/pwned").exists());
    }
}

#[test]
fn a_folder_that_becomes_a_link_is_looked_at_again() {
    let mut lab = Lab::new();
    let sub = lab.work().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("AGENTS.md"), "mine").unwrap();
    let mounts = vec![Mount::new(&lab.work(), MountAccess::Write)];
    let ran = run_while(&lab, mounts, "cat sub/id_rsa || echo closed", || {
        exchange(&lab, &sub);
    });
    let ran = ran.unwrap();
    assert_eq!(
        (ran.end, output(&ran).as_str()),
        (RunEnd::Exited(0), "closed\n")
    );
    assert_eq!(lab.harm(), None);
    assert!(!lab.root().join("home/.ssh/AGENTS.md").exists());
}

#[test]
fn what_is_mounted_in_the_workspace_stays_in_its_place() {
    let mut lab = Lab::new();
    let skill = lab.work().join("pkg/skill");
    fs::create_dir_all(&skill).unwrap();
    let own = Mount {
        target: skill.clone(),
        ..Mount::new(&lab.own(), MountAccess::Read)
    };
    let mounts = vec![Mount::new(&lab.work(), MountAccess::Write), own];
    let script = "cat pkg/skill/SKILL.md; echo x > pkg/skill/pwned; ls -A /tmp";
    let ran = run_while(&lab, mounts.clone(), script, || {}).unwrap();
    assert_eq!(output(&ran), "mine");
    fs::remove_file(lab.root().join("begun")).unwrap();
    fs::remove_file(lab.root().join("done")).unwrap();
    let pkg = lab.work().join("pkg");
    let ran = run_while(&lab, mounts, script, || exchange(&lab, &pkg));
    assert!(matches!(ran, Err(SandboxError::Changed { .. })), "{ran:?}");
    assert_eq!(lab.harm(), None);
    assert!(!lab.root().join("home/.ssh/skill").exists());
}

/// Runs a script until `change` has happened outside.
fn run_beside(lab: &Lab, profile: &Profile, change: impl FnOnce(&Path)) -> Outcome {
    let script = ": > begun; until test -e go; do sleep 0.01; done";
    let command = lab.command("/bin/sh", &["-c", script]);
    let (begun, go) = (lab.work().join("begun"), lab.work().join("go"));
    let _ = (fs::remove_file(&begun), fs::remove_file(&go));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| lab.run(Backend::Bubblewrap, profile, &command));
        while !begun.exists() && !run.is_finished() {
            std::thread::yield_now();
        }
        change(&lab.work());
        fs::write(go, "").unwrap();
        run.join().unwrap()
    })
}

fn protecting(lab: &Lab) -> Profile {
    let mut profile = lab.profile();
    profile.protected = vec!["AGENTS.md".into(), "sub/AGENTS.md".into()];
    profile
}

#[test]
fn replacing_a_protected_file_outside_is_reported_after_the_run() {
    let mut lab = Lab::new();
    let profile = protecting(&lab);
    let write = |name: &str| fs::write(lab.work().join(name), "mine").unwrap();
    fs::create_dir(lab.work().join("sub")).unwrap();
    write("AGENTS.md");
    write("sub/AGENTS.md");
    let replaced: fn(&Path) = |work| {
        fs::write(work.join("new"), "new").unwrap();
        fs::rename(work.join("new"), work.join("AGENTS.md")).unwrap();
    };
    let removed: fn(&Path) = |work| fs::remove_file(work.join("AGENTS.md")).unwrap();
    let moved: fn(&Path) = |work| fs::rename(work.join("sub"), work.join("old")).unwrap();
    for (place, change) in [
        ("AGENTS.md", replaced),
        ("AGENTS.md", removed),
        ("sub/AGENTS.md", moved),
    ] {
        let ran = run_beside(&lab, &profile, change);
        let path = lab.work().join(place);
        assert_eq!(ran.end, RunEnd::Exited(0));
        assert_eq!(ran.denials, [Denial::Exposed { path }], "{ran:?}");
    }
    assert_eq!(lab.harm(), None);
}

#[test]
fn other_changes_are_not_reported() {
    let lab = Lab::new();
    fs::write(lab.work().join("AGENTS.md"), "mine").unwrap();
    let profile = protecting(&lab);
    let ran = run_beside(&lab, &profile, |work| {
        fs::write(work.join("AGENTS.md"), "written in its place").unwrap();
        fs::write(work.join("other"), "").unwrap();
        fs::rename(work.join("other"), work.join("another")).unwrap();
        // Another run in the same workspace comes and goes.
        let beside = lab.shell(Backend::Bubblewrap, &profile, "true");
        assert_eq!(beside.end, RunEnd::Exited(0));
    });
    assert_eq!((ran.end, ran.denials), (RunEnd::Exited(0), Vec::new()));
    assert_eq!(ran.created, Vec::<PathBuf>::new());
}
