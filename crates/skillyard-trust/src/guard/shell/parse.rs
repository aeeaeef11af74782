//! Commands, pipelines, lists, groups and loops.

use super::cursor::Cursor;
use super::heredoc::Heredoc;
use super::word::is_name;
use super::{MAX_BYTES, MAX_DEPTH, ShellProblem, SimpleCommand};

/// Every simple command in `text`, in order.
pub(crate) fn read(text: &str) -> Result<Vec<SimpleCommand>, ShellProblem> {
    if text.len() > MAX_BYTES {
        return Err(ShellProblem::TooLong(text.len()));
    }
    if let Some(c) = text.chars().find(|c| is_deceptive(*c)) {
        return Err(ShellProblem::Character(c));
    }
    let mut reader = Reader {
        cursor: Cursor::new(text),
        commands: Vec::new(),
        heredocs: Vec::new(),
        substitutions: 0,
        depth: 0,
    };
    reader.whole()?;
    Ok(reader.commands)
}

/// Characters that shells and people read in different ways.
fn is_deceptive(c: char) -> bool {
    match c {
        '\n' | '\t' | ' ' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control() || c.is_whitespace(),
    }
}

/// Reads commands and collects them.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) commands: Vec<SimpleCommand>,
    pub(super) heredocs: Vec<Heredoc>,
    pub(super) substitutions: usize,
    depth: usize,
}

/// What a list ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Text,
    Parenthesis,
    /// `;;`, `;&` or `;;&`.
    CaseItem,
    Reserved(&'static str),
}

