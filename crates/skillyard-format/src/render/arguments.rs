//! `$ARGUMENTS` and its relatives in a skill's instructions: `$ARGUMENTS[N]`, `$N`, `$name` for the
//! names that `arguments` in its frontmatter gives them, and `${SKILL_DIR}`.
//!
//! Values are put in once and never looked at again, so an argument that says
//! `$ARGUMENTS` or `${SKILL_DIR}` stays what it is. A `$1` without a first argument
//! is left alone: instructions are full of prices and shell scripts.

use crate::document::Document;
use crate::skill::argument_names;

/// What the user wrote behind a skill's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    /// The whole text.
    pub text: String,
    /// Its words, quotes undone.
    pub words: Vec<String>,
    /// What the skill calls its words, the first first.
    pub names: Vec<String>,
}

impl Arguments {
    /// Splits `text` into words as a shell would, without expanding anything.
    pub fn parse(text: &str) -> Self {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in text.trim().chars() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '"' | '\'') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        Self {
            text: text.trim().to_owned(),
            words,
            names: Vec::new(),
        }
    }

    /// A text that is split into these words.
    pub fn joined(words: &[String]) -> String {
        let mut joined = String::new();
        for word in words {
            if !joined.is_empty() {
                joined.push(' ');
            }
            let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'');
            if !word.is_empty() && word.chars().all(is_plain) {
                joined.push_str(word);
                continue;
            }
            // No sign stands for another one between quotes, so the one kind is put between the other.
            for (at, piece) in word.split('\'').enumerate() {
                if at > 0 {
                    joined.push_str("\"'\"");
                }
                joined.push('\'');
                joined.push_str(piece);
                joined.push('\'');
            }
        }
        joined
    }

    /// The same, with the names that a skill gives to its arguments.
    #[must_use]
    pub fn of(document: &Document<'_>, text: &str) -> Self {
        Self {
            names: argument_names(document),
            ..Self::parse(text)
        }
    }
}

/// `body` with its placeholders filled in.
///
/// Arguments for which the body has no placeholder are appended in a line of their own.
pub fn substitute(body: &str, arguments: &Arguments, skill_dir: &str) -> String {
    let mut result = String::with_capacity(body.len() + arguments.text.len());
    let mut used = false;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'$', b'\\', &body.as_bytes()[at..]) {
        let start = at + found;
        result.push_str(&body[at..start]);
        let rest = &body[start..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            let placeholder = escaped
                .starts_with('$')
                .then(|| placeholder(escaped, &arguments.names))
                .flatten();
            let length = placeholder.map_or(0, |(_, length)| length);
            // Only a placeholder needs escaping, so any other backslash is text.
            result.push_str(if length == 0 {
                "\\"
            } else {
                &escaped[..length]
            });
            at = start + 1 + length;
            continue;
        }
        match placeholder(rest, &arguments.names) {
            Some((Placeholder::All, length)) => {
                result.push_str(&arguments.text);
                used = true;
                at = start + length;
            }
            Some((Placeholder::Word(index), length)) if index < arguments.words.len() => {
                result.push_str(&arguments.words[index]);
                used = true;
                at = start + length;
            }
            Some((Placeholder::SkillDir, length)) => {
                result.push_str(skill_dir);
                at = start + length;
            }
            _ => {
                result.push('$');
                at = start + 1;
            }
        }
    }
    result.push_str(&body[at..]);
    if !used && !arguments.text.is_empty() {
        result.truncate(result.trim_end().len());
        result.push_str("\n\nARGUMENTS: ");
        result.push_str(&arguments.text);
        result.push('\n');
    }
    result
}

/// The commands of a body that Claude Code runs while it loads the skill, such as `` !`git status` ``,
/// each once, as they are written. Nothing is run here.
pub fn commands(body: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (start, _) in body.match_indices("!`") {
        let is_apart = body[..start]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        let line = body[start + 2..].lines().next().unwrap_or_default();
        let Some(length) = line.find('`').filter(|length| is_apart && *length > 0) else {
            continue;
        };
        let written = &body[start..start + length + 3];
        if !found.contains(&written) {
            found.push(written);
        }
    }
    found
}

