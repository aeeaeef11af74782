//! Words and patterns that call for a skill.
//!
//! They live in `metadata`, as `skillyard.triggers` in JSON or as plain keywords, so that a file that
//! has them stays valid under every profile; `triggers` at the top, as other runtimes plan it, is
//! read too. What cannot be read is a reason, and the rest counts all the same.

use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;

use crate::skill::Skill;
use crate::span::Span;
use crate::yaml::{Mapping, Node};

/// The key in `metadata`.
pub const KEY: &str = "skillyard.triggers";
/// The largest compiled form of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 256 * 1024;
/// What no task is about, of one kind each: words, a number, marks. A pattern that finds itself in
/// one of them finds itself in most tasks; one that needs several kinds, such as the key of a ticket,
/// does not.
const NONSENSE: [&str; 3] = ["qzxvk WJQXZ vkq", "7", ", - !"];

/// What calls for a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillTriggers {
    /// Words.
    pub keywords: Vec<String>,
    /// Words for what is to be done.
    pub verbs: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
}

/// Why a pattern calls for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression, or a very large one.
    #[error("{0}")]
    Unreadable(String),
    /// It matches whatever is said.
    #[error("it matches any text")]
    TooGeneral,
}

impl SkillTriggers {
    /// The triggers of a skill, from both places.
    pub fn of(skill: &Skill) -> Self {
        let mut triggers = Self::default();
        for (_, node) in places(&skill.frontmatter) {
            triggers.read(node, &mut |_| {});
        }
        triggers
    }

    /// Takes what a value says, and tells what is wrong with the rest.
    fn read(&mut self, node: &Node, wrong: &mut dyn FnMut(String)) {
        let value = match node.as_str().map(str::trim) {
            // What looks like JSON is meant as JSON.
            Some(text) if text.starts_with(['{', '[']) => match serde_json::from_str(text) {
                Ok(value) => value,
                Err(error) => return wrong(format!("it is no valid JSON: {error}")),
            },
            Some(text) => Json::String(text.to_owned()),
            None => node.to_json(),
        };
        let Json::Object(fields) = value else {
            self.keywords.extend(words(&value, wrong));
            return;
        };
        for (key, value) in &fields {
            match key.as_str() {
                "keywords" => self.keywords.extend(words(value, wrong)),
                "verbs" => self.verbs.extend(words(value, wrong)),
                "patterns" => self.patterns.extend(texts(value, wrong)),
                other => wrong(format!(
                    "`{other}` is none of `keywords`, `verbs` and `patterns`"
                )),
            }
        }
    }
}

/// What is wrong with the triggers of a frontmatter, and where.
pub fn problems(frontmatter: &Mapping) -> Vec<(Span, String)> {
    let mut problems = Vec::new();
    for (key, node) in places(frontmatter) {
        let mut triggers = SkillTriggers::default();
        let mut found = Vec::new();
        triggers.read(node, &mut |problem| found.push(problem));
        for source in &triggers.patterns {
            if let Err(error) = pattern(source) {
                found.push(format!("the pattern `{source}` calls for nothing: {error}"));
            }
        }
        let told = found.into_iter().map(|it| format!("`{key}`: {it}"));
        problems.extend(told.map(|text| (node.span, text)));
    }
    problems
}

/// A pattern, ready to be looked for; one that takes much to look for is refused.
pub fn pattern(source: &str) -> Result<Regex, PatternError> {
    let mut builder = RegexBuilder::new(source);
    let built = builder
        .case_insensitive(true)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .nest_limit(50)
        .build();
    let regex = built.map_err(|error| {
        // The last line says what is wrong; those before draw the place.
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default().trim();
        let last = last.strip_prefix("error: ").unwrap_or(last);
        PatternError::Unreadable(last.to_owned())
    })?;
    if NONSENSE.iter().any(|text| regex.is_match(text)) {
        return Err(PatternError::TooGeneral);
    }
    Ok(regex)
}

/// Where triggers stand, under the key that stands there.
fn places(frontmatter: &Mapping) -> impl Iterator<Item = (&'static str, &Node)> {
    let top = frontmatter
        .get("triggers")
        .map(|it| ("triggers", &it.value));
    let metadata = frontmatter.get("metadata");
    let metadata = metadata.and_then(|it| it.value.as_mapping()?.get(KEY));
    let metadata = metadata.map(|it| (KEY, &it.value));
    metadata.into_iter().chain(top)
}

