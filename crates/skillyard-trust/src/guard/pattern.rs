//! Patterns for shell commands: `git:*`, `git status`, `npm run *`, `./scripts/*.sh:*`.

use std::path::{Path, PathBuf};

use crate::guard::path::FilePath;
use crate::guard::programs::may_be_same;
use crate::guard::request::GuardEnvironment;
use crate::guard::shell::Word;
use crate::wildcard;

/// A command, or the beginning of one.
#[derive(Debug, Clone)]
pub(super) struct CommandPattern {
    words: Vec<PatternWord>,
    end: PatternEnd,
    folder: Option<PathBuf>,
}

/// What may follow the words of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternEnd {
    /// Nothing.
    Exact,
    /// Any arguments.
    Open,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternWord {
    Exact(String),
    /// `*`: one word that is not an option.
    One,
    /// `*` inside a word: anything but a `/`.
    Glob(String),
}

/// Ways to write the folder of the skill.
const FOLDER_VARIABLES: [&str; 5] = [
    "${CLAUDE_SKILL_DIR}",
    "${CLAUDE_PLUGIN_ROOT}",
    "${SKILL_DIR}",
    "${SKILLYARD_SKILL_DIR}",
    "{baseDir}",
];

impl CommandPattern {
    /// Reads what stands in `Bash(…)`; several when it is a list such as `a:*, b:*`.
    pub(super) fn all(text: &str, folder: Option<&Path>) -> Vec<Self> {
        parts(text)
            .into_iter()
            .filter_map(|part| Self::one(part, folder))
            .collect()
    }

    fn one(text: &str, folder: Option<&Path>) -> Option<Self> {
        let (text, end) = match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
            Some(words) => (words, PatternEnd::Open),
            // `ls*` is meant as `ls` with arguments; `lsof` is another program.
            None => match text.strip_suffix('*') {
                Some(words) if !words.ends_with('/') => (words, PatternEnd::Open),
                Some(_) => (text, PatternEnd::Open),
                None => (text, PatternEnd::Exact),
            },
        };
        let mut words = Vec::new();
        for word in split(text)? {
            words.push(pattern_word(in_folder(word, folder)?));
        }
        let is_program = match words.first()? {
            PatternWord::Exact(word) => !word.is_empty() && !word.starts_with('-'),
            PatternWord::Glob(word) => word.contains('/'),
            PatternWord::One => false,
        };
        is_program.then(|| Self {
            words,
            end,
            folder: folder.map(Path::to_owned),
        })
    }

    /// How many words of a command the pattern itself names, and not by a `*`.
    pub(super) fn named(&self) -> usize {
        let is_exact = |word: &&PatternWord| matches!(word, PatternWord::Exact(_));
        let exact = self.words.iter().skip(1).take_while(is_exact).count();
        exact + 1
    }

    /// Whether the pattern allows the words of a command.
    pub(super) fn allows(&self, words: &[Word], place: Cwd, world: &dyn GuardEnvironment) -> bool {
        let enough = match self.end {
            PatternEnd::Exact => words.len() == self.words.len(),
            PatternEnd::Open => words.len() >= self.words.len(),
        };
        let Some(program) = words.first().and_then(Word::literal) else {
            return false;
        };
        enough
            && self.is_program(program, place, world)
            && self.words[1..]
                .iter()
                .zip(&words[1..])
                .all(|(pattern, word)| word.literal().is_some_and(|word| pattern.is(word)))
    }

    fn is_program(&self, program: &str, place: Cwd, world: &dyn GuardEnvironment) -> bool {
        let pattern = match &self.words[0] {
            PatternWord::Exact(name) if !name.contains('/') => {
                return name == program || is_same_program(name, program, world);
            }
            PatternWord::Exact(path) | PatternWord::Glob(path) => path,
            PatternWord::One => return false,
        };
        if !program.contains('/') || (place == Cwd::Unknown && !program.starts_with('/')) {
            return false;
        }
        let Some(found) = FilePath::of(program, world) else {
            return false;
        };
        let Some(FilePath { named: wanted, .. }) = FilePath::of(pattern, world) else {
            return false;
        };
        let is_named = match &self.words[0] {
            PatternWord::Glob(_) => is_path_like(&wanted, &found.named),
            _ => {
                wanted == found.named
                    || world
                        .canonical(&wanted)
                        .is_some_and(|real| real == found.real)
            }
        };
        // A link in the folder must not lead to a program outside.
        let root = match &self.folder {
            Some(folder) if wanted.starts_with(folder) => folder.as_path(),
            _ if wanted.starts_with(world.workspace()) => world.workspace(),
            _ => return is_named,
        };
        let stays = world
            .canonical(root)
            .is_some_and(|root| found.real.starts_with(root));
        is_named && stays
    }

    /// The name of the program, as it is written.
    pub(super) fn program_name(&self) -> &str {
        match self.words.first() {
            Some(PatternWord::Exact(name) | PatternWord::Glob(name)) => name,
            _ => "",
        }
    }
}

/// Whether relative paths mean what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cwd {
    /// The command runs in the workspace.
    Workspace,
    /// The command goes somewhere else before.
    Unknown,
}

impl PatternWord {
    fn is(&self, word: &str) -> bool {
        match self {
            Self::Exact(text) => text == word,
            Self::One => !word.is_empty() && !word.starts_with('-'),
            Self::Glob(glob) => {
                !word.starts_with('-') && is_path_like(Path::new(glob), Path::new(word))
            }
        }
    }
}

