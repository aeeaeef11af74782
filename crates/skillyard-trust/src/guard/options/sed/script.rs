//! A script of `sed`, read command by command.

/// What is wrong with a script.
pub(super) enum Bad {
    /// It starts programs or writes files.
    Danger(String),
    /// What it does cannot be told; `sed` itself refuses most of these.
    Unread,
}

/// Whether a delimiter in brackets ends a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    Hold,
    End,
}

/// A script on its way to its end.
pub(super) struct Script {
    rest: Vec<char>,
    at: usize,
    brackets: Brackets,
}

impl Script {
    pub(super) fn of(text: &str, brackets: Brackets) -> Self {
        Self {
            rest: text.chars().collect(),
            at: 0,
            brackets,
        }
    }

    pub(super) fn judged(mut self) -> Result<(), Bad> {
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
