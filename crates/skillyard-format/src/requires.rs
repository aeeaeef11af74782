//! The commands that a skill says it needs.
//!
//! `metadata.requires` is a text or a list, as the documents have it, or a mapping with `bins` and
//! `anyBins`; one skill of ten has that mapping below `metadata.openclaw`, and some have it outside
//! of `metadata`. People write versions
//! and alternatives there, too: what is looked for is the command alone.

use crate::span::Span;
use crate::yaml::{Mapping, Node, Value};

/// The clients that have a table of their own in `metadata`.
pub(crate) const CLIENTS: [&str; 5] = ["openclaw", "clawdbot", "moltbot", "clawdis", "otto"];
/// What comes between a command and a version.
const OPERATORS: [char; 7] = ['<', '>', '=', '!', '~', '^', '@'];

/// The commands that a skill says it needs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Requirements {
    /// Commands; where one of several is enough, they are separated by `|`.
    pub(crate) commands: Vec<String>,
    /// What is no name of a command, and where it stands.
    pub(crate) unreadable: Vec<(Span, String)>,
}

impl Requirements {
    /// What a frontmatter says.
    pub(crate) fn of(frontmatter: &Mapping) -> Self {
        let mut found = Self::default();
        let outside = frontmatter.get("requires");
        if let Some(kinds) = outside.and_then(|entry| entry.value.as_mapping()) {
            found.kinds(kinds);
        }
        let metadata = frontmatter.get("metadata");
        let Some(metadata) = metadata.and_then(|entry| entry.value.as_mapping()) else {
            return found;
        };
        let inner = CLIENTS.iter().filter_map(|client| {
            let table = metadata.get(client)?.value.as_mapping()?;
            table.get("requires")
        });
        for entry in metadata.get("requires").into_iter().chain(inner) {
            match &entry.value.value {
                Value::Mapping(kinds) => found.kinds(kinds),
                _ => found.all(&entry.value),
            }
        }
        found
    }

    fn kinds(&mut self, kinds: &Mapping) {
        if let Some(bins) = kinds.get("bins") {
            self.all(&bins.value);
        }
        if let Some(any) = kinds.get("anyBins") {
            let mut among = Self::default();
            among.all(&any.value);
            self.unreadable.append(&mut among.unreadable);
            self.add(among.commands.join("|"));
        }
    }

    /// Every command of a text or of a list of texts is needed.
    fn all(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar(scalar) => {
                for word in words(&scalar.text) {
                    if word.split('|').all(is_command) {
                        self.add(word);
                    } else {
                        self.unreadable.push((node.span, word));
                    }
                }
            }
            Value::Sequence(items) => items.iter().for_each(|item| self.all(item)),
            Value::Mapping(_) => self.unreadable.push((node.span, node.kind().to_owned())),
        }
    }

    fn add(&mut self, command: String) {
        if !command.is_empty() && !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }
}

/// The words of a text, without versions.
fn words(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let words = plain.split(|c: char| c.is_whitespace() || c == ',');
    let words = words.map(|word| match word.find(OPERATORS) {
        // A scope of npm begins with one, and is no command.
        Some(0) if word.starts_with('@') => word,
        Some(at) => &word[..at],
        None => word,
    });
    words
        .filter(|word| !word.is_empty() && !is_version(word))
        .map(str::to_owned)
        .collect()
}

/// A number such as `3`, `3.8+` or `v18.x`, which stands behind the command that it belongs to.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || ".+x*".contains(c))
}

/// Whether it can be looked for: a name, or where a file lies on every machine.
fn is_command(word: &str) -> bool {
    let fine = |c: char| c.is_alphanumeric() || "._+-".contains(c);
    let is_name = |part: &str| {
        !matches!(part, "" | "." | "..") && !part.starts_with('-') && part.chars().all(fine)
    };
    match word.strip_prefix('/') {
        Some(path) => path.split('/').all(is_name),
        None => is_name(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn check(metadata: &str, commands: &[&str], unreadable: &[&str]) {
        let text = format!("---\nname: a\ndescription: b\nmetadata:\n{metadata}---\n");
        let document = Document::parse(text.as_bytes());
        let found = Requirements::of(document.mapping().unwrap());
        assert_eq!(found.commands, commands, "{metadata}");
        let words: Vec<&str> = found.unreadable.iter().map(|(_, word)| &**word).collect();
        assert_eq!(words, unreadable, "{metadata}");
    }

    #[test]
    fn texts_lists_and_tables_are_read() {
        check("  requires: gh, jq git\n", &["gh", "jq", "git"], &[]);
        check("  requires: [gh, 'jq git']\n", &["gh", "jq", "git"], &[]);
        check(
            "  requires: {bins: [gh], anyBins: [rg, grep]}\n",
            &["gh", "rg|grep"],
            &[],
        );
        for client in CLIENTS {
            let nested =
                format!("  {client}: {{\"requires\":{{\"bins\":[\"gh\"]}},\"os\":[\"darwin\"]}}\n");
            check(&nested, &["gh"], &[]);
        }
        check("  requires: {env: [TOKEN]}\n", &[], &[]);
    }

    #[test]
    fn versions_are_cut_and_what_is_no_command_is_told() {
        check("  requires: python3>=3.8\n", &["python3"], &[]);
        check(
            "  requires: python3 >= 3.8, node@18\n",
            &["python3", "node"],
            &[],
        );
        check("  requires: python3 (3.8 or later)\n", &["python3"], &[]);
        check("  requires: python3 3.8+, 7z\n", &["python3", "7z"], &[]);
        check(
            "  requires: /bin/sh sh|bash\n",
            &["/bin/sh", "sh|bash"],
            &[],
        );
        check(
            "  requires: ../bin/gh ./x @a/b a:b\n",
            &[],
            &["../bin/gh", "./x", "@a/b", "a:b"],
        );
        check("  requires: /bin/../sh\n", &[], &["/bin/../sh"]);
    }
}