/// What stands in `Bash(…)`, as one command or several.
fn parts(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_open = |part: &&str| part.ends_with(":*") || part.ends_with(" *");
    if parts.len() > 1 && parts.iter().all(is_open) {
        return parts;
    }
    vec![text.trim()]
}

fn pattern_word(word: String) -> PatternWord {
    match word.as_str() {
        "*" => PatternWord::One,
        text if text.contains('*') => PatternWord::Glob(word),
        _ => PatternWord::Exact(word),
    }
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `/usr/bin/git` is `git` when that is the `git` which would be found.
fn is_same_program(name: &str, path: &str, world: &dyn GuardEnvironment) -> bool {
    path.starts_with('/')
        && base_name(path) == name
        && world
            .canonical(Path::new(path))
            .is_some_and(|real| world.program(name).is_some_and(|program| program == real))
}

/// Compares paths part by part; `*` stands for anything within a part.
fn is_path_like(pattern: &Path, path: &Path) -> bool {
    let mut parts = path.components();
    for wanted in pattern.components() {
        let Some(part) = parts.next() else {
            return false;
        };
        let (Some(wanted), Some(part)) = (wanted.as_os_str().to_str(), part.as_os_str().to_str())
        else {
            return false;
        };
        if part == ".." || !wildcard::matches(wanted, part) {
            return false;
        }
    }
    parts.next().is_none()
}

/// The word with the skill's folder in place of its variable; `None` for other variables.
fn in_folder(word: String, folder: Option<&Path>) -> Option<String> {
    for variable in FOLDER_VARIABLES {
        if let Some(rest) = word.strip_prefix(variable) {
            let folder = folder?.to_str()?;
            return (!rest.contains('$')).then(|| format!("{folder}{rest}"));
        }
    }
    (!word.contains(['$', '`'])).then_some(word)
}

/// Words at blanks outside quotes; `None` for what is more than one plain command.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '\\' | '`') => return None,
            (_, c) if c.is_control() => return None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

impl CommandPattern {
    /// Reads what stands in `Bash(…)` of a list that denies: everything that may be meant, or
    /// `None` when a part is not understood.
    pub(in crate::guard) fn denied(text: &str, folder: Option<&Path>) -> Option<Vec<Self>> {
        let sure = parts(text);
        // `rm, curl` may be meant as two commands.
        let doubtful = text.split(',').map(str::trim);
        let doubtful = doubtful.filter(|part| !sure.contains(part));
        let doubtful: Vec<Self> = doubtful
            .filter_map(|part| Self::one(part, folder)?.named_program())
            .collect();
        let mut found = Vec::new();
        for part in sure {
            let pattern = Self::one(part, folder)?.named_program()?;
            let is_wide = part.ends_with('*') && !part.ends_with(":*") && !part.ends_with(" *");
            found.extend(is_wide.then(|| pattern.widened()));
            found.push(pattern);
        }
        found.extend(doubtful);
        Some(found)
    }

    /// The pattern, if its first word can be a program.
    fn named_program(self) -> Option<Self> {
        let name = base_name(self.program_name());
        let can_be = !name.is_empty() && !name.contains(char::is_whitespace);
        can_be.then_some(self)
    }

    /// The pattern with a last word that may go on: `python*` may be meant as `python3`, too.
    fn widened(&self) -> Self {
        let mut wide = self.clone();
        if let Some(PatternWord::Exact(word)) = wide.words.pop() {
            wide.words.push(PatternWord::Glob(format!("{word}*")));
            return wide;
        }
        self.clone()
    }

    /// Whether a command could be what the pattern means, however it is disguised.
    pub(in crate::guard) fn may_mean(&self, words: &[Word]) -> bool {
        let Some(program) = words.first().and_then(Word::literal) else {
            return true;
        };
        if !self.may_be_program(program) {
            return false;
        }
        // Options may stand between the words, and open words may be anything.
        let mut rest = words[1..].iter();
        self.words[1..].iter().all(|pattern| {
            rest.clone().any(|word| word.literal().is_none())
                || rest.any(|word| word.literal().is_some_and(|word| pattern.may_be(word)))
        })
    }

    /// Whether a program may be that of the pattern, wherever it lies.
    pub(in crate::guard) fn may_be_program(&self, program: &str) -> bool {
        let wanted = self.program_name().to_ascii_lowercase();
        let program = program.to_ascii_lowercase();
        let name = base_name(&wanted);
        let found = base_name(&program);
        if !wildcard::matches(name, found) && !may_be_same(name, found) {
            return false;
        }
        if name.contains(|c| c != '*') {
            return true;
        }
        // Every name matches, so the folder must match too, as far as it is known.
        let folder = |path: &str| {
            let folder = path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
            folder.map(|folder| base_name(&folder).to_owned())
        };
        let is_unknown = |folder: &str| matches!(folder, "" | "." | "..");
        let wanted = folder(&wanted).unwrap_or_default();
        folder(&program).is_some_and(|found| {
            is_unknown(&wanted) || is_unknown(&found) || wildcard::matches(&wanted, &found)
        })
    }
}

impl PatternWord {
    /// Whether it may be meant, in a list that denies.
    fn may_be(&self, word: &str) -> bool {
        match self {
            Self::Exact(text) => text == word,
            Self::One => !word.is_empty(),
            Self::Glob(glob) => wildcard::matches(glob, word) || self.is(word),
        }
    }
}
