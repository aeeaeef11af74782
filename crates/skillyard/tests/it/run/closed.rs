//! Folders of a workspace that may not be written to.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::any_script;
use crate::{output, somebody, text};

#[test]
fn a_closed_folder_of_settings_is_not_opened_up() {
    let context = any_script();
    context.write(".config/other.toml", "x");
    let config = context.root().join(".config");
    fs::set_permissions(&config, Permissions::from_mode(0o555)).unwrap();
    somebody::own(&context);
    let ran = |script: &str| {
        let mut command = somebody::skillyard(&context);
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
