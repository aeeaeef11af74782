//! Workspaces that somebody else changes while a sandbox is made.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Access, Backend, End, Live, Mount, Outcome, SandboxError};

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
