//! Words as a shell needs them, in hints that are pasted and in cards.
//!
//! Names of skills and folders are chosen by others: one with a blank would be two words, and one
//! with a `;` a command of its own.

use std::path::Path;

/// A word that a shell takes as it is, whatever is in it.
pub(crate) fn shell_word(word: &str) -> String {
    // In quotes it would not mean the home directory any more.
    if let Some(rest) = word.strip_prefix("~/") {
        return if rest.is_empty() {
            word.to_owned()
        } else {
            format!("~/{}", shell_word(rest))
        };
    }
    let is_plain = |each: char| each.is_alphanumeric() || "-_./:=,+@%".contains(each);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The same for a path.
pub(crate) fn shell_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

/// Words with blanks between them, so that one with blanks cannot pass for two.
pub(crate) fn shell_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(shell_word).collect();
    quoted.join(" ")
}

/// What chooses a registry on a command line, with the blank before it.
pub(crate) fn registry_flag(alias: Option<&str>) -> String {
    alias.map_or_else(String::new, |alias| {
        format!(" --registry {}", shell_word(alias))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_quotes_has_them() {
        let check = |word: &str, expected: &str| assert_eq!(shell_word(word), expected);
        check("pdf-tools", "pdf-tools");
        check("@acme/pdf@1.2", "@acme/pdf@1.2");
        check("a b", "'a b'");
        check("deploy;touch${IFS}x", "'deploy;touch${IFS}x'");
        check("it's", r"'it'\''s'");
        check("", "''");
        check("~/a b", "~/'a b'");
        check("=ls", "'=ls'");
        assert_eq!(shell_words(["a", "b c"]), "a 'b c'");
    }
}
