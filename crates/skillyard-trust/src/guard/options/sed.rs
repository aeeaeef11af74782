//! Scripts of `sed`, which start programs (`e`) and write files (`w`) by their own commands.

use super::super::shell::Word;
use super::{starts, unseen};

/// Why a script behind the first `named` words is dangerous, if it is.
pub(super) fn sed(words: &[Word], named: usize) -> Option<String> {
    let mut given = Given::default();
    let mut at = 1;
    while at < words.len() {
        let was = at;
        at += 1;
        let is_judged = was >= named;
        let word = &words[was];
        let Some(text) = word.literal().filter(|_| !given.operands_only) else {
            if is_judged && !given.operands_only && word.may_hide_an_option() {
                return Some(unseen("sed"));
            }
            given.operand(word, is_judged);
            continue;
        };
        match option(text) {
            Said::End => given.operands_only = true,
            Said::Operand => given.operand(word, is_judged),
            Said::Value => at += 1,
            Said::File if is_judged => return Some(starts("sed", text)),
            Said::Nothing | Said::File => {}
            Said::Script(Some(script)) => given.script(Some(script), is_judged),
            Said::Script(None) => {
                let script = words.get(at).and_then(Word::literal);
                given.script(script, at >= named);
                at += 1;
            }
        }
    }
    let scripts = if given.scripts.is_empty() {
        given.first
    } else {
        given.scripts
    };
    let judged: Option<Vec<&str>> = scripts.into_iter().collect();
    let Some(scripts) = judged else {
        return Some("a script of `sed` is only known when it runs".into());
    };
    let text = scripts.join("\n");
    // Not every `sed` ends a pattern where its delimiter stands in brackets.
    let ways = [Brackets::Hold, Brackets::End].map(|way| Script::of(&text, way).judged());
    match ways {
        [Err(Bad::Danger(reason)), _] | [_, Err(Bad::Danger(reason))] => Some(reason),
        [Err(Bad::Unread), Err(Bad::Unread)] => Some(unread()),
        _ => None,
    }
}

/// What is wrong with a script.
enum Bad {
    /// It starts programs or writes files.
    Danger(String),
    /// What it does cannot be told; `sed` itself refuses most of these.
    Unread,
}

/// Whether a delimiter in brackets ends a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Hold,
    End,
}

/// The scripts of a command that are judged; none in the place of one that cannot be seen.
#[derive(Default)]
struct Given<'a> {
    scripts: Vec<Option<&'a str>>,
    /// The first operand, which is the script where no option names one.
    first: Vec<Option<&'a str>>,
    has_operands: bool,
    operands_only: bool,
}

impl<'a> Given<'a> {
    fn operand(&mut self, word: &'a Word, is_judged: bool) {
        // Behind `-i` of some systems it is what copies are called.
        if word.literal() == Some("") {
            return;
        }
        if !std::mem::replace(&mut self.has_operands, true) && is_judged {
            self.first.push(word.literal());
        }
    }

    /// What the pattern itself names is not judged, and is a script all the same.
    fn script(&mut self, script: Option<&'a str>, is_judged: bool) {
        self.scripts.push(if is_judged { script } else { Some("") });
    }
}

/// What a word is.
enum Said<'a> {
    Nothing,
    Operand,
    /// No options follow.
    End,
    /// A value follows that is no script.
    Value,
    /// A script that cannot be seen.
    File,
    /// A script, here or in the next word.
    Script(Option<&'a str>),
}

fn option(text: &str) -> Said<'_> {
    if text == "--" {
        return Said::End;
    }
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        return match name {
            _ if "expression".starts_with(name) => Said::Script(value),
            _ if "file".starts_with(name) => Said::File,
            _ if value.is_none() && "line-length".starts_with(name) => Said::Value,
            _ => Said::Nothing,
        };
    }
    let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
        return Said::Operand;
    };
    for (at, letter) in letters.char_indices() {
        let rest = &letters[at + letter.len_utf8()..];
        let rest = (!rest.is_empty()).then_some(rest);
        match letter {
            'e' => return Said::Script(rest),
            'f' => return Said::File,
            'l' if rest.is_none() => return Said::Value,
            // What follows belongs to them.
            'i' | 'I' | 'l' => return Said::Nothing,
            _ => {}
        }
    }
    Said::Nothing
}

/// A script on its way to its end.
struct Script {
    rest: Vec<char>,
    at: usize,
    brackets: Brackets,
}

impl Script {
    fn of(text: &str, brackets: Brackets) -> Self {
        Self {
            rest: text.chars().collect(),
            at: 0,
            brackets,
        }
    }