/// Words, each as a text of a list or all in one text.
fn words(value: &Json, wrong: &mut dyn FnMut(String)) -> Vec<String> {
    let texts = texts(value, wrong).into_iter();
    match value {
        Json::String(_) => texts
            .flat_map(|text| {
                let words = text.split([' ', ',', '\n', '\t']);
                let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
                words.collect::<Vec<_>>()
            })
            .collect(),
        _ => texts.collect(),
    }
}

fn texts(value: &Json, wrong: &mut dyn FnMut(String)) -> Vec<String> {
    match value {
        Json::Null => Vec::new(),
        Json::String(text) => vec![text.clone()],
        Json::Array(all) => {
            let texts = all.iter().filter_map(Json::as_str);
            let texts: Vec<String> = texts.map(str::to_owned).collect();
            if texts.len() < all.len() {
                wrong("a list of it holds something that is no text".to_owned());
            }
            texts
        }
        _ => {
            wrong("a text or a list of texts is expected".to_owned());
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn check(fields: &str, keywords: &[&str], patterns: &[&str], problems: &[&str]) {
        let source = format!("---\nname: a\ndescription: b\n{fields}\n---\n");
        let document = Document::parse(source.as_bytes());
        let skill = Skill::from_document(&document, None).unwrap();
        let triggers = SkillTriggers::of(&skill);
        assert_eq!(triggers.keywords, keywords, "{fields}");
        assert_eq!(triggers.patterns, patterns, "{fields}");
        let found = super::problems(&skill.frontmatter);
        let found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, problems, "{fields}");
    }

    #[test]
    fn triggers_are_json_or_keywords() {
        let metadata = |value: &str| format!("metadata:\n  skillyard.triggers: {value}");
        check(&metadata("hello greet"), &["hello", "greet"], &[], &[]);
        let json = r#"'{"keywords":["hi"],"patterns":["greet\\s+\\w+"]}'"#;
        check(&metadata(json), &["hi"], &["greet\\s+\\w+"], &[]);
        check(&metadata("{keywords: [hi]}"), &["hi"], &[], &[]);
    }

    #[test]
    fn the_top_level_is_read_too() {
        let mapping =
            "triggers:\n  keywords: [hi there, you]\n  verbs: greet\n  patterns: ['greet .+']";
        check(mapping, &["hi there", "you"], &["greet .+"], &[]);
        check("triggers: [hi, you]", &["hi", "you"], &[], &[]);
        let both = "triggers: hi\nmetadata:\n  skillyard.triggers: you";
        check(both, &["you", "hi"], &[], &[]);
    }

    #[test]
    fn patterns_of_classes_count_unless_they_match_any_text() {
        for about in [
            r"[A-Z]{2,}-\d+",
            r"\b[A-Z]+-\d+\b",
            r"[a-z]+-[0-9]+",
            r"\d{3}-\d{4}",
            r"#\d+",
            r"v\d+\.\d+",
        ] {
            assert!(super::pattern(about).is_ok(), "{about}");
        }
        for any in [
            ".*",
            ".",
            "",
            r"\w+",
            "[a-z]+",
            r"\b[A-Z]+\b",
            r"\S+ \S+",
            r"\d",
            r"[,.!]",
            "^",
            r"\s",
        ] {
            assert_eq!(
                super::pattern(any).err(),
                Some(PatternError::TooGeneral),
                "{any}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let broken = r#"metadata: { skillyard.triggers: '{"keywords": [hi]}' }"#;
        let problem =
            "`skillyard.triggers`: it is no valid JSON: expected value at line 1 column 15";
        check(broken, &[], &[], &[problem]);
        check(
            "triggers: { words: [a], patterns: ['(', '.*', a], keywords: 3 }",
            &[],
            &["(", ".*", "a"],
            &[
                "`triggers`: `words` is none of `keywords`, `verbs` and `patterns`",
                "`triggers`: a text or a list of texts is expected",
                "`triggers`: the pattern `(` calls for nothing: unclosed group",
                "`triggers`: the pattern `.*` calls for nothing: it matches any text",
            ],
        );
    }
}
