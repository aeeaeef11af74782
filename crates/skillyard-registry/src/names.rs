//! Names that nobody may take, and names that look like one another.

use skillyard_format::SkillName;
use unicode_security::confusable_detection::skeleton;

/// Names that routes, tools or vendors could be mistaken for, folded.
const RESERVED: &[&str] = &[
    "admin",
    "agent",
    "agents",
    "anthropic",
    "api",
    "apm",
    "assets",
    "claude",
    "codex",
    "con",
    "default",
    "docs",
    "download",
    "gemini",
    "github",
    "help",
    "index",
    "install",
    "internal",
    "latest",
    "login",
    "logout",
    "marketplace",
    "metrics",
    "mcp",
    "me",
    "null",
    "official",
    "openai",
    "owner",
    "owners",
    "publish",
    "registry",
    "root",
    "search",
    "security",
    "skill",
    "skills",
    "skillyard",
    "static",
    "support",
    "system",
    "test",
    "undefined",
    "versions",
    "well-known",
    "whoami",
    "www",
    "yank",
    "aux",
    "nul",
    "prn",
];

/// Why a name cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameRefusal {
    /// It is reserved.
    #[error("the name `{0}` is reserved")]
    Reserved(String),
    /// It mixes scripts, so that one letter passes for another.
    #[error("the name `{0}` mixes letters of several scripts")]
    MixedScripts(String),
}

/// The name as a hasty reader sees it: equal for names that look alike.
pub fn folded(name: &SkillName) -> String {
    let text: String = name.as_str().chars().filter(|c| *c != '-').collect();
    let text: String = skeleton(&text).collect::<String>().to_lowercase();
    let text = text
        .replace("rn", "m")
        .replace("vv", "w")
        .replace("cl", "d");
    text.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | 'i' => 'l',
            '5' => 's',
            c => c,
        })
        .collect()
}

/// Whether anybody may take this name.
pub fn check(name: &SkillName) -> Result<(), NameRefusal> {
    use unicode_security::MixedScript as _;
    let own = folded(name);
    let is_reserved = |each: &str| SkillName::new(each).is_ok_and(|each| folded(&each) == own);
    if RESERVED.iter().any(|each| is_reserved(each)) {
        return Err(NameRefusal::Reserved(name.to_string()));
    }
    if !name.as_str().is_single_script() {
        return Err(NameRefusal::MixedScripts(name.to_string()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> SkillName {
        SkillName::new(text).unwrap()
    }

    #[test]
    fn names_that_look_alike_fold_alike() {
        for (first, second) in [
            ("pdf-tools", "pdftools"),
            ("pdf-tools", "pdf-too1s"),
            ("pdf-tools", "pdf-t0ols"),
            ("modern", "modem"),
            ("paypal", "pаypаl"),
            ("scope", "ѕсоре"),
            ("file", "fiie"),
        ] {
            assert_eq!(
                folded(&name(first)),
                folded(&name(second)),
                "{first} {second}"
            );
        }
        for (first, second) in [("pdf", "pdfs"), ("read", "write"), ("step-2", "step-3")] {
            assert_ne!(
                folded(&name(first)),
                folded(&name(second)),
                "{first} {second}"
            );
        }
    }

    #[test]
    fn reserved_and_mixed_names_are_refused() {
        for bad in [
            "skillyard",
            "skil1yard",
            "well-known",
            "wellknown",
            "api",
            "pаypal",
        ] {
            assert!(check(&name(bad)).is_err(), "{bad}");
        }
        for good in ["pdf", "code-review", "мой-навык", "技能"] {
            assert_eq!(check(&name(good)), Ok(()), "{good}");
        }
    }
}
