//! Scripts of `sed`, which start programs (`e`) and write files (`w`) by their own commands.

use std::collections::BTreeSet;

use crate::guard::options::{starts, unseen};
use crate::guard::shell::Word;

/// Why a script behind the first `named` words is dangerous, if it is.
pub(super) fn sed(words: &[Word], named: usize) -> Option<String> {
    let mut given = SedArguments::default();
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
            OptionKind::End => given.operands_only = true,
            OptionKind::Operand => given.operand(word, is_judged),
            // Where `-l` has no value, this is the script.
            OptionKind::Value => {
                let is_number = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
                let value = words.get(at).and_then(Word::literal);
                if at >= named && !value.is_some_and(is_number) {
                    return Some(starts("sed", text));
                }
                at += 1;
            }
            OptionKind::File if is_judged => return Some(starts("sed", text)),
            OptionKind::Nothing | OptionKind::File => {}
            OptionKind::ScriptText(Some(script)) => given.script(Some(script), is_judged),
            OptionKind::ScriptText(None) => {
                let script = words.get(at).and_then(Word::literal);
                given.script(script, at >= named);
                at += 1;
            }
        }
    }
    let scripts = if given.scripts.is_empty() {
        given.first
    } else {
        // Where options end at the first operand, that one is the script.
        if let Some(Err(ScriptProblem::Danger(reason))) =
            given.first.first().copied().flatten().map(check_script)
        {
            return Some(reason);
        }
        given.scripts
    };
    let judged: Option<Vec<&str>> = scripts.into_iter().collect();
    let Some(scripts) = judged else {
        return Some("a script of `sed` is only known when it runs".into());
    };
    match check_script(&scripts.join("\n")) {
        Ok(()) => None,
        Err(ScriptProblem::Danger(reason)) => Some(reason),
        Err(ScriptProblem::Unread) => Some("what the script of `sed` does cannot be told".into()),
    }
}

/// The scripts of a command that are judged; none in the place of one that cannot be seen.
#[derive(Default)]
struct SedArguments<'a> {
    scripts: Vec<Option<&'a str>>,
    /// The first operand, if no script was named before it; it is the script then.
    first: Vec<Option<&'a str>>,
    has_operands: bool,
    operands_only: bool,
}

impl<'a> SedArguments<'a> {
    fn operand(&mut self, word: &'a Word, is_judged: bool) {
        // Behind `-i` of some systems it is what copies are called.
        if word.literal() == Some("") {
            return;
        }
        let is_first = !std::mem::replace(&mut self.has_operands, true);
        if is_first && is_judged && self.scripts.is_empty() {
            self.first.push(word.literal());
        }
    }

    /// Words that the pattern itself names are not judged, but still are a script.
    fn script(&mut self, script: Option<&'a str>, is_judged: bool) {
        self.scripts.push(if is_judged { script } else { Some("") });
    }
}

/// What a word is.
enum OptionKind<'a> {
    Nothing,
    Operand,
    /// No options follow.
    End,
    /// A value follows that is not a script.
    Value,
    /// A script that cannot be seen, or a file that is written elsewhere.
    File,
    /// A script, here or in the next word.
    ScriptText(Option<&'a str>),
}

fn option(text: &str) -> OptionKind<'_> {
    if text == "--" {
        return OptionKind::End;
    }
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        return match name {
            _ if "expression".starts_with(name) => OptionKind::ScriptText(value),
            _ if "file".starts_with(name) => OptionKind::File,
            // A copy would be made in another folder.
            _ if "in-place".starts_with(name) && value.is_some_and(is_away) => OptionKind::File,
            _ if value.is_none() && "line-length".starts_with(name) => OptionKind::Value,
            _ => OptionKind::Nothing,
        };
    }
    let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
        return OptionKind::Operand;
    };
    for (at, letter) in letters.char_indices() {
        let rest = &letters[at + letter.len_utf8()..];
        let rest = (!rest.is_empty()).then_some(rest);
        match letter {
            'e' => return OptionKind::ScriptText(rest),
            'f' => return OptionKind::File,
            'l' if rest.is_none() => return OptionKind::Value,
            'i' | 'I' if rest.is_some_and(is_away) => return OptionKind::File,
            // What follows belongs to them.
            'i' | 'I' | 'l' => return OptionKind::Nothing,
            _ => {}
        }
    }
    OptionKind::Nothing
}

/// Whether what copies are called leads to another folder.
fn is_away(suffix: &str) -> bool {
    suffix.contains('/')
}

/// Maximum number of parse steps of a script.
const MAX_PARSE_STEPS: usize = 4096;

/// What is wrong with a script.
pub(super) enum ScriptProblem {
    /// It starts programs or writes files.
    Danger(String),
    /// Its effect is unknown; `sed` itself rejects most of these.
    Unread,
}

