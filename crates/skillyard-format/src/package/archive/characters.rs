//! Characters and names that are not what they look like, or not the same everywhere.

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::confusable_detection::skeleton;

use super::problem::EntryProblem;

/// Device names that Windows sees in every folder, with any extension.
const DEVICES: [&str; 7] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// Checks one name of a path, which holds no separator and is not `.` or `..`.
pub(crate) fn check_component(component: &str) -> Result<(), EntryProblem> {
    for character in component.chars() {
        match character {
            _ if character.is_control() => return Err(EntryProblem::ControlCharacter),
            ':' => return Err(EntryProblem::AlternateStream),
            '<' | '>' | '"' | '|' | '?' | '*' => {
                return Err(EntryProblem::ReservedCharacter(character));
            }
            _ if is_invisible(character) => {
                return Err(EntryProblem::InvisibleCharacter(character));
            }
            _ => {}
        }
    }
    if component.ends_with(['.', ' ']) {
        return Err(EntryProblem::TrailingDotOrSpace);
    }
    if is_device(component) {
        return Err(EntryProblem::ReservedName);
    }
    check_lookalike(component)
}

/// What is left of a name where neither case nor Unicode form counts.
///
/// Upper case first: it is what makes `ß` and `ss` one, as some file systems do.
pub(crate) fn fold(component: &str) -> String {
    if component.is_ascii() {
        return component.to_ascii_lowercase();
    }
    component
        .nfkc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect()
}

/// Default-ignorable characters, bidirectional controls, fillers, and every space but U+0020.
pub(crate) fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return false;
    }
    character.is_whitespace()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(character) & 0xfffe == 0xfffe
        || matches!(character, '\u{fdd0}'..='\u{fdef}')
}

/// Whether Windows takes a file or folder of this name for a device.
pub fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default();
    let stem = fold(stem.trim_end_matches(' '));
    if DEVICES.contains(&stem.as_str()) {
        return true;
    }
    // Superscript digits count too; folding has made them plain ones.
    let port = stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"));
    port.is_some_and(|digit| digit.len() == 1 && digit.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_lookalike(component: &str) -> Result<(), EntryProblem> {
    let folded = fold(component);
    // Git itself takes these spellings for its own folder on some systems.
    if component != ".git" && (folded == ".git" || folded == "git~1") {
        return Err(EntryProblem::Lookalike(".git"));
    }
    if component.is_ascii() {
        // `SKlLL.md` is caught by the skeleton below, and has no other reason to be looked at.
        if component.len() != "SKILL.md".len() {
            return Ok(());
        }
    } else if folded == "." || folded == ".." {
        return Err(EntryProblem::Lookalike(".."));
    } else if folded.contains(['/', '\\', ':'])
        || component.contains(['\u{2044}', '\u{2215}', '\u{29f8}', '\u{29f5}', '\u{2216}'])
    {
        return Err(EntryProblem::Lookalike("/"));
    }
    if component.eq_ignore_ascii_case("SKILL.md") {
        return Ok(());
    }
    let same = |wanted: &str| skeleton(component).eq(skeleton(wanted));
    if same("SKILL.md") || same("skill.md") || same("Skill.md") || folded == "skill.md" {
        return Err(EntryProblem::Lookalike("SKILL.md"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_pass() {
        for name in [
            "SKILL.md",
            "skill.md",
            "a b.txt",
            "café.md",
            "日本語.md",
            ".gitignore",
            "console.txt",
            "nul1",
            "com10",
            "v1.2",
            "...rest",
            "résumé (1).pdf",
            "данные.csv",
            "git~2",
        ] {
            assert_eq!(check_component(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn names_that_deceive_are_told_apart() {
        for (name, code) in [
            ("NUL", "entry-reserved-name"),
            ("nul.txt", "entry-reserved-name"),
            ("aux .md", "entry-reserved-name"),
            ("COM¹.log", "entry-reserved-name"),
            ("a:b", "entry-alternate-stream"),
            ("what?", "entry-reserved-character"),
            ("x.", "entry-trailing-dot-or-space"),
            ("x ", "entry-trailing-dot-or-space"),
            ("a\nb", "entry-control-character"),
            ("a\u{9b}b", "entry-control-character"),
            ("SKILL\u{200b}.md", "entry-invisible-character"),
            ("a\u{202e}b", "entry-invisible-character"),
            ("a\u{e0041}", "entry-invisible-character"),
            ("a\u{a0}b", "entry-invisible-character"),
            ("\u{ff0e}\u{ff0e}", "entry-lookalike"),
            ("\u{2025}", "entry-lookalike"),
            ("a\u{ff0f}b", "entry-lookalike"),
            ("a\u{2215}b", "entry-lookalike"),
            (".GIT", "entry-lookalike"),
            ("GIT~1", "entry-lookalike"),
            ("ЅКІLL.md", "entry-lookalike"),
            ("SKlLL.md", "entry-lookalike"),
            ("ＳＫＩＬＬ.md", "entry-lookalike"),
        ] {
            let problem = check_component(name).expect_err(name);
            assert_eq!(problem.code(), code, "{name:?}");
        }
    }

    #[test]
    fn folding_makes_one_what_some_file_systems_make_one() {
        assert_eq!(fold("straße"), fold("STRASSE"));
        assert_eq!(fold("cafe\u{301}"), fold("CAFÉ"));
        assert_eq!(fold("ﬁle"), fold("file"));
        assert_ne!(fold("a-b"), fold("a_b"));
    }
}
