//! Folders of a workspace that may not be written to.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::any_script;
use crate::{output, text, unprivileged_user};

#[test]
fn a_closed_folder_of_settings_is_not_opened_up() {
    let context = any_script();
    context.write(".config/other.toml", "x");
    let config = context.root().join(".config");
    fs::set_permissions(&config, Permissions::from_mode(0o555)).unwrap();
    unprivileged_user::own(&context);
    let ran = |script: &str| {
        let mut command = unprivileged_user::skillyard(&context);
        command.args(["run", "tools", "any.sh", "--workspace", ".", "--", script]);
        let told = output(&mut command);
        (text(&told.stdout) + &text(&told.stderr), told.status.code())
    };
    let (told, code) = ran("cat .config/other.toml && echo done > made");
    assert_eq!((told.as_str(), code), ("x", Some(0)));
    assert_eq!(context.read("made"), "done\n");
    let (told, code) = ran("chmod u+w .config && echo evil > .config/mise.toml");
    assert_ne!(code, Some(0), "{told}");
    assert!(!config.join("mise.toml").exists(), "{told}");
    fs::set_permissions(&config, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_in_a_closed_folder_counts_outside_of_it() {
    let context = any_script();
    context.write(".config/lefthook.yml", "pre-commit: {}\n");
    let config = context.root().join(".config");
    unprivileged_user::own(&context);
    for mode in [0o755, 0o555, 0o600, 0o200, 0o000] {
        fs::set_permissions(&config, Permissions::from_mode(mode)).unwrap();
        let script = "echo one > made && echo evil > lefthook-local.yml";
        let mut command = unprivileged_user::skillyard(&context);
        command.args(["run", "tools", "any.sh", "--workspace", ".", "--", script]);
        let told = output(&mut command);
        let told = text(&told.stdout) + &text(&told.stderr);
        assert!(context.root().join("made").exists(), "{mode:o}: {told}");
        let report = "sandbox: it made `lefthook-local.yml`";
        assert!(told.contains(report), "{mode:o}: {told}");
        fs::remove_file(context.root().join("lefthook-local.yml")).unwrap();
        fs::remove_file(context.root().join("made")).unwrap();
    }
    fs::set_permissions(&config, Permissions::from_mode(0o755)).unwrap();
}