/// Whether all that a script does is known and harmless.
pub(super) fn check_script(text: &str) -> Result<(), ScriptProblem> {
    let script = ScriptText(text.chars().collect());
    let mut seen = BTreeSet::new();
    let mut open = vec![ParsePoint::Command(0)];
    while let Some(step) = open.pop() {
        if seen.len() == MAX_PARSE_STEPS {
            return Err(ScriptProblem::Unread);
        }
        if seen.insert(step) {
            open.extend(script.follow(step)?);
        }
    }
    if seen.contains(&ParsePoint::End) {
        Ok(())
    } else {
        Err(ScriptProblem::Unread)
    }
}

/// What is read next, and where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ParsePoint {
    /// A command, with what lines it is for.
    Command(usize),
    /// What follows an address: another one, or the command itself.
    Addressed(usize),
    /// What a substitution puts in the place of a pattern, to this delimiter.
    Replacement(usize, char),
    /// Nothing more.
    End,
}

struct ScriptText(Vec<char>);

impl ScriptText {
    /// The steps behind this one; none where no `sed` would go on.
    fn follow(&self, step: ParsePoint) -> Result<Vec<ParsePoint>, ScriptProblem> {
        match step {
            ParsePoint::End => Ok(Vec::new()),
            ParsePoint::Command(at) => {
                let at = self.behind(at, |c| is_blank(c) || matches!(c, ';' | '{' | '}'));
                match self.peek(at) {
                    None => Ok(vec![ParsePoint::End]),
                    Some('#') => Ok(commands(self.line(at))),
                    Some(_) => Ok(vec![ParsePoint::Addressed(at)]),
                }
            }
            ParsePoint::Addressed(at) => self.addressed(at),
            ParsePoint::Replacement(at, delimiter) => match self.part(at, delimiter) {
                Some(at) => self.flags(at),
                None => Ok(Vec::new()),
            },
        }
    }

    fn peek(&self, at: usize) -> Option<char> {
        self.0.get(at).copied()
    }

    /// Behind the letters that are skipped.
    fn behind(&self, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
        let skipped = self.0[at..].iter().take_while(|c| is_skipped(**c)).count();
        at + skipped
    }

    fn addressed(&self, at: usize) -> Result<Vec<ParsePoint>, ScriptProblem> {
        let at = self.behind(at, |c| {
            c.is_ascii_digit() || matches!(c, ' ' | '\t' | '$' | ',' | '~' | '+' | '!' | 'I' | 'M')
        });
        let (begins, delimiter) = match self.peek(at) {
            Some('/') => (at + 1, Some('/')),
            Some('\\') => (at + 2, self.delimiter(at + 1)),
            Some(command) => return self.command(command, at + 1),
            None => return Ok(vec![ParsePoint::End]),
        };
        let ends = delimiter.map(|delimiter| pattern_ends(&self.0, begins, delimiter));
        Ok(ends
            .into_iter()
            .flatten()
            .map(ParsePoint::Addressed)
            .collect())
    }

    fn command(&self, command: char, at: usize) -> Result<Vec<ParsePoint>, ScriptProblem> {
        match command {
            'e' => Err(told(command)),
            'w' | 'W' => self.written(command, at),
            's' => {
                let Some(delimiter) = self.delimiter(at) else {
                    return Ok(Vec::new());
                };
                let ends = pattern_ends(&self.0, at + 1, delimiter).into_iter();
                Ok(ends
                    .map(|at| ParsePoint::Replacement(at, delimiter))
                    .collect())
            }
            'y' => {
                let behind = self.delimiter(at).and_then(|delimiter| {
                    let at = self.part(at + 1, delimiter)?;
                    self.part(at, delimiter)
                });
                Ok(commands(behind))
            }
            'a' | 'i' | 'c' => Ok(commands(self.text(at))),
            'r' | 'R' => Ok(commands(self.line(at))),
            'b' | 't' | 'T' | ':' | 'v' => Ok(commands(self.label(at))),
            'l' | 'L' | 'q' | 'Q' => {
                let behind = self.behind(at, |c| c == ' ' || c == '\t' || c.is_ascii_digit());
                Ok(commands([behind]))
            }
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F'
            | '{' | '}' => Ok(commands([at])),
            _ => Ok(Vec::new()),
        }
    }

    fn delimiter(&self, at: usize) -> Option<char> {
        self.peek(at).filter(|it| !matches!(it, '\n' | '\\'))
    }

