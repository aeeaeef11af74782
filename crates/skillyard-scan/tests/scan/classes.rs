//! Own examples of attack classes, and of what looks like them.
//!
//! Each file below `classes` is one class. `%%% bad NAME PATH` starts a file of a skill that
//! attacks, `%%% good NAME PATH` one of its harmless twin; a skill without `SKILL.md` gets a
//! bland one. They were written from descriptions of the classes, before the rules that find
//! them. The numbers are floors: a rule that loses more than it wins breaks them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use skillyard_scan::{File, Severity, scan};

const HEAD: &str = "---\nname: sample\ndescription: Helps with everyday project files.\n---\n\n";

/// The skills of one class: whether each attacks, its name, and its files.
type Skills = BTreeMap<(bool, String), Vec<(String, String)>>;

fn classes() -> Vec<(String, Skills)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scan/classes");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("there are classes")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let class = |path: &PathBuf| {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, skills(&fs::read_to_string(path).expect("text")))
    };
    paths.iter().map(class).collect()
}

fn skills(text: &str) -> Skills {
    let mut skills = Skills::new();
    for part in text.split("%%% ").filter(|part| !part.is_empty()) {
        let (head, body) = part.split_once('\n').expect("a first line");
        let words: Vec<&str> = head.splitn(3, ' ').collect();
        let [label, name, path] = words[..] else {
            panic!("`{head}` has no label, name and path");
        };
        let is_whole = path != "SKILL.md" || body.starts_with("---");
        let body = if is_whole {
            body.to_owned()
        } else {
            format!("{HEAD}{body}")
        };
        let key = (label == "bad", name.to_owned());
        skills.entry(key).or_default().push((path.to_owned(), body));
    }
    for files in skills.values_mut() {
        if files.iter().all(|(path, _)| path != "SKILL.md") {
            let skill = format!("{HEAD}Use `{}` for the task.\n", files[0].0);
            files.push(("SKILL.md".to_owned(), skill));
        }
    }
    skills
}

fn worst(files: &[(String, String)]) -> Option<Severity> {
    let files: Vec<File<'_>> = files
        .iter()
        .map(|(path, text)| File {
            path,
            bytes: text.as_bytes(),
            executable: path.starts_with("scripts/"),
        })
        .collect();
    scan(&files).worst()
}

#[test]
fn harmless_twins_are_not_blocked() {
    let mut reviewed = 0;
    let mut count = 0;
    for (class, skills) in classes() {
        for ((is_bad, name), files) in skills {
            if !is_bad {
                let worst = worst(&files);
                assert!(worst < Some(Severity::High), "{class}/{name}: {worst:?}");
                reviewed += usize::from(worst >= Some(Severity::Medium));
                count += 1;
            }
        }
    }
    assert!(
        count > 200 && reviewed * 20 < count,
        "{reviewed} of {count}"
    );
}

#[test]
fn attacks_of_every_class_are_found() {
    for (class, skills) in classes() {
        let bad: Vec<_> = skills.iter().filter(|((is_bad, _), _)| *is_bad).collect();
        // Orders in plain prose are for a person to judge; all else must block.
        let level = match class.as_str() {
            "injected_prose" => Severity::Medium,
            _ => Severity::High,
        };
        let missed: Vec<&str> = bad
            .iter()
            .filter(|(_, files)| worst(files) < Some(level))
            .map(|((_, name), _)| name.as_str())
            .collect();
        let found = bad.len() - missed.len();
        assert!(found * 4 >= bad.len() * 3, "{class}: missed {missed:?}");
        // What is not blocked is at least shown.
        let shown = bad
            .iter()
            .filter(|(_, files)| worst(files) >= Some(Severity::Low));
        assert!(shown.count() * 10 >= bad.len() * 9, "{class}");
    }
}