    fn judged(mut self) -> Result<(), Bad> {
        loop {
            self.skip(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            if self.peek() == Some('#') {
                self.line();
                continue;
            }
            self.addresses().ok_or(Bad::Unread)?;
            let Some(command) = self.next() else {
                return Ok(());
            };
            match command {
                'e' => return Err(told(command)),
                'w' | 'W' if !self.is_stream() => return Err(told(command)),
                's' => self.substitution()?,
                'y' => {
                    let delimiter = self.next();
                    self.part(delimiter).ok_or(Bad::Unread)?;
                    self.part(delimiter).ok_or(Bad::Unread)?;
                }
                'a' | 'i' | 'c' => self.lines(),
                'r' | 'R' | 'w' | 'W' => self.line(),
                // A label ends at a blank, and another command may follow.
                'b' | 't' | 'T' | ':' | 'v' => {
                    self.skip(|c| matches!(c, ' ' | '\t'));
                    self.skip(|c| !c.is_whitespace() && !matches!(c, ';' | '}'));
                }
                'l' | 'L' | 'q' | 'Q' => self.skip(|c| c == ' ' || c.is_ascii_digit()),
                '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z'
                | 'F' | '{' | '}' => {}
                _ => return Err(Bad::Unread),
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    /// To the end of the line.
    fn line(&mut self) {
        self.skip(|c| c != '\n');
    }

    /// To the end of the line, which a backslash carries on.
    fn lines(&mut self) {
        while let Some(next) = self.next() {
            match next {
                '\\' => drop(self.next()),
                '\n' => return,
                _ => {}
            }
        }
    }

    /// Which lines a command is for.
    fn addresses(&mut self) -> Option<()> {
        loop {
            self.skip(|c| {
                c.is_ascii_digit() || matches!(c, ' ' | '\t' | '$' | ',' | '~' | '+' | '!')
            });
            let delimiter = match self.peek() {
                Some('/') => self.next(),
                Some('\\') => {
                    self.at += 1;
                    self.next()
                }
                _ => return Some(()),
            };
            self.pattern(delimiter)?;
            self.skip(|c| matches!(c, 'I' | 'M'));
        }
    }

    /// The same for a pattern, in whose brackets a delimiter may be one of the letters.
    fn pattern(&mut self, delimiter: Option<char>) -> Option<()> {
        if self.brackets == Brackets::End {
            return self.part(delimiter);
        }
        let delimiter = delimiter.filter(|it| !matches!(it, '\n' | '\\'))?;
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                next if next == delimiter => return Some(()),
                '[' => self.bracket(delimiter)?,
                _ => {}
            }
        }
    }

    /// To the end of brackets, in which classes such as `[:alpha:]` may stand.
    fn bracket(&mut self, delimiter: char) -> Option<()> {
        self.skip_one('^');
        self.skip_one(']');
        loop {
            match self.next()? {
                ']' => return Some(()),
                '\\' => self.skip_one(delimiter),
                '[' => {
                    if let Some(kind) = self.peek().filter(|it| ":.=".contains(*it)) {
                        self.at += 1;
                        self.skip(|c| c.is_ascii_alphabetic());
                        (self.next()? == kind && self.next()? == ']').then_some(())?;
                    }
                }
                _ => {}
            }
        }
    }

    fn skip_one(&mut self, letter: char) {
        self.at += usize::from(self.peek() == Some(letter));
    }

    /// To a delimiter and behind it.
    fn part(&mut self, delimiter: Option<char>) -> Option<()> {
        let delimiter = delimiter.filter(|it| !matches!(it, '\n' | '\\'))?;
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                next if next == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    /// Reads a substitution; why it is dangerous, if it is.
    fn substitution(&mut self) -> Result<(), Bad> {
        let delimiter = self.next();
        self.pattern(delimiter).ok_or(Bad::Unread)?;
        self.part(delimiter).ok_or(Bad::Unread)?;
        loop {
            match self.peek() {
                Some('e') => return Err(told('e')),
                Some('w') => {
                    self.at += 1;
                    if !self.is_stream() {
                        return Err(told('w'));
                    }
                    self.line();
                    return Ok(());
                }
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => self.at += 1,
                None | Some(';' | '\n' | '}' | '#' | ' ' | '\t') => return Ok(()),
                Some(_) => return Err(Bad::Unread),
            }
        }
    }

    /// Whether what is named next, to the end of the line, is where `sed` writes anyway.
    fn is_stream(&self) -> bool {
        let line = self.rest[self.at..].iter().take_while(|c| **c != '\n');
        let line: String = line.collect();
        matches!(line.trim(), "/dev/stdout" | "/dev/stderr")
    }
}

fn told(command: char) -> Bad {
    Bad::Danger(format!(
        "the command `{command}` of its script lets `sed` start other programs or write files"
    ))
}

fn unread() -> String {
    "what the script of `sed` does cannot be told".into()
}
