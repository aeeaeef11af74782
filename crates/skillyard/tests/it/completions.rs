//! `skillyard completions`.

use insta::assert_snapshot;

use crate::{TestContext, output, text};

#[test]
fn every_shell_learns_the_commands() {
    let context = TestContext::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = output(context.skillyard().args(["completions", shell]));
        let script = text(&run.stdout);
        assert!(run.status.success() && run.stderr.is_empty(), "{shell}");
        for word in ["skillyard", "validate", "prompt", "--profile"] {
            let word = if shell == "fish" {
                word.trim_start_matches('-')
            } else {
                word
            };
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn an_unknown_shell_is_refused() {
    let context = TestContext::new();
    assert_snapshot!(context.run(&["completions", "bsh"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: invalid value 'bsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'bash'

    For more information, try '--help'.
    ");
}
