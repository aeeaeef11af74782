//! Where a folder lies to a repository.

use std::collections::BTreeSet;

use crate::material::around;

/// Where a folder lies to a repository.
pub(super) enum Place {
    /// In it, at this path from its root.
    Inside(String),
    /// Around it, which lies at this path in the folder.
    Around(String),
}

impl Place {
    /// The path in the repository that is asked about.
    pub(super) fn below(&self) -> &str {
        match self {
            Self::Inside(path) => path,
            Self::Around(_) => "",
        }
    }

    /// What of all that the repository ignores lies in the folder.
    pub(super) fn ignored(&self, all: &BTreeSet<String>) -> BTreeSet<String> {
        match self {
            Self::Inside(path) => in_folder(all, path),
            Self::Around(inner) => all.iter().map(|path| format!("{inner}/{path}")).collect(),
        }
    }
}

/// What of all that a repository ignores lies in one folder. Nothing where all of the folder is
/// ignored, or the file that makes it a skill: whoever means it cannot mean it without them.
fn in_folder(all: &BTreeSet<String>, folder: &str) -> BTreeSet<String> {
    let is_ignored = |path: &str| all.contains(&format!("{path}/"));
    if around(folder).chain([folder]).any(is_ignored) {
        return BTreeSet::new();
    }
    let start = match folder {
        "" => String::new(),
        folder => format!("{folder}/"),
    };
    let paths = all.range(start.clone()..);
    let paths = paths.map_while(|path| path.strip_prefix(&start));
    let paths: BTreeSet<String> = paths.map(str::to_owned).collect();
    let is_skill = |file: &&str| paths.contains(*file);
    if ["SKILL.md", "skill.md"].iter().any(is_skill) {
        return BTreeSet::new();
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::ignored::Ignored;

    #[test]
    fn what_is_ignored_as_a_whole_is_meant_as_a_whole() {
        let all = ["a/.env", "a/dist/", "b/", "c/SKILL.md", "c/x", "ab"];
        let all: BTreeSet<String> = all.map(str::to_owned).into();
        let below = |folder: &str| {
            let mut ignored = Ignored::default();
            ignored.add(Place::Inside(folder.to_owned()).ignored(&all), None);
            ignored
        };
        assert!(below("a").has(".env") && below("a").has("dist"));
        assert!(!below("a").has("dist/x") && !below("a").has("SKILL.md"));
        assert!(below("").has("a/.env") && below("").has("b"));
        for whole in ["b", "b/inner", "c", "d"] {
            assert!(below(whole).paths().next().is_none(), "{whole}");
        }
    }
}
