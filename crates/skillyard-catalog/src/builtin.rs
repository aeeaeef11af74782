//! The skills inside the binary.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use skillyard_format::Document;

use crate::private_dir;
use crate::record::{self, Reading, Record};
use crate::walk::Stamp;

/// A skill inside the binary: its name and its files.
type Builtin = (&'static str, &'static [(&'static str, &'static str)]);

const ALL: &[Builtin] = &[
    (
        "skill-authoring",
        &[
            (
                "SKILL.md",
                include_str!("../builtin/skill-authoring/SKILL.md"),
            ),
            (
                "references/frontmatter.md",
                include_str!("../builtin/skill-authoring/references/frontmatter.md"),
            ),
        ],
    ),
    (
        "skill-review",
        &[("SKILL.md", include_str!("../builtin/skill-review/SKILL.md"))],
    ),
    (
        "skills-system-validation",
        &[
            (
                "SKILL.md",
                include_str!("../builtin/skills-system-validation/SKILL.md"),
            ),
            (
                "assets/fixture.json",
                include_str!("../builtin/skills-system-validation/assets/fixture.json"),
            ),
            (
                "references/REFERENCE.md",
                include_str!("../builtin/skills-system-validation/references/REFERENCE.md"),
            ),
            (
                "scripts/echo.sh",
                include_str!("../builtin/skills-system-validation/scripts/echo.sh"),
            ),
        ],
    ),
    (
        "using-skillyard",
        &[(
            "SKILL.md",
            include_str!("../builtin/using-skillyard/SKILL.md"),
        )],
    ),
];

/// The records of all of them.
pub(crate) fn records() -> impl Iterator<Item = Box<Record>> {
    ALL.iter().filter_map(|(name, files)| {
        let (_, text) = files.first()?;
        let document = Document::parse(text.as_bytes());
        let stamp = Stamp {
            modified: 0,
            changed: 0,
            size: text.len() as u64,
            inode: 0,
        };
        match record::from_document(document, &folder(name), "SKILL.md", stamp, Some(name)) {
            Reading::Skill(record) => Some(record),
            Reading::Unloadable(_) => None,
        }
    })
}

/// The files of a skill inside the binary, `SKILL.md` first.
pub fn files(name: &str) -> Option<&'static [(&'static str, &'static str)]> {
    ALL.iter()
        .find(|(each, _)| *each == name)
        .map(|(_, files)| *files)
}

/// Whether a file of a skill inside the binary is one that its owner may execute.
pub fn is_executable(text: &str) -> bool {
    text.starts_with("#!")
}

/// Writes the files of a skill inside the binary below `folder`, for agents that read files,
/// and returns the skill's folder there. What is there already and the same is left alone.
pub fn materialise(name: &str, folder: &Path) -> io::Result<PathBuf> {
    let skill = folder.join(name);
    for (path, text) in files(name).unwrap_or_default() {
        let file = skill.join(path);
        let mode = if is_executable(text) { 0o700 } else { 0o600 };
        let is_there = || {
            let same_mode = fs::metadata(&file)?.permissions().mode() & 0o100 == mode & 0o100;
            Ok::<bool, io::Error>(same_mode && fs::read(&file)? == text.as_bytes())
        };
        if is_there().unwrap_or(false) {
            continue;
        }
        let parent = file.parent().unwrap_or(&skill);
        private_dir::create(parent)?;
        let mut temporary = tempfile::NamedTempFile::new_in(parent)?;
        temporary.write_all(text.as_bytes())?;
        let permissions = fs::Permissions::from_mode(mode);
        temporary.as_file().set_permissions(permissions)?;
        temporary.persist(&file)?;
    }
    Ok(skill)
}

/// The place that is shown for a skill inside the binary; nothing is there on disk.
fn folder(name: &str) -> PathBuf {
    Path::new("builtin:").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillyard_format::rules::{self, Profile, SkillFile, Subject};

    #[test]
    fn every_builtin_skill_is_strictly_valid() {
        assert_eq!(records().count(), ALL.len());
        for (name, files) in ALL {
            let document = Document::parse(files[0].1.as_bytes());
            let listed: Vec<SkillFile> = files
                .iter()
                .map(|(path, text)| SkillFile {
                    path: (*path).to_owned(),
                    executable: is_executable(text),
                    shebang: text.starts_with("#!"),
                    compiled: false,
                })
                .collect();
            let subject = Subject {
                files: Some(&listed),
                ..Subject::new(&document, Some(name))
            };
            assert_eq!(rules::check(&subject, Profile::Strict), [], "{name}");
        }
    }
    #[test]
    fn the_conformance_skill_is_for_users_and_costs_no_prompt_anything() {
        let hidden: Vec<String> = records()
            .filter(|record| !record.model_invocable)
            .map(|record| record.name.clone())
            .collect();
        assert_eq!(hidden, ["skills-system-validation"]);
    }

    #[test]
    fn scripts_can_be_executed_where_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let name = "skills-system-validation";
        let mode = |path: &str| {
            let file = folder.path().join(name).join(path);
            fs::metadata(file).unwrap().permissions().mode() & 0o777
        };
        materialise(name, folder.path()).unwrap();
        assert_eq!((mode("SKILL.md"), mode("scripts/echo.sh")), (0o600, 0o700));
        let script = folder.path().join(name).join("scripts/echo.sh");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o600)).unwrap();
        materialise(name, folder.path()).unwrap();
        assert_eq!(mode("scripts/echo.sh"), 0o700, "it is repaired");
    }
}
