//! Workspaces that somebody else changes while a sandbox is made.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{
    Access, Backend, Denial, End, Live, Mount, Outcome, SandboxError, workspace_in_use,
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
    for access in [Access::Write, Access::Read] {
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
    let mounts = vec![Mount::new(&lab.work(), Access::Write)];
    let ran = run_while(&lab, mounts, "cat sub/id_rsa || echo closed", || {
        exchange(&lab, &sub);
    });
    let ran = ran.unwrap();
    assert_eq!(
        (ran.end, output(&ran).as_str()),
        (End::Exited(0), "closed\n")
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
        ..Mount::new(&lab.own(), Access::Read)
    };
    let mounts = vec![Mount::new(&lab.work(), Access::Write), own];
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

/// Runs a script that tries to write to a protected place for as long as it lives; when it has
/// begun, `change` happens outside.
fn run_beside(lab: &Lab, place: &str, change: impl FnOnce(&Path)) -> Outcome {
    let mut profile = lab.profile();
    profile.protected = vec!["AGENTS.md".into(), "sub/AGENTS.md".into(), ".envrc".into()];
    let script = format!(": > begun; until echo x > {place}; do sleep 0.05; done; sleep 1000");
    let command = lab.command("/bin/sh", &["-c", &script]);
    let begun = lab.work().join("begun");
    let _ = fs::remove_file(&begun);
    std::thread::scope(|scope| {
        let sandbox = sandbox_with(Backend::Bubblewrap, Survey::take());
        let run = scope.spawn(move || sandbox.run(&profile, &command, Live::default()));
        while !begun.exists() && !run.is_finished() {
            std::thread::yield_now();
        }
        change(&lab.work());
        run.join().unwrap().unwrap()
    })
}

#[test]
fn a_script_ends_when_somebody_replaces_what_is_protected() {
    let mut lab = Lab::new();
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
    let placeholder: fn(&Path) = |work| fs::remove_dir(work.join(".envrc")).unwrap();
    let attempts = [
        ("AGENTS.md", "AGENTS.md", replaced),
        ("AGENTS.md", "AGENTS.md", removed),
        ("sub/AGENTS.md", "sub", moved),
        (".envrc", ".envrc", placeholder),
    ];
    for (place, named, change) in attempts {
        let ran = run_beside(&lab, place, change);
        assert_eq!(
            (ran.end, ran.code()),
            (End::Exposed, 137),
            "{place}: {ran:?}"
        );
        let path = lab.work().join(named);
        assert!(ran.denials.contains(&Denial::Exposed { path }), "{ran:?}");
    }
    assert_eq!(lab.harm(), None);
}

#[test]
fn a_script_goes_on_when_something_else_changes() {
    let lab = Lab::new();
    fs::write(lab.work().join("AGENTS.md"), "mine").unwrap();
    let mut profile = lab.profile();
    profile.protected = vec!["AGENTS.md".into(), ".envrc".into()];
    let script =
        "mkdir a; mv a b; rmdir b; echo x > c; rm c; until test -e go; do sleep 0.01; done";
    let command = lab.command("/bin/sh", &["-c", script]);
    let ran = std::thread::scope(|scope| {
        let run = scope.spawn(|| lab.run(Backend::Bubblewrap, &profile, &command));
        while !lab.work().join(".envrc").exists() {
            std::thread::yield_now();
        }
        fs::write(lab.work().join("AGENTS.md"), "written in its place").unwrap();
        // Another run in the same workspace comes and goes.
        assert_eq!(
            lab.shell(Backend::Bubblewrap, &profile, "true").end,
            End::Exited(0)
        );
        fs::write(lab.work().join("go"), "").unwrap();
        run.join().unwrap()
    });
    assert_eq!((ran.end, ran.denials), (End::Exited(0), Vec::new()));
}

#[test]
fn who_runs_in_a_workspace_is_known_to_others() {
    let lab = Lab::new();
    let notes = lab.root().join("notes");
    let mut profile = lab.profile();
    profile.protected = vec!["AGENTS.md".into()];
    fs::write(lab.work().join("AGENTS.md"), "mine").unwrap();
    let command = lab.command(
        "/bin/sh",
        &["-c", ": > begun; until test -e go; do sleep 0.01; done"],
    );
    let in_use = |place: &str| workspace_in_use(&notes, &lab.root().join(place));
    let sandbox = sandbox_with(Backend::Bubblewrap, Survey::take()).with_notes(&notes);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| sandbox.run(&profile, &command, Live::default()));
        while !lab.work().join("begun").exists() && !run.is_finished() {
            std::thread::yield_now();
        }
        assert_eq!(in_use("work/skills.lock"), Some(lab.work()));
        assert_eq!(in_use("work"), Some(lab.work()));
        assert_eq!(in_use("skills.lock"), None);
        fs::write(lab.work().join("go"), "").unwrap();
        assert_eq!(run.join().unwrap().unwrap().end, End::Exited(0));
    });
    assert_eq!(in_use("work/skills.lock"), None);
}
