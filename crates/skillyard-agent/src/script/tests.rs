use std::time::Duration;

use std::path::Path;

use serde_json::{Value, json};
use skillyard_sandbox::{Backend, Limits, Network};

use super::interpreter::Interpreter;
use super::plan::started_by;
use super::*;

fn planned(metadata: &Value, allowed: &Allowed) -> ScriptPlan {
    let fields = json!({ "metadata": metadata });
    let subject = Subject {
        name: "pdf",
        copy: Path::new("/tmp/copy/pdf"),
        folder: Path::new("/skills/pdf"),
        fields: &fields,
        script: "scripts/run.py",
        path: &[],
        home: None,
    };
    let interpreter = Interpreter {
        program: Some("/usr/bin/python3".into()),
        arguments: vec!["-u".into()],
        installation: Vec::new(),
    };
    started_by(
        &interpreter,
        &subject,
        allowed,
        &["a".into()],
        Backend::Bubblewrap,
    )
    .unwrap()
}

#[test]
fn a_skill_narrows_and_never_widens() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        wall: Duration::from_secs(20),
        ..Limits::default()
    };
    let allowed = Allowed {
        limits,
        workspace: Some(folder.path().to_owned()),
        network: Network::Hosts(vec![
            "a.example".parse().unwrap(),
            "b.example".parse().unwrap(),
        ]),
        ..Allowed::default()
    };
    let plain = planned(&json!({}), &allowed);
    assert_eq!(
        argv(&plain.command),
        ["/usr/bin/python3", "-u", "/skills/pdf/scripts/run.py", "a"]
    );
    assert_eq!(plain.command.directory, folder.path());
    assert_eq!(plain.profile.limits.wall, Duration::from_secs(20));
    assert_eq!(plain.profile.writable().count(), 1);
    let more = json!({ "sandbox-timeout": "1000", "sandbox-memory": "999999", "sandbox-network": "a.example evil.example", "sandbox-workspace": "write" });
    let more = planned(&more, &allowed);
    assert_eq!(more.profile.limits, plain.profile.limits);
    let writes = format!("hosts a.example; writes `{}`", folder.path().display());
    assert_eq!(reach(&more.profile, Backend::Bubblewrap), writes);
    assert_eq!(more.wished, ["evil.example".parse().unwrap()]);
    let less = json!({ "sandbox-timeout": "5", "sandbox-memory": "10", "sandbox-network": "none", "sandbox-workspace": "none" });
    let less = planned(&less, &allowed);
    assert_eq!(
        (
            less.profile.limits.wall.as_secs(),
            less.profile.limits.memory
        ),
        (5, 10 << 20)
    );
    assert_eq!(reach(&less.profile, Backend::Bubblewrap), "no network");
    assert_eq!(less.command.directory, Path::new("/skills/pdf"));
    let read = planned(&json!({ "sandbox-workspace": "read" }), &allowed);
    assert_eq!(read.profile.writable().count(), 0);
    let full = Allowed {
        network: Network::Full,
        ..Allowed::default()
    };
    assert_eq!(
        reach(
            &planned(&json!({ "sandbox-network": "a.example" }), &full).profile,
            Backend::Bubblewrap
        ),
        "hosts a.example"
    );
    let none = planned(
        &json!({ "sandbox-network": "a.example" }),
        &Allowed::default(),
    );
    assert_eq!(none.profile.network, Network::None);
}