    /// After a delimiter without a preceding backslash.
    fn part(&self, mut at: usize, delimiter: char) -> Option<usize> {
        loop {
            match self.peek(at)? {
                '\\' => at += 2,
                next if next == delimiter => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// Behind the line; some carry it on where it ends with a backslash.
    fn line(&self, at: usize) -> [usize; 2] {
        [self.behind(at, |c| c != '\n'), self.carried(at)]
    }

    fn carried(&self, mut at: usize) -> usize {
        loop {
            match self.peek(at) {
                Some('\\') => at += 2,
                None | Some('\n') => return at.min(self.0.len()),
                Some(_) => at += 1,
            }
        }
    }

    /// Behind a text. Some let blanks stand between the backslash and the line where it begins.
    fn text(&self, at: usize) -> [usize; 2] {
        let blank = |c| c == ' ' || c == '\t';
        let slash = self.behind(at, blank);
        let line = self.behind((slash + 1).min(self.0.len()), blank);
        let begins = if self.peek(slash) == Some('\\') && self.peek(line) == Some('\n') {
            line + 1
        } else {
            at
        };
        [self.carried(at), self.carried(begins)]
    }

    /// Behind a label, which ends at a blank for some, and only at the line's end for others.
    fn label(&self, at: usize) -> [usize; 4] {
        let at = self.behind(at, |c| c == ' ' || c == '\t');
        [
            self.behind(at, |c| !is_blank(c) && !matches!(c, ';' | '}')),
            self.behind(at, |c| !is_blank(c) && c != ';'),
            self.behind(at, |c| c != '\n' && c != ';'),
            self.behind(at, |c| c != '\n'),
        ]
    }

    /// What follows a replacement.
    fn flags(&self, mut at: usize) -> Result<Vec<ParsePoint>, ScriptProblem> {
        let mut steps = Vec::new();
        loop {
            match self.peek(at) {
                Some('e') => return Err(told('e')),
                Some('w') => {
                    steps.extend(self.written('w', at + 1)?);
                    return Ok(steps);
                }
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
                // Another may follow, or a command.
                Some(' ' | '\t') => steps.push(ParsePoint::Command(at)),
                None | Some(';' | '\n' | '\r' | '}' | '#') => {
                    steps.push(ParsePoint::Command(at));
                    return Ok(steps);
                }
                Some(_) => return Ok(steps),
            }
            at += 1;
        }
    }

    /// What follows the name of a file, if it is where `sed` writes anyway.
    fn written(&self, command: char, at: usize) -> Result<Vec<ParsePoint>, ScriptProblem> {
        let at = self.behind(at, |c| c == ' ' || c == '\t');
        let end = self.behind(at, |c| c != '\n');
        let name: String = self.0[at..end].iter().collect();
        if matches!(&*name, "/dev/stdout" | "/dev/stderr") {
            Ok(commands([end]))
        } else {
            Err(told(command))
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

fn commands(places: impl IntoIterator<Item = usize>) -> Vec<ParsePoint> {
    places.into_iter().map(ParsePoint::Command).collect()
}

fn told(command: char) -> ScriptProblem {
    ScriptProblem::Danger(format!(
        "the command `{command}` of its script lets `sed` start other programs or write files"
    ))
}

/// Where a reading of a pattern stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RegexState {
    Plain,
    /// Behind a backslash.
    Escaped,
    /// Behind the `[` that opens brackets, or the `^` behind it.
    First,
    Inside,
    /// Behind a backslash in brackets, which has a meaning for some.
    InsideEscaped,
    /// Behind a `[` in brackets.
    MayBeClass,
    /// In a class such as `[:alpha:]`.
    Class(char),
    /// Behind the letter that may end the class.
    ClassEnd(char),
}

/// The places behind the delimiters that may end the pattern which begins here.
pub(super) fn pattern_ends(text: &[char], begins: usize, delimiter: char) -> BTreeSet<usize> {
    let mut pattern_ends = BTreeSet::new();
    let mut modes = BTreeSet::from([RegexState::Plain]);
    for (at, c) in text.iter().enumerate().skip(begins) {
        if *c == delimiter && modes.remove(&RegexState::Plain) {
            pattern_ends.insert(at + 1);
        }
        let next = modes.iter().flat_map(|mode| mode.behind(*c));
        modes = next.collect();
        if modes.is_empty() {
            break;
        }
    }
    pattern_ends
}

impl RegexState {
    fn behind(self, c: char) -> Vec<Self> {
        match (self, c) {
            (Self::Plain, '\\') => vec![Self::Escaped],
            (Self::Plain, '[') => vec![Self::Plain, Self::First],
            (Self::Plain | Self::Escaped, _) | (Self::Inside, ']') => vec![Self::Plain],
            (Self::First, '^') => vec![Self::First, Self::Inside],
            (Self::First, ']') => vec![Self::Inside, Self::Plain],
            (Self::First | Self::Inside, '\\') => vec![Self::Inside, Self::InsideEscaped],
            (Self::First | Self::Inside, '[') => vec![Self::Inside, Self::MayBeClass],
            (Self::First | Self::Inside | Self::InsideEscaped, _) | (Self::ClassEnd(_), ']') => {
                vec![Self::Inside]
            }
            (Self::MayBeClass, '[') => vec![Self::MayBeClass],
            (Self::MayBeClass, ':' | '.' | '=') => vec![Self::Class(c)],
            (Self::Class(kind), _) if c == kind => vec![Self::ClassEnd(kind)],
            (Self::ClassEnd(kind), _) if c == kind => vec![self, Self::Class(kind)],
            (Self::Class(kind) | Self::ClassEnd(kind), _) if c != '\n' => vec![Self::Class(kind)],
            (Self::MayBeClass | Self::Class(_) | Self::ClassEnd(_), _) => Vec::new(),
        }
    }
}
