//! What the file is called that makes a folder a skill.
//!
//! Who reads skills that are there is lenient about it. Nothing is handed on under another spelling:
//! what is a skill here would be none on a system that tells `Skill.md` from `SKILL.md`.

/// Whether a file of this name makes a folder a skill on every system.
pub fn is_spelled(name: &str) -> bool {
    matches!(name, "SKILL.md" | "skill.md")
}

/// The file among those of a folder that only some systems take for its `SKILL.md`, where there is none.
pub fn misspelled<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = None;
    for name in names {
        if is_spelled(name) {
            return None;
        }
        if found.is_none() && name.eq_ignore_ascii_case("SKILL.md") {
            found = Some(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::misspelled;

    #[test]
    fn only_what_is_no_skill_elsewhere_is_misspelled() {
        assert_eq!(misspelled(["a", "Skill.md"]), Some("Skill.md"));
        for fine in [&["Skill.md", "SKILL.md"][..], &["skill.md"], &["SKILL.txt"]] {
            assert_eq!(misspelled(fine.iter().copied()), None);
        }
    }
}
