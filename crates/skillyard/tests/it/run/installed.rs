//! What a script sees of the programs that are installed in the user's home.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::skill;
use crate::{TestContext, output, text};

/// A skill whose script is for the program `mine`, and says what it can read.
fn readers_script() -> TestContext {
    let context = skill("");
    context.write(
        "../home/.agents/skills/tools/scripts/any.sh",
        "#!/usr/bin/env -S mine\nfor file in \"$@\"; do cat \"$file\" || echo no; done\n",
    );
    context
}

/// Puts the program into a folder of the home, beside these files.
fn install(context: &TestContext, folder: &str, files: &[&str]) -> PathBuf {
    for file in files {
        context.write(&format!("../home/{folder}/{file}"), file);
    }
    let folder = context.root().join("../home").join(folder);
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::copy("/bin/sh", folder.join("bin/mine")).unwrap();
    folder.canonicalize().unwrap()
}

/// What the script says about files of the folder, in each sandbox, and what it is shown of it.
fn check(context: &TestContext, folder: &Path, files: &[&str], said: &str, shown: &[&str]) {
    let run = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command
            .env("PATH", folder.join("bin"))
            .args(["run", "tools", "any.sh"])
            .args(arguments);
        output(&mut command)
    };
    for backend in ["bubblewrap", "landlock"] {
        let files = files.iter().map(|file| folder.join(file));
        let files: Vec<_> = files
            .map(|file| file.to_str().unwrap().to_owned())
            .collect();
        let mut arguments = vec!["--backend", backend, "--"];
        arguments.extend(files.iter().map(String::as_str));
        let run = run(&arguments);
        assert_eq!(text(&run.stdout), said, "{backend}: {}", text(&run.stderr));
    }
    let explained: serde_json::Value =
        serde_json::from_slice(&run(&["--explain", "--json"]).stdout).unwrap();
    let mounts = explained["mounts"].as_array().unwrap();
    let of_it: Vec<_> = mounts
        .iter()
        .filter_map(|mount| mount["source"].as_str()?.strip_prefix(folder.to_str()?))
        .collect();
    assert_eq!(of_it, shown);
}

#[test]
fn of_a_folder_with_programs_and_secrets_the_program_is_shown_alone() {
    let context = readers_script();
    let files = ["credentials.toml", "registry/x"];
    let folder = install(&context, ".cargo", &files);
    check(&context, &folder, &files, "no\nno\n", &["/bin/mine"]);
    // The same where nobody else may pass, and the program is its owner's alone.
    let closed = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder.join("bin/mine"), closed.clone()).unwrap();
    fs::set_permissions(&folder, closed).unwrap();
    check(&context, &folder, &files, "no\nno\n", &["/bin/mine"]);
}

#[test]
fn an_installation_is_shown_without_what_else_lies_there() {
    let context = readers_script();
    let files = ["lib/node_modules/x", "share/y", "etc/npmrc", ".npmrc"];
    let folder = install(&context, ".nvm/versions/node/v20", &files);
    let (said, shown) = (
        "lib/node_modules/xshare/yno\nno\n",
        ["/bin", "/lib", "/share"],
    );
    check(&context, &folder, &files, said, &shown);
    let closed = fs::Permissions::from_mode(0o700);
    fs::set_permissions(context.root().join("../home/.nvm"), closed).unwrap();
    check(&context, &folder, &files, said, &shown);
}
