//! Ctrl-C that is typed while an editor is open: the editor decides what it means.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::TestContext;
use crate::terminal::typed_with;

/// An editor that does something about Ctrl-C, and goes on.
const EDITOR: &str = "#!/bin/sh
trap 'echo HEARD' INT
echo EDITING
while ! read -r line; do :; done
printf '[skills]\\ndisabled = [\"%s\"]\\n' \"$line\" > \"$1\"
";

#[test]
fn the_editor_goes_on_and_what_it_writes_counts() {
    let context = TestContext::new();
    context.write("editor", EDITOR);
    let editor = context.root().join("editor");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let editor = editor.to_string_lossy().into_owned();
    let variables = [("TERM", "xterm"), ("EDITOR", editor.as_str())];
    let answers = [("EDITING", "\x03"), ("HEARD", "pdf\r")];
    let (shown, code) = typed_with(&context, &variables, &["config", "edit"], &answers);
    assert_eq!(code, 0, "{shown}");
    let config = context.read("../home/.skillyard/config.toml");
    assert_eq!(config, "[skills]\ndisabled = [\"pdf\"]\n");
}
