//! What a run that was killed leaves behind.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::{TestContext, output};

#[test]
fn the_copy_of_a_skill_goes_with_the_next_run() {
    let context = TestContext::new();
    // Others have copies in the same folder.
    let name = format!("killed-{}", std::process::id());
    let folder = format!("../home/.agents/skills/{name}");
    context
        .write_skill(&folder)
        .write(
            &format!("{folder}/scripts/long.sh"),
            "echo begun\nexec sleep 60\n",
        )
        .write(&format!("{folder}/scripts/short.sh"), "echo over\n");
    let copies = || {
        let entries = fs::read_dir(Path::new("/tmp")).unwrap().flatten();
        let entries = entries.filter(|entry| entry.path().join(&name).exists());
        entries.count()
    };
    let run = |script: &str| {
        let mut command = context.skillyard();
        command.args(["run", &name, script]).env("TMPDIR", "/tmp");
        command
    };
    let mut child = run("long.sh").stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut said).unwrap();
    assert_eq!(said, "begun\n");
    // What is in use stays.
    assert!(output(&mut run("short.sh")).status.success());
    assert_eq!(copies(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(copies(), 1);
    assert!(output(&mut run("short.sh")).status.success());
    assert_eq!(copies(), 0);
}