/// Words that end a list, or begin what is not read.
const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl Reader<'_> {
    /// A reader for text inside this one.
    pub(super) fn inside<'b>(&self, text: &'b str) -> Reader<'b> {
        Reader {
            cursor: Cursor::new(text),
            commands: Vec::new(),
            heredocs: Vec::new(),
            substitutions: self.substitutions + 1,
            depth: self.depth,
        }
    }

    /// Reads everything to the end of the text.
    fn whole(&mut self) -> Result<(), ShellProblem> {
        match self.list()? {
            End::Text if self.heredocs.is_empty() => Ok(()),
            End::Text => Err(ShellProblem::Unterminated("a here-document")),
            End::Parenthesis => Err(ShellProblem::Unexpected(")".into())),
            End::CaseItem => Err(ShellProblem::Unexpected(";;".into())),
            End::Reserved(word) => Err(ShellProblem::Unexpected(word.into())),
        }
    }

    /// Reads `text`, which stands in backticks.
    pub(super) fn nested(&mut self, text: &str) -> Result<(), ShellProblem> {
        self.deeper(|reader| {
            let mut inner = reader.inside(text);
            inner.whole()?;
            reader.commands.append(&mut inner.commands);
            Ok(())
        })
    }

    /// Reads what follows `$(`.
    pub(super) fn substitution(&mut self) -> Result<(), ShellProblem> {
        let waiting = std::mem::take(&mut self.heredocs);
        let start = self.cursor.at();
        self.substitutions += 1;
        let end = self.deeper(Self::list);
        self.substitutions -= 1;
        if end? != End::Parenthesis {
            return Err(ShellProblem::Unterminated("a substitution"));
        }
        self.heredocs = waiting;
        self.refuse_newline_before_heredoc(self.cursor.since(start))
    }

    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ShellProblem>,
    ) -> Result<T, ShellProblem> {
        if self.depth == MAX_DEPTH {
            return Err(ShellProblem::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads commands until something ends their list.
    fn list(&mut self) -> Result<End, ShellProblem> {
        loop {
            self.newlines()?;
            if self.cursor.peek().is_none() {
                return Ok(End::Text);
            }
            if self.cursor.eat(")") {
                return Ok(End::Parenthesis);
            }
            if self.case_item_ends() {
                return Ok(End::CaseItem);
            }
            if let Some(word) = self.reserved(&CLOSING) {
                return Ok(End::Reserved(word));
            }
            self.command()?;
            self.blanks()?;
            match self.cursor.peek() {
                None | Some(')' | '\n') => {}
                Some(';') if self.cursor.rest().starts_with(";;") => {}
                Some(';') if self.cursor.rest().starts_with(";&") => {}
                Some(';') => {
                    self.cursor.next();
                }
                Some('&' | '|') => self.joiner()?,
                Some(c) => return Err(ShellProblem::Unexpected(c.into())),
            }
        }
    }

    fn case_item_ends(&mut self) -> bool {
        self.cursor.eat(";;&") || self.cursor.eat(";;") || self.cursor.eat(";&")
    }

    /// `&&`, `||`, `|`, `|&` and `&`: what stands behind them is one more command.
    fn joiner(&mut self) -> Result<(), ShellProblem> {
        let is_background = !["&&", "||", "|&", "|"]
            .iter()
            .any(|joiner| self.cursor.eat(joiner));
        if is_background {
            self.cursor.next();
        }
        // `&\` and a new line may go on as `&&`.
        if self.cursor.rest().starts_with("\\\n") {
            return Err(ShellProblem::Unsupported(
                "a line that goes on inside an operator",
            ));
        }
        if is_background {
            return Ok(());
        }
        self.newlines()?;
        match self.cursor.peek() {
            None => Err(ShellProblem::Unterminated("a list of commands")),
            Some(c @ (')' | ';' | '&' | '|')) => Err(ShellProblem::Unexpected(c.into())),
            Some(_) => Ok(()),
        }
    }

    /// Reads one command of any kind.
    fn command(&mut self) -> Result<(), ShellProblem> {
        while self.reserved(&["!"]).is_some() {
            self.blanks()?;
        }
        if self.cursor.rest().starts_with("((") {
            return Err(ShellProblem::Unsupported("an arithmetic command"));
        }
        if self.cursor.eat("(") {
            let before = self.commands.len();
            if self.deeper(Self::list)? != End::Parenthesis {
                return Err(ShellProblem::Unterminated("a subshell"));
            }
            // zsh reads `()` as a function without a name.
            if self.commands.len() == before {
                return Err(ShellProblem::Unexpected(")".into()));
            }
            return self.redirections_after();
        }
        let opening = ["{", "if", "while", "until", "for", "case"];
        let Some(word) = self.reserved(&opening) else {
            return self.simple();
        };
        self.deeper(|reader| match word {
            "{" => reader.ends_with("}"),
            "if" => reader.condition(),
            "for" => reader.each(),
            "case" => reader.case(),
            _ => {
                reader.ends_with("do")?;
                reader.ends_with("done")
            }
        })?;
        self.redirections_after()
    }

    fn ends_with(&mut self, word: &'static str) -> Result<(), ShellProblem> {
        match self.list()? {
            End::Reserved(found) if found == word => Ok(()),
            End::Reserved(found) => Err(ShellProblem::Unexpected(found.into())),
            _ => Err(ShellProblem::Unterminated("a group, loop or condition")),
        }
    }

    fn condition(&mut self) -> Result<(), ShellProblem> {
        self.ends_with("then")?;
        loop {
            match self.list()? {
                End::Reserved("fi") => return Ok(()),
                End::Reserved("elif") => self.ends_with("then")?,
                End::Reserved("else") => return self.ends_with("fi"),
                _ => return Err(ShellProblem::Unterminated("a condition")),
            }
        }
    }

    fn each(&mut self) -> Result<(), ShellProblem> {
        self.blanks()?;
        let name = self.word()?;
        let name = name.literal().unwrap_or_default();
        if !is_harmless_variable(name) {
            return Err(ShellProblem::LoopVariable(name.to_owned()));
        }
        self.newlines()?;
        if self.reserved(&["in"]).is_some() {
            self.blanks()?;
            while !self.at_word_end() {
                self.word()?;
                self.blanks()?;
            }
        }
        self.blanks()?;
        if !self.cursor.eat(";") && self.cursor.peek() != Some('\n') {
            return Err(ShellProblem::Unsupported(
                "a loop that is not `for … in …;`",
            ));
        }
        self.newlines()?;
        if self.reserved(&["do"]).is_none() {
            return Err(ShellProblem::Unsupported(
                "a loop that is not `for … in …;`",
            ));
        }
        self.ends_with("done")
    }

    fn case(&mut self) -> Result<(), ShellProblem> {
        // Older shells take its `)` for the end of the substitution.
        if self.substitutions > 0 {
            return Err(ShellProblem::Unsupported("`case` inside a substitution"));
        }
        self.blanks()?;
        self.word()?;
        self.newlines()?;
        if self.reserved(&["in"]).is_none() {
            return Err(ShellProblem::Unterminated("`case`"));
        }
        loop {
            self.newlines()?;
            if self.reserved(&["esac"]).is_some() {
                return Ok(());
            }
            self.cursor.eat("(");
            loop {
                self.blanks()?;
                self.word()?;
                self.blanks()?;
                if self.cursor.eat(")") {
                    break;
                }
                if !self.cursor.eat("|") {
                    return Err(ShellProblem::Unterminated("`case`"));
                }
            }
            match self.list()? {
                End::CaseItem => {}
                End::Reserved("esac") => return Ok(()),
                _ => return Err(ShellProblem::Unterminated("`case`")),
            }
        }
    }

    /// Reads assignments, words and redirections up to the end of the command.
    fn simple(&mut self) -> Result<(), ShellProblem> {
        let unsupported = ["[[", "function", "select", "coproc"];
        if let Some(word) = self.reserved(&unsupported) {
            return Err(ShellProblem::Unexpected(word.into()));
        }
        let mut command = SimpleCommand::default();
        loop {
            self.blanks()?;
            if self.redirection(&mut command.redirections)? {
                continue;
            }
            if self.at_word_end() {
                break;
            }
            let start = self.cursor.at();
            let word = self.word()?;
            let text = self.cursor.since(start);
            // zsh ends a group here, and may go on with another.
            if matches!(text, "{" | "}") && !command.words.is_empty() {
                return Err(ShellProblem::Unexpected(text.into()));
            }
            if text.starts_with('{')
                && text.ends_with('}')
                && text.len() > 2
                && self.at_redirection()
            {
                return Err(ShellProblem::Unsupported("a redirection with a name"));
            }
            match assigned(text) {
                Some(name) if command.words.is_empty() => command.assignments.push(name.to_owned()),
                _ => command.words.push(word),
            }
        }
        if self.cursor.peek() == Some('(') {
            return Err(ShellProblem::Unsupported("a parenthesis after a word"));
        }
        if command.words.is_empty() && command.assignments.is_empty() {
            if !command.redirections.is_empty() {
                return Err(ShellProblem::Unsupported("a redirection without a command"));
            }
            let next = self.cursor.peek().map(String::from).unwrap_or_default();
            return Err(ShellProblem::Unexpected(next));
        }
        self.commands.push(command);
        Ok(())
    }

    /// Passes over one of `words` where it stands alone and without quotes.
    fn reserved(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let rest = self.cursor.rest();
        let end = rest
            .find([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'])
            .unwrap_or(rest.len().min(16));
        let found = words.iter().find(|word| rest.get(..end) == Some(**word))?;
        self.cursor.eat(found);
        Some(found)
    }

    /// Passes over blanks, comments and lines that go on.
    pub(super) fn blanks(&mut self) -> Result<(), ShellProblem> {
        loop {
            let rest = self.cursor.rest();
            if rest.starts_with([' ', '\t']) {
                self.cursor.next();
            } else if rest.starts_with("\\\n") {
                if !self.heredocs.is_empty() || self.touches_word() {
                    return Err(ShellProblem::Unsupported(
                        "a line that goes on inside a word",
                    ));
                }
                self.cursor.eat("\\\n");
            } else if rest.starts_with('#') && !self.touches_word() {
                if self.substitutions > 0 {
                    return Err(ShellProblem::Unsupported("a comment inside a substitution"));
                }
                let length = rest.find('\n').unwrap_or(rest.len());
                self.cursor.eat(&rest[..length]);
            } else {
                return Ok(());
            }
        }
    }

    /// Whether what was read last could go on here.
    fn touches_word(&self) -> bool {
        let before = self.cursor.since(0).chars().next_back();
        before.is_some_and(|c| !c.is_whitespace() && !"();&|".contains(c))
    }

    /// Passes over blanks and ends of lines, and reads the here-documents below them.
    fn newlines(&mut self) -> Result<(), ShellProblem> {
        loop {
            self.blanks()?;
            if self.cursor.peek() != Some('\n') {
                return Ok(());
            }
            self.cursor.next();
            self.read_heredocs()?;
        }
    }
}

/// The name that a word assigns, if it is an assignment.
fn assigned(text: &str) -> Option<&str> {
    let end = text.find(['=', '[', '+'])?;
    let (name, rest) = text.split_at(end);
    let is_assignment = rest.starts_with('=')
        || rest.starts_with("+=")
        || (rest.starts_with('[') && rest.contains('='));
    (is_assignment && is_name(name)).then_some(name)
}

/// Whether a loop may set the variable: small letters, and none that zsh ties to a setting.
fn is_harmless_variable(name: &str) -> bool {
    is_name(name)
        && name != "_"
        && !name.chars().any(|c| c.is_ascii_uppercase())
        && !name.ends_with("path")
        && !name.ends_with("_proxy")
        && !matches!(
            name,
            "argv" | "prompt" | "status" | "histchars" | "signals" | "watch"
        )
}
