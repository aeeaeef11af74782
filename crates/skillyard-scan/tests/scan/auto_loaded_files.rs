//! Scripts that write what other programs obey.

use skillyard_scan::auto_loaded_files::{HOOKS, INSTRUCTIONS, LEFTHOOK, OPENED};
use skillyard_scan::{File, Severity, scan};

/// How grave it is that a file of a skill says this, by the rules about what outlives a session.
fn worst(path: &str, text: &str) -> Option<Severity> {
    let report = scan(&[File {
        path,
        bytes: text.as_bytes(),
        executable: true,
    }]);
    let codes = ["scan-persistence", "scan-agent-config"];
    let found = report.findings.iter();
    let found = found.filter(|each| codes.contains(&each.code));
    found.map(|each| each.severity).max()
}

#[test]
fn every_name_is_told_where_a_script_writes_to_it() {
    for name in [INSTRUCTIONS, OPENED, LEFTHOOK, HOOKS]
        .into_iter()
        .flatten()
    {
        for (path, text) in [
            ("scripts/a.sh", format!("echo x >> {name}\n")),
            ("scripts/a.sh", format!("cp assets/x \"$ROOT/{name}\"\n")),
            (
                "scripts/a.py",
                format!("with open(\"{name}\", \"w\") as f:\n    f.write(x)\n"),
            ),
            (
                "scripts/a.js",
                format!("fs.writeFileSync(path.join(root, '{name}'), text)\n"),
            ),
        ] {
            assert!(worst(path, &text) >= Some(Severity::Medium), "{text}");
        }
    }
    for name in [
        ".vscode/tasks.json",
        ".zed/settings.json",
        ".husky/pre-commit",
        ".vim/coc-settings.json",
        "all.code-workspace",
    ] {
        let text = format!("mkdir -p sub\necho x > sub/{name}\n");
        assert!(
            worst("scripts/a.sh", &text) >= Some(Severity::Medium),
            "{name}"
        );
    }
}

#[test]
fn who_reads_such_a_file_or_names_another_is_not() {
    for text in [
        "cat .envrc > out.txt",
        "cp mise.toml backup/",
        "grep -q husky package.json && npm test",
        "echo x > docs/vscode/settings.json",
        "echo x > crush.json.example",
        "ls .vscode",
    ] {
        assert_eq!(worst("scripts/a.sh", &format!("{text}\n")), None, "{text}");
    }
}
