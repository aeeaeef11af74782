//! `--fix`: what is mended, and what is left as it is.

use std::fs;

use insta::assert_snapshot;

use super::SIX_MISTAKES;
use crate::TestContext;

#[test]
fn what_can_be_mended_is() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", SIX_MISTAKES);
    assert_snapshot!(context.run(&["validate", "--fix", "pdf-tools"]), @"
    success: true
    exit code: 0
    ----- stdout -----
    warning[field-unknown]: `licence` is not a field of the specification
     --> pdf-tools/SKILL.md:4:1
      |
    4 | licence: MIT
      | ^^^^^^^
      |
      = help: did you mean `license`?

    warning[body-empty]: the skill has no instructions
    --> pdf-tools/SKILL.md
     = help: write them below the closing `---`
    ----- stderr -----
    Checked 1 skill in [TIME]: ✓ valid, mended 5 problems, 2 warnings
    ");
    assert_snapshot!(context.read("pdf-tools/SKILL.md"), @"
    ---
    name: pdf-tools
    description: 'Fills forms. Usage: when a task involves PDF files.'
    licence: MIT
    metadata:
      version: '1.10'
    allowed-tools: Read Write
    ---
    ");
    assert_eq!(context.tree(), ["pdf-tools/", "pdf-tools/SKILL.md"]);
}

#[test]
fn a_valid_file_is_not_written_by_fix() {
    let context = TestContext::new();
    context.write_skill("pdf-tools");
    let path = context.root().join("pdf-tools/SKILL.md");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(context.code(&["validate", "--fix", "pdf-tools"]), Some(0));
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[cfg(unix)]
#[test]
fn fix_writes_through_a_link_and_keeps_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let context = TestContext::new();
    context.write(
        "real.md",
        "---\nname: pdf\ndescription: Usage: when\n---\nText.\n",
    );
    let real = context.root().join("real.md");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(context.root().join("pdf")).unwrap();
    let link = context.root().join("pdf/SKILL.md");
    symlink(&real, &link).unwrap();
    // The file lies outside of what was named.
    let refused = context.run(&["validate", "--fix", "pdf"]);
    assert!(refused.contains("exit code: 2"), "{refused}");
    assert!(refused.contains("leads out of the folder"), "{refused}");
    assert!(context.read("real.md").contains(": Usage: when"));
    assert_eq!(context.code(&["validate", "--fix", "."]), Some(0));
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(context.read("real.md").contains("'Usage: when'"));
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn one_file_that_cannot_be_written_hides_nothing_else() {
    let context = TestContext::new();
    let text = "---\nname: NAME\ndescription: Usage: when\n---\nText.\n";
    for name in ["a1", "b1", "c1"] {
        context.write(&format!("sk/{name}/SKILL.md"), text.replace("NAME", name));
    }
    let inner = context.root().join("sk/b1/SKILL.md");
    fs::rename(&inner, context.root().join("shared.md")).unwrap();
    std::os::unix::fs::symlink("../../shared.md", &inner).unwrap();
    let answer = context.run(&["validate", "sk", "--fix"]);
    assert!(answer.contains("exit code: 2"), "{answer}");
    assert!(answer.contains("error[not-mended]"), "{answer}");
    assert!(answer.contains("leads out of the folder"), "{answer}");
    assert!(answer.contains("Checked 3 skills"), "{answer}");
    assert!(answer.contains("mended 2 problems"), "{answer}");
    let answer = context.json(&["validate", "sk", "--fix", "--json"]);
    assert_eq!(answer["summary"]["fixable"], 0);
    assert!(context.read("shared.md").contains(": Usage: when"));
}

#[test]
fn a_lock_that_cannot_be_read_keeps_only_what_it_may_name_from_being_mended() {
    let context = TestContext::new();
    let text = "---\nname: NAME\ndescription: Usage: when\n---\nText.\n";
    let files = ["lib/one/SKILL.md", ".agents/skills/own/SKILL.md"];
    for (file, name) in files.into_iter().zip(["one", "own"]) {
        context.write(file, text.replace("NAME", name));
    }
    context
        .write("skills.toml", "")
        .write("skills.lock", "<<<<<<<");
    let told = context.run(&["validate", "--fix"]);
    assert!(told.contains("exit code: 2"), "{told}");
    assert!(told.contains("mended 1 problem"), "{told}");
    assert!(told.contains("warning: "), "{told}");
    assert!(told.contains("\nhint: "), "{told}");
    let left = "error[not-mended]: it is left as it is: `[DIR]/skills.lock` cannot be read";
    assert!(told.contains(left), "{told}");
    assert!(context.read(files[0]).contains("'Usage: when'"));
    assert!(context.read(files[1]).contains(": Usage: when"));

    // The user's own could say anything of any skill, which is still checked.
    let context = TestContext::new();
    context.write(files[0], text.replace("NAME", "one"));
    context.write("../home/.skillyard/lock.toml", "<<<<<<<");
    let told = context.run(&["validate", "--fix"]);
    assert!(told.contains("exit code: 2"), "{told}");
    let left = "error[not-mended]: it is left as it is: the lock of your own skills cannot be read";
    assert!(told.contains(left), "{told}");
    assert!(context.read(files[0]).contains(": Usage: when"));
}

#[test]
fn what_was_installed_is_left_as_it_is() {
    let context = TestContext::new();
    let text = "---\nname: NAME\ndescription: Usage: when\n---\nText.\n";
    for folder in ["lib/one", ".agents/skills/own"] {
        let name = folder.rsplit('/').next().unwrap();
        context.write(&format!("{folder}/SKILL.md"), text.replace("NAME", name));
    }
    context.mkdir(".git");
    context.done(&["install", "./lib/one"]);
    let skills = ".agents/skills";
    let before = context.json(&["validate", skills, "--json"]);
    assert_eq!(before["summary"]["fixable"], 1, "{before}");
    let told = context.run(&["validate", "--fix", skills]);
    // The installed one is as invalid as it was.
    assert!(told.contains("exit code: 1"), "{told}");
    assert!(told.contains("mended 1 problem"), "{told}");
    assert!(
        told.contains("warning[not-mended]: it was installed from `./lib/one`"),
        "{told}"
    );
    assert!(
        told.contains("mend it there, then run `skillyard update one`"),
        "{told}"
    );
    assert!(
        context
            .read(".agents/skills/one/SKILL.md")
            .contains(": Usage: when")
    );
    assert!(
        context
            .read(".agents/skills/own/SKILL.md")
            .contains("'Usage: when'")
    );
    assert_eq!(context.code(&["sync", "--check"]), Some(0));
}

#[test]
fn fix_writes_nothing_into_the_store() {
    let context = TestContext::new();
    let text = "---\nname: one\ndescription: Usage: when\n---\nText.\n";
    context.write("lib/one/SKILL.md", text).mkdir(".git");
    context.done(&["install", "./lib/one", "--link"]);
    let link = context.root().join(".agents/skills/one");
    let stored = fs::read_link(&link).unwrap();
    let stored = link.parent().unwrap().join(stored);
    for path in [".agents/skills/one", stored.to_str().unwrap()] {
        context.run(&["validate", "--fix", path]);
        assert_eq!(context.read("lib/one/SKILL.md"), text);
        assert_eq!(fs::read_to_string(link.join("SKILL.md")).unwrap(), text);
    }
    // A link of one's own leads there, too.
    context.mkdir("mine");
    std::os::unix::fs::symlink(&stored, context.root().join("mine/one")).unwrap();
    let told = context.run(&["validate", "--fix", "mine/one"]);
    assert!(
        told.contains("it was installed from `./lib/one`, and is left as it is"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(link.join("SKILL.md")).unwrap(), text);
}

#[test]
fn bytes_that_are_not_utf_8_survive_fix() {
    let context = TestContext::new();
    let bytes = b"---\nname: pdf\ndescription: Usage: when caf\xe9\n---\nText.\n";
    context.write("pdf/SKILL.md", bytes);
    assert_eq!(context.code(&["validate", "--fix", "pdf"]), Some(1));
    assert_eq!(
        fs::read(context.root().join("pdf/SKILL.md")).unwrap(),
        bytes
    );
}

#[test]
fn what_fix_would_mend_is_what_it_mends() {
    let context = TestContext::new();
    context.write("pdf-tools/SKILL.md", SIX_MISTAKES);
    let before = context.json(&["validate", "pdf-tools", "--json"]);
    let after = context.json(&["validate", "pdf-tools", "--fix", "--json"]);
    assert_eq!(before["summary"]["fixable"], after["summary"]["fixed"]);
    assert_eq!(after["summary"]["fixable"], 0);
    // What cannot be written back without loss is not promised.
    context.write(
        "csv/SKILL.md",
        b"---\nname: csv\ndescription: Usage: when caf\xe9\n---\nText.\n",
    );
    let before = context.json(&["validate", "csv", "--json"]);
    assert_eq!(before["summary"]["fixable"], 0);
}

/// What `--fix` makes of the `SKILL.md` of the skill `acme`.
#[track_caller]
fn mended(text: &str) -> String {
    let context = TestContext::new();
    context.write("acme/SKILL.md", text);
    context.run(&["validate", "--fix", "acme"]);
    context.read("acme/SKILL.md")
}

#[test]
fn frontmatter_that_stands_further_down_is_moved_to_the_top() {
    let block = "---\nname: acme\ndescription: Fills forms. Use when asked.\n---\n";
    for before in [
        "<!-- SPDX -->\n",
        "> Related: this\n\n",
        "# Acme\n\nA tool.\n\n---\n\n",
    ] {
        let made = mended(&format!("{before}{block}\nDo it.\n"));
        assert_eq!(made, format!("{block}{before}\nDo it.\n"));
    }
    // Only the first line is missing.
    let unopened = block.strip_prefix("---\n").unwrap();
    assert_eq!(
        mended(&format!("{unopened}\nDo it.\n")),
        format!("{block}\nDo it.\n")
    );
}

#[test]
fn no_description_is_made_of_what_is_none() {
    let fenced = "# Acme\n\n```yaml\nname: other\ndescription: An example.\n```\n";
    let toml = "+++\ntitle = \"x\"\n+++\n";
    let comment = "<!--\nCopyright somebody\n-->\n";
    for text in [
        fenced,
        toml,
        comment,
        "slug: x\nversion: 1\n",
        "import os\nprint(1)\n",
    ] {
        assert_eq!(mended(text), text);
    }
    // The first sentence behind them is one.
    for text in [fenced, toml, comment] {
        let made = mended(&format!("{text}\nFills forms.\n"));
        let start = "---\nname: acme\ndescription: 'Fills forms.'\n---\n\n";
        assert_eq!(made, format!("{start}{text}\nFills forms.\n"));
    }
}

#[test]
fn a_field_never_becomes_part_of_the_one_before_it() {
    for separator in [":\u{a0}", ":\u{3000}", "：", ":"] {
        let made = mended(&format!(
            "---\nname: acme\ndescription{separator}Fills forms.\n---\n\nDo it.\n"
        ));
        let fields = "---\nname: acme\ndescription: Fills forms.\n---\n\nDo it.\n";
        assert_eq!(made, fields, "{separator:?}");
    }
}

#[test]
fn the_ends_of_lines_stay_what_they_are() {
    let made = mended("# Acme\r\n\r\nFills forms.\r\n");
    let start = "---\r\nname: acme\r\ndescription: 'Fills forms.'\r\n---\r\n\r\n";
    assert_eq!(made, format!("{start}# Acme\r\n\r\nFills forms.\r\n"));
}
