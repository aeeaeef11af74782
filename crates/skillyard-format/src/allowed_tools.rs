//! `allowed-tools`: a list of tool patterns, however it is separated.
//!
//! The standard separates by spaces, nine of ten real files by commas, some by a
//! YAML list, and patterns such as `Bash(git log:*)` hold spaces themselves. One
//! tokenizer reads them all: separators count only outside parentheses.

use std::fmt;

use crate::yaml::{Node, Value};

/// One entry of the list, such as `Read` or `Bash(git:*)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolPattern {
    /// The tool, such as `Bash`.
    pub tool: String,
    /// What stands in its parentheses, such as `git:*`.
    pub argument: Option<String>,
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        match &self.argument {
            Some(argument) => write!(f, "({argument})"),
            None => Ok(()),
        }
    }
}

/// A list of patterns and how it was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedTools {
    /// The patterns in order.
    pub patterns: Vec<ToolPattern>,
    /// How they were separated.
    pub separator: Separator,
    /// Whether a parenthesis was opened and never closed, or closed and never opened.
    pub unbalanced: bool,
}

/// What separates the patterns of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Separator {
    /// Spaces, as the standard says, or nothing to separate.
    #[default]
    Space,
    /// Commas.
    Comma,
    /// A YAML list.
    List,
}

impl AllowedTools {
    /// Reads the value of the field; `None` when it is not text or a list of text.
    pub fn from_node(node: &Node) -> Option<Self> {
        match &node.value {
            Value::Scalar(scalar) => Some(Self::parse(&scalar.text)),
            Value::Mapping(_) => None,
            Value::Sequence(items) => {
                let mut tools = Self {
                    separator: Separator::List,
                    ..Self::default()
                };
                for item in items {
                    let parsed = Self::parse(item.as_str()?);
                    tools.patterns.extend(parsed.patterns);
                    tools.unbalanced |= parsed.unbalanced;
                }
                Some(tools)
            }
        }
    }

    /// Splits `text` at spaces and commas that stand outside parentheses.
    pub fn parse(text: &str) -> Self {
        let mut tools = Self::default();
        let mut depth = 0_usize;
        let mut start = 0;
        for (at, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth == 0 => tools.unbalanced = true,
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    tools.separator = Separator::Comma;
                    tools.push(&text[start..at]);
                    start = at + 1;
                }
                c if depth == 0 && c.is_whitespace() => {
                    // `Bash (git:*)`: the parenthesis belongs to the word before it. Only the
                    // last of several spaces decides, so that many of them cost no more.
                    let next = text[at + c.len_utf8()..].chars().next();
                    if next.is_none_or(|next| next != '(' && !next.is_whitespace()) {
                        tools.push(&text[start..at]);
                        start = at;
                    }
                }
                _ => {}
            }
        }
        tools.unbalanced |= depth > 0;
        tools.push(&text[start..]);
        tools
    }

    fn push(&mut self, token: &str) {
        let token = token.trim();
        // A lone hyphen is what remains of `allowed-tools: - Read`.
        if token.is_empty() || token == "-" {
            return;
        }
        let (tool, argument) = match token.split_once('(') {
            Some((tool, rest)) if !tool.trim().is_empty() => {
                let argument = rest.strip_suffix(')').unwrap_or(rest);
                (tool.trim(), Some(argument.trim().to_owned()))
            }
            _ => (token, None),
        };
        self.patterns.push(ToolPattern {
            tool: tool.to_owned(),
            argument,
        });
    }

    /// The list as the standard writes it, separated by spaces.
    pub fn to_standard_form(&self) -> String {
        let words: Vec<String> = self.patterns.iter().map(ToString::to_string).collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, separator: Separator, expected: &[&str]) {
        let tools = AllowedTools::parse(text);
        let found: Vec<String> = tools.patterns.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(tools.separator, separator, "{text}");
    }

    #[test]
    fn separators() {
        check(
            "Bash(git:*) Bash(jq:*) Read",
            Separator::Space,
            &["Bash(git:*)", "Bash(jq:*)", "Read"],
        );
        check(
            "Read, Write,Edit",
            Separator::Comma,
            &["Read", "Write", "Edit"],
        );
        check("", Separator::Space, &[]);
        check("- Read", Separator::Space, &["Read"]);
        check("*", Separator::Space, &["*"]);
    }

    #[test]
    fn separators_inside_parentheses_do_not_count() {
        check(
            "Bash(gh pr list:*), Bash(a, b) Bash(${SKILL_DIR}/x (y) z:*)",
            Separator::Comma,
            &[
                "Bash(gh pr list:*)",
                "Bash(a, b)",
                "Bash(${SKILL_DIR}/x (y) z:*)",
            ],
        );
        check(
            "Bash (git:*) Read",
            Separator::Space,
            &["Bash(git:*)", "Read"],
        );
    }

    #[test]
    fn unbalanced_parentheses_are_told() {
        assert!(AllowedTools::parse("Bash(git:* Read").unbalanced);
        assert!(AllowedTools::parse("Bash) Read").unbalanced);
        assert!(!AllowedTools::parse("Bash(git:*)").unbalanced);
    }
}
