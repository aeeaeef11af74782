//! A machine with skills in every place: what the tests of the catalog's commands share.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::{TestContext, output, text};

/// The user trusts every project.
pub(crate) const TRUSTING: &str = "[discovery]\ntrust_projects = \"always\"\n";
/// Flags that leave out the skills inside the binary.
pub(crate) const NO_BUILTIN: [&str; 6] = [
    "--deny", "skill-*", "--deny", "skills-*", "--deny", "using-*",
];

/// The text of a valid skill.
pub(crate) fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nDo it.\n")
}

impl TestContext {
    /// A machine whose user wrote this configuration.
    pub(crate) fn configured(config: &str) -> Self {
        let context = Self::new();
        context.write("../home/.skillyard/config.toml", config);
        context
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("../home").canonicalize().unwrap()
    }

    /// A skill that is called like its folder, below the working directory or `../home`.
    pub(crate) fn skill(&self, folder: &str, description: &str) -> &Self {
        let name = folder.rsplit('/').next().unwrap();
        self.write(&format!("{folder}/SKILL.md"), skill(name, description))
    }

    pub(crate) fn mkdir(&self, folder: &str) -> &Self {
        fs::create_dir_all(self.root().join(folder)).unwrap();
        self
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) -> &Self {
        symlink(target, self.root().join(path)).unwrap();
        self
    }

    /// Runs the binary and tells all that came of it, with the home directory as `[HOME]`.
    pub(crate) fn tell(&self, arguments: &[&str]) -> String {
        let told = output(self.skillyard().args(arguments));
        let told = format!(
            "{}\n----- stdout -----\n{}\n----- stderr -----\n{}",
            told.status,
            text(&told.stdout).trim_end(),
            text(&told.stderr).trim_end(),
        );
        self.placed(&told)
    }

    /// What the binary wrote to stdout.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let told = output(self.skillyard().args(arguments));
        self.placed(&text(&told.stdout))
    }

    /// `text` with `[HOME]`, `[DIR]` and `[TMP]` for the places of this test.
    pub(crate) fn placed(&self, text: &str) -> String {
        let root = self.root();
        text.replace(&*self.home().to_string_lossy(), "[HOME]")
            .replace(&*root.to_string_lossy(), "[DIR]")
            .replace(&*root.parent().unwrap().to_string_lossy(), "[TMP]")
    }

    /// `list --all --json` without times and without the skills inside the binary.
    pub(crate) fn listing(&self, arguments: &[&str]) -> serde_json::Value {
        let mut all = vec!["list", "--all", "--json"];
        all.extend(arguments);
        let mut listing: serde_json::Value = serde_json::from_str(&self.stdout(&all)).unwrap();
        let skills = listing["skills"].as_array_mut().unwrap();
        skills.retain(|skill| skill["source"] != "builtin");
        for skill in skills {
            skill["modified"] = 0.into();
        }
        listing
    }

    /// The status and reason of a skill, as `list` tells them.
    pub(crate) fn status(&self, name: &str) -> String {
        let listing = self.listing(&[]);
        let skills = listing["skills"].as_array().unwrap();
        let skill = skills.iter().find(|skill| skill["name"] == name).unwrap();
        let why = ["reason", "missing"].iter().find_map(|key| skill.get(key));
        why.map_or_else(
            || skill["status"].as_str().unwrap().to_owned(),
            |why| {
                format!(
                    "{}: {}",
                    skill["status"].as_str().unwrap(),
                    why.to_string().replace('"', "")
                )
            },
        )
    }

    /// The names in a prompt, without the skills inside the binary.
    pub(crate) fn in_prompt(&self, arguments: &[&str]) -> String {
        let mut all = vec!["prompt", "--format", "summary"];
        all.extend(NO_BUILTIN);
        all.extend(arguments);
        self.stdout(&all).trim().replace("Available skills: ", "")
    }
}

/// `text` of a list without the group of the skills inside the binary.
pub(crate) fn without_builtin(text: &str) -> String {
    let mut inside = false;
    let others = text.lines().filter(|line| {
        inside = *line == "builtin" || (inside && line.starts_with("  "));
        !inside
    });
    others.collect::<Vec<_>>().join("\n")
}
