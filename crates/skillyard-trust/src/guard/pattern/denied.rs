//! Patterns for shell commands in lists that deny: whatever may be meant by them.

use std::path::Path;

use super::{CommandPattern, PatternWord, base_name, parts};
use crate::guard::shell::Word;
use crate::guard::version::may_be_same;
use crate::wildcard;

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
        // Every name fits, so the folder must, too, as far as it can be told.
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
