//! A script of `sed`, read command by command.
//!
//! Where one `sed` reads it in another way than the next (which letter ends a pattern, a label or a
//! text), every way is followed, and one that is dangerous is enough.

use std::collections::BTreeSet;

use super::pattern;

/// How many steps are followed before a script is given up.
const MAX_STEPS: usize = 4096;

/// What is wrong with a script.
pub(super) enum Bad {
    /// It starts programs or writes files.
    Danger(String),
    /// What it does cannot be told; `sed` itself refuses most of these.
    Unread,
}

/// Whether all that a script does is known and harmless.
pub(super) fn judge(text: &str) -> Result<(), Bad> {
    let script = Script(text.chars().collect());
    let mut seen = BTreeSet::new();
    let mut open = vec![Step::Command(0)];
    while let Some(step) = open.pop() {
        if seen.len() == MAX_STEPS {
            return Err(Bad::Unread);
        }
        if seen.insert(step) {
            open.extend(script.follow(step)?);
        }
    }
    if seen.contains(&Step::End) {
        Ok(())
    } else {
        Err(Bad::Unread)
    }
}

/// What is read next, and where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A command, with what lines it is for.
    Command(usize),
    /// What follows an address: another one, or the command itself.
    Addressed(usize),
    /// What a substitution puts in the place of a pattern, to this delimiter.
    Replacement(usize, char),
    /// Nothing more.
    End,
}

struct Script(Vec<char>);

impl Script {
    /// The steps behind this one; none where no `sed` would go on.
    fn follow(&self, step: Step) -> Result<Vec<Step>, Bad> {
        match step {
            Step::End => Ok(Vec::new()),
            Step::Command(at) => {
                let at = self.behind(at, |c| is_blank(c) || matches!(c, ';' | '{' | '}'));
                match self.peek(at) {
                    None => Ok(vec![Step::End]),
                    Some('#') => Ok(commands(self.line(at))),
                    Some(_) => Ok(vec![Step::Addressed(at)]),
                }
            }
            Step::Addressed(at) => self.addressed(at),
            Step::Replacement(at, delimiter) => match self.part(at, delimiter) {
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

    fn addressed(&self, at: usize) -> Result<Vec<Step>, Bad> {
        let at = self.behind(at, |c| {
            c.is_ascii_digit() || matches!(c, ' ' | '\t' | '$' | ',' | '~' | '+' | '!' | 'I' | 'M')
        });
        let (begins, delimiter) = match self.peek(at) {
            Some('/') => (at + 1, Some('/')),
            Some('\\') => (at + 2, self.delimiter(at + 1)),
            Some(command) => return self.command(command, at + 1),
            None => return Ok(vec![Step::End]),
        };
        let ends = delimiter.map(|delimiter| pattern::ends(&self.0, begins, delimiter));
        Ok(ends.into_iter().flatten().map(Step::Addressed).collect())
    }

    fn command(&self, command: char, at: usize) -> Result<Vec<Step>, Bad> {
        match command {
            'e' => Err(told(command)),
            'w' | 'W' => self.written(command, at),
            's' => {
                let Some(delimiter) = self.delimiter(at) else {
                    return Ok(Vec::new());
                };
                let ends = pattern::ends(&self.0, at + 1, delimiter).into_iter();
                Ok(ends.map(|at| Step::Replacement(at, delimiter)).collect())
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

    /// Behind a delimiter that no backslash stands before.
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
    fn flags(&self, mut at: usize) -> Result<Vec<Step>, Bad> {
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
                Some(' ' | '\t') => steps.push(Step::Command(at)),
                None | Some(';' | '\n' | '\r' | '}' | '#') => {
                    steps.push(Step::Command(at));
                    return Ok(steps);
                }
                Some(_) => return Ok(steps),
            }
            at += 1;
        }
    }

    /// What follows the name of a file, if it is where `sed` writes anyway.
    fn written(&self, command: char, at: usize) -> Result<Vec<Step>, Bad> {
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

fn commands(places: impl IntoIterator<Item = usize>) -> Vec<Step> {
    places.into_iter().map(Step::Command).collect()
}

fn told(command: char) -> Bad {
    Bad::Danger(format!(
        "the command `{command}` of its script lets `sed` start other programs or write files"
    ))
}
