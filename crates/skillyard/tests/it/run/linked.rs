//! Skills that lie behind a link in the workspace.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::ran;
use crate::TestContext;
use crate::scripted_model::{call, chat};

const SKILL: &str = "---\nname: alpha\ndescription: Goes. Use for going.\n---\nRead note.md.\n";
const SCRIPT: &str = "#!/bin/sh
cat \"$(dirname \"$0\")/../note.md\"
cat .agents/skills/alpha/note.md
(echo made > made) 2>/dev/null
(echo evil > .agents/skills/alpha/evil) 2>/dev/null && echo WROTE
true
";

/// How the skill comes into the folder of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linked {
    Skill,
    Folder,
    Store,
}

const ALL: [Linked; 3] = [Linked::Skill, Linked::Folder, Linked::Store];

fn project(layout: Linked) -> TestContext {
    let context = TestContext::configured("[discovery]\ntrust_projects = \"always\"\n");
    let skill = match layout {
        Linked::Store => "../alpha",
        _ => "skills/alpha",
    };
    context
        .write(&format!("{skill}/SKILL.md"), SKILL)
        .write(&format!("{skill}/note.md"), "NOTE\n")
        .write(&format!("{skill}/scripts/go.sh"), SCRIPT);
    let agents = context.root().join(".agents");
    match layout {
        Linked::Skill => {
            fs::create_dir_all(agents.join("skills")).unwrap();
            symlink("../../skills/alpha", agents.join("skills/alpha")).unwrap();
        }
        Linked::Folder => {
            fs::create_dir_all(&agents).unwrap();
            symlink("../skills", agents.join("skills")).unwrap();
        }
        Linked::Store => {
            let install = [
                "install", "../alpha", "--link", "--yes", "--scope", "project",
            ];
            context.done(&install);
            assert!(agents.join("skills/alpha").is_symlink());
        }
    }
    context
}

#[test]
fn their_scripts_run_and_change_nothing_of_them() {
    for layout in ALL {
        let context = project(layout);
        for more in [&[][..], &["--read-only"]] {
            let arguments = ["alpha", "go.sh", "--yes", "--workspace", "."];
            let (printed, code) = ran(&context, &[&arguments[..], more].concat());
            assert_eq!(printed, "NOTE\nNOTE\n", "{layout:?} {more:?}");
            assert_eq!(code, Some(0), "{layout:?} {more:?}");
            let made = fs::remove_file(context.root().join("made")).is_ok();
            assert_eq!(made, more.is_empty(), "{layout:?}");
        }
        assert!(!context.root().join(".agents/skills/alpha/evil").exists());
    }
}

#[test]
fn models_use_them() {
    for layout in ALL {
        let context = project(layout);
        let run = json!({ "name": "alpha", "script": "go.sh" });
        let command = json!({ "command": "cat .agents/skills/alpha/note.md" });
        let answers = vec![
            json!({ "tool_calls": [call("c1", "skill_load", &json!({ "name": "alpha" }))] }),
            json!({ "tool_calls": [call("c2", "skill_run", &run), call("c3", "Bash", &command)] }),
            json!({ "content": "Done." }),
        ];
        let (answer, _) = chat(&context, answers, &["--yes"]);
        for call in [1, 2] {
            let told = answer["calls"][call].to_string();
            assert!(told.contains("NOTE"), "{layout:?}: {told}");
        }
    }
}
