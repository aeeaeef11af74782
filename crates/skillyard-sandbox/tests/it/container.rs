//! Containers, on machines with an engine that works: an image of one program, and that program
//! is the probes.
//!
//! Elsewhere it is the refusal that is tested: nothing runs without the sandbox that was asked for.

use std::fs;
use std::path::Path;

use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, Command, Live, Outcome, Profile, RunEnd, Sandbox, SandboxError};

use crate::lab::{Lab, output, probes, program, sandbox};

const IMAGE: &str = "localhost/skillyard-sandbox-probes";

/// Makes the image, and tells what is wrong if it cannot be made.
fn image(engine: &Path, folder: &Path) -> Result<(), String> {
    let place = folder.join("image");
    fs::create_dir(&place).expect("a folder");
    fs::copy(probes(), place.join("probes")).expect("a copy of the probes");
    let archive = folder.join("image.tar");
    let (archive_text, place) = (archive.to_string_lossy(), place.to_string_lossy());
    let packed = program(Path::new("tar"))
        .args(["-cf", &archive_text, "-C", &place, "probes"])
        .status();
    assert!(packed.expect("tar").success());
    let imported = program(engine)
        .args(["import", &archive_text, IMAGE])
        .output()
        .expect("an engine");
    if imported.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&imported.stderr).into_owned())
}

fn run(sandbox: &Sandbox, lab: &Lab, name: &str) -> Result<Outcome, SandboxError> {
    let probe = lab.probe(name);
    let command = Command {
        program: "/probes".into(),
        ..probe
    };
    let profile = Profile {
        protected: Vec::new(),
        ..lab.profile()
    };
    sandbox.run(&profile, &command, Live::default())
}

#[test]
fn a_container_holds_or_nothing_runs() {
    let survey = Survey::take();
    let Some(engine) = survey.container.clone() else {
        let refused = Sandbox::new(
            Backend::Container,
            survey,
            Path::new("/"),
            Path::new("/tmp"),
        );
        assert!(matches!(refused, Err(SandboxError::Unavailable { .. })));
        return;
    };
    let mut lab = Lab::new();
    let sandbox = sandbox(Backend::Container).with_image(IMAGE);
    let made = image(&engine, lab.root());
    let first = run(&sandbox, &lab, "read_ssh_key");
    match (made, first) {
        (Ok(()), Ok(_)) => {}
        (_, Err(SandboxError::Broken { message, .. })) => {
            assert!(!message.is_empty());
            assert_eq!(lab.harm(), None);
            return;
        }
        other => panic!("{other:?}"),
    }
    for name in [
        "read_ssh_key",
        "read_credentials",
        "read_other_skill",
        "list_home",
        "symlink_to_secret",
        "see_host_process",
        "read_host_environment",
        "tcp_loopback",
        "abstract_socket",
        "inherited_descriptors",
        "read_passwd_of_host",
    ] {
        let outcome = run(&sandbox, &lab, name).expect("a container");
        let said = output(&outcome);
        assert_eq!(outcome.end, RunEnd::Exited(0), "{name}: {outcome:?}");
        assert!(said.starts_with("held"), "{name}: {said}");
    }
    assert_eq!(lab.harm(), None);
}
