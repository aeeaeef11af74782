//! Names that nobody may take, and names that look like one another.

use skillyard_format::{Namespace, QualifiedName};
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
    /// Its letters pass for others.
    #[error("the name `{0}` mixes letters of several scripts, or all of them look like plain ones")]
    Disguised(String),
}

/// The name as a hasty reader sees it: equal for names that look alike.
///
/// Names in different namespaces never do: who asks for `@acme/pdf` said whose it is to be.
pub fn folded(name: &QualifiedName) -> String {
    let own = folded_text(name.name().as_str());
    match name.namespace() {
        Some(namespace) => format!("@{}/{own}", folded_text(namespace.as_str())),
        None => own,
    }
}

/// A text as a hasty reader sees it.
pub(crate) fn folded_text(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c != '-').collect();
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

/// Whether anybody may take this name. In a namespace only its owners could be mistaken for
/// themselves, so nothing is reserved there.
pub fn check(name: &QualifiedName) -> Result<(), NameRefusal> {
    if name.namespace().is_none() && is_reserved(name.as_str()) {
        return Err(NameRefusal::Reserved(name.to_string()));
    }
    if name.name().is_disguised() {
        return Err(NameRefusal::Disguised(name.to_string()));
    }
    Ok(())
}

/// Whether anybody may take this namespace.
pub fn check_namespace(namespace: &Namespace) -> Result<(), NameRefusal> {
    if is_reserved(namespace.as_str()) {
        return Err(NameRefusal::Reserved(namespace.to_string()));
    }
    Ok(())
}

fn is_reserved(text: &str) -> bool {
    let own = folded_text(text);
    RESERVED.iter().any(|each| folded_text(each) == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> QualifiedName {
        text.parse().unwrap()
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
            ("@acme/pdf-tools", "@acme/pdftools"),
            ("@modern/pdf", "@modem/pdf"),
        ] {
            assert_eq!(
                folded(&name(first)),
                folded(&name(second)),
                "{first} {second}"
            );
        }
        for (first, second) in [
            ("pdf", "pdfs"),
            ("read", "write"),
            ("step-2", "step-3"),
            ("pdf", "@acme/pdf"),
            ("@acme/pdf", "@acne/pdf"),
        ] {
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
        for good in ["pdf", "code-review", "мой-навык", "技能", "@acme/api"] {
            assert_eq!(check(&name(good)), Ok(()), "{good}");
        }
        let namespace = |text: &str| check_namespace(&Namespace::new(text).unwrap());
        assert!(namespace("skil1yard").is_err() && namespace("anthropic").is_err());
        assert_eq!(namespace("acme"), Ok(()));
    }
}
