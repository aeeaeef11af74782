//! Words of a command that are files, whatever they look like: what is done to them is what the log
//! is kept for.

/// Programs that take nothing but files behind their options.
#[rustfmt::skip]
const ON_FILES: &[&str] = &[
    "cat", "chmod", "chown", "cp", "ln", "ls", "mkdir", "mv", "rm", "rmdir", "shred", "touch",
    "truncate", "unlink",
];
/// Programs whose first word is the file that they run.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    ".", "bash", "dash", "node", "perl", "python", "python3", "ruby", "sh", "source", "zsh",
];

/// Whether a word that looks like a token is a file by where it stands.
pub(super) fn is_file(text: &str, start: usize, end: usize) -> bool {
    let ends_word = |c: char| c.is_whitespace() || "\"'=;|&()<>".contains(c);
    let word = &text[text[..start].rfind(ends_word).map_or(0, |at| at + 1)..];
    let word = &word[..word.find(ends_word).unwrap_or(word.len())];
    // An address may have one anywhere.
    if word.contains("://") {
        return false;
    }
    let mut behind = text[end..].chars();
    let is_name = match behind.next() {
        Some('/') => true,
        Some('.') => behind.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        _ => false,
    };
    is_name || text[..start].ends_with('/') || is_operand(&text[..start])
}

/// Whether the next word is a file, or the program itself, by the words of the command before it.
fn is_operand(before: &str) -> bool {
    // In a text for people any word may stand anywhere.
    if !before.ends_with([' ', '"', '\'']) {
        return false;
    }
    let mut words = words(before);
    let Some(program) = words.next() else {
        return false;
    };
    let is_option = |word: &str| word.starts_with('-');
    ON_FILES.contains(&program) || RUNNERS.contains(&program) && words.all(is_option)
}

/// Whether what looks like an option is none: options have ended, and the rest are files.
pub(super) fn is_behind_options(before: &str) -> bool {
    let mut words = words(before);
    let program = words.next().unwrap_or_default();
    ON_FILES.contains(&program) && words.any(|word| word == "--")
}

/// The words of the last command of a text, from the name of its program on.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let command = text
        .rsplit([';', '|', '&', '\n', '(', '`', '{', ':'])
        .next();
    let words = command.unwrap_or_default();
    let words = words.split(|c: char| c.is_whitespace() || "\"',[]\\".contains(c));
    let mut words = words.filter(|word| !word.is_empty());
    let program = words
        .next()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    program.into_iter().chain(words)
}
