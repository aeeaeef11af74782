//! `skillyard.triggers`: words and patterns that call for a skill.
//!
//! They live in `metadata`, as JSON or as plain keywords, so that a file that has them
//! stays valid under every profile.

use serde::Deserialize;
use skillyard_format::Skill;
use skillyard_format::yaml::Node;

/// What calls for a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct SkillTriggers {
    /// Words.
    pub keywords: Vec<String>,
    /// Words for what is to be done.
    pub verbs: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
}

/// The triggers of a skill.
pub fn of(skill: &Skill) -> SkillTriggers {
    let Some(node) = skill.metadata("skillyard.triggers") else {
        return SkillTriggers::default();
    };
    let json = match node.as_str() {
        Some(text) => serde_json::from_str(text).ok(),
        None => serde_json::from_value(node.to_json()).ok(),
    };
    json.unwrap_or_else(|| SkillTriggers {
        keywords: keywords(node),
        ..SkillTriggers::default()
    })
}

fn keywords(node: &Node) -> Vec<String> {
    let text = node.as_str().unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillyard_format::Document;

    fn check(value: &str, keywords: &[&str], patterns: &[&str]) {
        let source = format!(
            "---\nname: a\ndescription: b\nmetadata:\n  skillyard.triggers: {value}\n---\n"
        );
        let document = Document::parse(source.as_bytes());
        let triggers = of(&Skill::from_document(&document, None).unwrap());
        assert_eq!(
            (triggers.keywords, triggers.patterns),
            (owned(keywords), owned(patterns)),
            "{value}"
        );
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn triggers_are_json_or_keywords() {
        check("hello greet", &["hello", "greet"], &[]);
        check(
            r#"'{"keywords":["hi"],"patterns":["greet\\s+\\w+"]}'"#,
            &["hi"],
            &["greet\\s+\\w+"],
        );
        check("{keywords: [hi]}", &["hi"], &[]);
    }
}