/// The placeholders of a body, each once, as they are written and in the order of their first use.
pub fn placeholders<'d>(document: &'d Document<'_>) -> Vec<&'d str> {
    let (body, names) = (document.body(), argument_names(document));
    let mut found: Vec<&str> = Vec::new();
    let bytes = body.as_bytes();
    for start in memchr::memchr_iter(b'$', bytes) {
        let is_escaped = start > 0 && bytes[start - 1] == b'\\';
        let Some((_, length)) = placeholder(&body[start..], &names).filter(|_| !is_escaped) else {
            continue;
        };
        let written = &body[start..start + length];
        if !found.contains(&written) {
            found.push(written);
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    All,
    Word(usize),
    SkillDir,
}

/// The names of the skill's folder; the second is what most authors write.
const SKILL_DIR: [&str; 2] = ["{SKILL_DIR}", "{CLAUDE_SKILL_DIR}"];

/// The placeholder that `text`, which starts with `$`, starts with, and its length.
fn placeholder(text: &str, names: &[String]) -> Option<(Placeholder, usize)> {
    let rest = text.strip_prefix('$')?;
    if let Some(name) = SKILL_DIR.iter().find(|name| rest.starts_with(**name)) {
        return Some((Placeholder::SkillDir, 1 + name.len()));
    }
    let is_called = |(_, name): &(usize, &String)| {
        let behind = rest.strip_prefix(name.as_str());
        behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let called = names.iter().enumerate().filter(is_called);
    if let Some((index, name)) = called.max_by_key(|(_, name)| name.len()) {
        return Some((Placeholder::Word(index), 1 + name.len()));
    }
    if let Some(behind) = rest.strip_prefix("ARGUMENTS") {
        let index = behind
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'))
            .and_then(|(digits, _)| Some((number(digits)?, digits.len())));
        if let Some((index, digits)) = index {
            return Some((Placeholder::Word(index), 1 + "ARGUMENTS[]".len() + digits));
        }
        let ends = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        return ends.then_some((Placeholder::All, 1 + "ARGUMENTS".len()));
    }
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let ends = !rest[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let index = number(&rest[..digits]).filter(|_| ends)?;
    Some((Placeholder::Word(index), 1 + digits))
}

fn number(digits: &str) -> Option<usize> {
    let canonical = digits == "0" || (digits.len() <= 2 && !digits.starts_with('0'));
    digits.parse().ok().filter(|_| canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, arguments: &str, expected: &str) {
        let arguments = Arguments::parse(arguments);
        assert_eq!(
            substitute(body, &arguments, "/skills/pdf"),
            expected,
            "{body}"
        );
    }

    #[test]
    fn placeholders_are_filled() {
        check("do $ARGUMENTS.", "a b", "do a b.");
        check("$0 then $ARGUMENTS[1]", "a 'b c'", "a then b c");
        check("run ${SKILL_DIR}/x", "", "run /skills/pdf/x");
        check("run ${CLAUDE_SKILL_DIR}/x", "", "run /skills/pdf/x");
        check("\\${CLAUDE_SKILL_DIR}", "", "${CLAUDE_SKILL_DIR}");
    }

    #[test]
    fn arguments_have_the_names_that_the_skill_gives_them() {
        let filled = |head: &str, body: &str, arguments: &str| {
            let text = format!("---\nname: x\ndescription: X.\n{head}\n---\n{body}");
            let document = Document::parse(text.as_bytes());
            let arguments = Arguments::of(&document, arguments);
            substitute(document.body(), &arguments, "/skills/x")
        };
        let head = "arguments: [issue, branch-name]";
        let body = "fix $issue on $branch-name, not $issues; \\$issue";
        assert_eq!(
            filled(head, body, "7 '$issue'"),
            "fix 7 on $issue, not $issues; $issue"
        );
        assert_eq!(
            filled("arguments: issue branch-name", body, "7"),
            "fix 7 on $branch-name, not $issues; $issue"
        );
        assert_eq!(filled("license: MIT", "$issue", ""), "$issue");
    }

    #[test]
    fn words_that_are_joined_are_split_into_the_same() {
        for words in [
            &["prod", "main"][..],
            &["", "a b", "it's \"so\"", "'", " ", "\n"],
            &["", ""],
            &[],
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let joined = Arguments::joined(&words);
            assert_eq!(Arguments::parse(&joined).words, words, "{joined}");
        }
    }

    #[test]
    fn placeholders_are_found_once_each() {
        assert_eq!(
            placeholders(&Document::parse(
                b"---\nname: x\n---\n$0 ${SKILL_DIR}/x $0, \\$ARGUMENTS, $HOME, $ARGUMENTS[1]"
            )),
            ["$0", "${SKILL_DIR}", "$ARGUMENTS[1]"]
        );
    }

    #[test]
    fn what_is_no_placeholder_stays() {
        check(
            "costs $5, $HOME, $ARGUMENTSX, $1x",
            "",
            "costs $5, $HOME, $ARGUMENTSX, $1x",
        );
        check(
            "\\$ARGUMENTS and \\$ and \\n",
            "",
            "$ARGUMENTS and \\$ and \\n",
        );
    }

    #[test]
    fn values_are_never_expanded_again() {
        check("$0", "'$1' x", "$1");
        check(
            "$ARGUMENTS",
            "${SKILL_DIR} $ARGUMENTS",
            "${SKILL_DIR} $ARGUMENTS",
        );
    }

    #[test]
    fn arguments_without_a_placeholder_are_appended() {
        check("do it\n", "now", "do it\n\nARGUMENTS: now\n");
        check("do it\n", "", "do it\n");
    }
}
