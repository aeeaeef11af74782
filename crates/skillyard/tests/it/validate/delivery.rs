//! Skills that can be used where they are, and that nobody else can be given.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use crate::TestContext;

/// What is told of `pdf` in a folder that something was done to.
fn told(change: impl FnOnce(&TestContext)) -> Option<String> {
    let context = TestContext::new();
    context.write_skill("pdf");
    change(&context);
    let answer = context.json(&["validate", "pdf", "--json"]);
    let found = answer["results"][0]["diagnostics"].as_array().unwrap();
    let found: Vec<String> = found
        .iter()
        .filter(|each| each["code"] == "not-deliverable")
        .map(|each| each["message"].as_str().unwrap().to_owned())
        .collect();
    assert!(found.len() <= 1, "{found:?}");
    // What is told is what an installation says.
    let installed = context.tell(&["install", "./pdf", "--dry-run"]);
    assert_eq!(
        installed.starts_with("exit status: 0"),
        found.is_empty(),
        "{installed}"
    );
    found.into_iter().next()
}

#[test]
fn what_cannot_be_delivered_is_told_before_anybody_tries() {
    let check = |change: &dyn Fn(&TestContext), words: &str| {
        let told = told(change).unwrap();
        assert!(told.contains(words), "{told}");
    };
    let at = |context: &TestContext, path: &str| context.root().join("pdf").join(path);
    check(
        &|context| symlink("/etc/passwd", at(context, "notes")).unwrap(),
        "`notes` is a symbolic link",
    );
    check(
        &|context| fs::write(at(context, "").join(OsStr::from_bytes(b"x\xff")), "").unwrap(),
        "is not a name that every system can have",
    );
    check(
        &|context| {
            context.write("pdf/a.md", "").write("pdf/A.md", "");
        },
        "are the same name on some systems",
    );
    check(
        &|context| {
            context.write("pdf/aux.md", "");
        },
        "`aux.md`",
    );
    check(
        &|context| {
            let file = File::create(at(context, "large.bin")).unwrap();
            file.set_len(17 << 20).unwrap();
        },
        "its files have more than",
    );
    check(
        &|context| {
            for at in 0..600 {
                context.write(&format!("pdf/assets/{at}"), "");
            }
        },
        "it has more than 512 files",
    );
    check(
        &|context| {
            context.write(&format!("pdf/{}x", "a/".repeat(17)), "");
        },
        "lies too deep",
    );
}

#[test]
fn what_is_never_delivered_may_be_anything() {
    let none = |change: &dyn Fn(&TestContext)| assert_eq!(told(change), None);
    none(&|_| {});
    none(&|context| {
        context.write("pdf/node_modules/a.js", "");
        let nameless = OsStr::from_bytes(b"node_modules/x\xff");
        fs::write(context.root().join("pdf").join(nameless), "").unwrap();
        let link = context.root().join("pdf/node_modules/link");
        symlink("a.js", link).unwrap();
    });
    none(&|context| {
        context.git(&["init", "--quiet"]);
        context.write(".gitignore", ".venv/\n");
        context.write("pdf/.venv/pyvenv.cfg", "");
        symlink("/usr/bin/python3", context.root().join("pdf/.venv/python")).unwrap();
    });
}
