//! Markdown for a terminal, shown while it comes.
//!
//! A model writes a few letters at a time, and nobody wants to wait for the end of a paragraph.
//! So only what may be the beginning of a mark is held back: `#`, a bullet or a fence at the start
//! of a line, one `*`, the last word, which may belong on the next line, and a table until it ends.
//! Links and whatever else there is stay as they were written.

mod cell;
mod table;

use anstyle::{AnsiColor, Style};

use super::wrap::Wrap;
use table::Table;

const BOLD: Style = Style::new().bold();

/// Markdown on its way to a terminal.
#[derive(Debug)]
pub(crate) struct Markdown {
    /// The start of a line, as long as it is not known what it is.
    held: Option<String>,
    /// Whether a fence is open.
    block: Block,
    line: LineKind,
    bold: bool,
    code: bool,
    /// Whether the last character was a `*` that may be half a mark.
    star: bool,
    wrap: Wrap,
    width: usize,
    table: Table,
}

impl Markdown {
    /// Prose in lines of this width at most.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            held: Some(String::new()),
            block: Block::Prose,
            line: LineKind::Text,
            bold: false,
            code: false,
            star: false,
            wrap: Wrap::new(width),
            width,
            table: Table::default(),
        }
    }

    /// The next piece, as it is to be shown.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for character in piece.chars() {
            match self.held.take() {
                Some(mut held) if character != '\n' => {
                    held.push(character);
                    match LineStart::of(&held, self.block) {
                        LineStart::Open => self.held = Some(held),
                        LineStart::Is(kind, rest) => self.begin(kind, &rest, &mut out),
                    }
                }
                Some(held) => {
                    self.begin(self.block.kind(), &held, &mut out);
                    self.end(&mut out);
                }
                None if character == '\n' => self.end(&mut out),
                None => self.inline(character, &mut out),
            }
        }
        out
    }

    /// What was held back, and the end of every style.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        if let Some(held) = self.held.take() {
            self.begin(self.block.kind(), &held, &mut out);
        }
        out.push_str(&self.table.finish(self.width));
        self.close(&mut out);
        *self = Self::new(self.width);
        out
    }

    /// Begins a line of a kind with what is known of it.
    fn begin(&mut self, kind: LineKind, text: &str, out: &mut String) {
        self.line = kind;
        if kind != LineKind::Row {
            out.push_str(&self.table.finish(self.width));
        }
        if kind == LineKind::Fence {
            self.block = match self.block {
                Block::Prose => Block::Fenced,
                Block::Fenced => Block::Prose,
            };
        }
        if let Some(style) = kind.style() {
            self.wrap.style(&style.render().to_string());
        }
        // What could have become a fence and did not is no empty piece of code.
        if text.trim().chars().all(|each| each == '`') {
            text.chars().for_each(|each| self.put(each, out));
            return;
        }
        for character in text.chars() {
            self.inline(character, out);
        }
    }

    fn inline(&mut self, character: char, out: &mut String) {
        if matches!(self.line, LineKind::Code | LineKind::Fence) {
            self.put(character, out);
            return;
        }
        if self.line == LineKind::Row && self.table.gathers() {
            out.extend(self.table.push(character));
            return;
        }
        if std::mem::take(&mut self.star) {
            if character == '*' {
                self.bold = !self.bold;
                self.restyle();
                return;
            }
            self.put('*', out);
        }
        match character {
            '*' if !self.code => self.star = true,
            '`' => {
                self.code = !self.code;
                self.restyle();
            }
            _ => self.put(character, out),
        }
    }

    /// Shows a character; only prose is wrapped.
    fn put(&mut self, character: char, out: &mut String) {
        self.wrap.put(character, out);
        if matches!(self.line, LineKind::Code | LineKind::Fence | LineKind::Row) {
            self.wrap.keep(out);
        }
    }

    /// Sets all styles that hold now.
    fn restyle(&mut self) {
        self.wrap.style("\x1b[0m");
        let styles = [
            self.line.style(),
            self.bold.then_some(BOLD),
            self.code.then_some(CODE),
        ];
        for style in styles.into_iter().flatten() {
            self.wrap.style(&style.render().to_string());
        }
    }

    /// Ends a line; no style outlives it.
    fn end(&mut self, out: &mut String) {
        if self.line == LineKind::Row && self.table.gathers() {
            out.extend(self.table.push('\n'));
            self.line = LineKind::Text;
        } else {
            self.close(out);
            out.push('\n');
        }
        self.held = Some(String::new());
    }

    fn close(&mut self, out: &mut String) {
        if std::mem::take(&mut self.star) {
            self.put('*', out);
        }
        let bold = std::mem::take(&mut self.bold);
        let code = std::mem::take(&mut self.code);
        if bold || code || self.line.style().is_some() {
            self.wrap.style("\x1b[0m");
        }
        self.wrap.end(out);
        self.line = LineKind::Text;
    }
}

const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();
const QUOTE: Style = Style::new().dimmed();

/// The longest run of blanks that can be in front of a mark.
const INDENT: usize = 24;

/// Whether a fence is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Prose,
    Fenced,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Text,
    Heading,
    Quote,
    Code,
    /// A row of a table.
    Row,
    /// The line of a fence itself.
    Fence,
}

/// What the start of a line turned out to be.
enum LineStart {
    /// It may still be anything.
    Open,
    Is(LineKind, String),
}

impl LineStart {
    /// What a line is that begins so.
    fn of(held: &str, block: Block) -> Self {
        let text = held.trim_start_matches(' ');
        let indent = &held[..held.len() - text.len()];
        let all = |mark: char| text.chars().all(|each| each == mark);
        if text.is_empty() && indent.len() < INDENT {
            return Self::Open;
        }
        if all('`') {
            return match text.len() {
                3 => Self::Is(LineKind::Fence, held.to_owned()),
                _ => Self::Open,
            };
        }
        if block == Block::Fenced {
            return Self::Is(LineKind::Code, held.to_owned());
        }
        let is_mark = matches!(text, "-" | "*" | "+" | ">") || (all('#') && text.len() <= 6);
        if is_mark {
            return Self::Open;
        }
        match text.strip_suffix(' ') {
            Some("-" | "*" | "+") => Self::Is(LineKind::Text, format!("{indent}• ")),
            Some(">") => Self::Is(LineKind::Quote, format!("{indent}│ ")),
            None if text.starts_with('|') => Self::Is(LineKind::Row, held.to_owned()),
            Some(marks) if !marks.is_empty() && marks.chars().all(|each| each == '#') => {
                Self::Is(LineKind::Heading, String::new())
            }
            _ => Self::Is(LineKind::Text, held.to_owned()),
        }
    }
}

impl Block {
    /// What a line is in it that says nothing else.
    fn kind(self) -> LineKind {
        match self {
            Self::Prose => LineKind::Text,
            Self::Fenced => LineKind::Code,
        }
    }
}

impl LineKind {
    fn style(self) -> Option<Style> {
        match self {
            Self::Text | Self::Row => None,
            Self::Heading => Some(HEADING),
            Self::Quote | Self::Fence => Some(QUOTE),
            Self::Code => Some(CODE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown, with styles as words; the same however the text is cut.
    fn shown(text: &str) -> String {
        let whole = {
            let mut markdown = Markdown::new(24);
            let mut shown = markdown.push(text);
            shown.push_str(&markdown.finish());
            shown
        };
        let mut markdown = Markdown::new(24);
        let mut pieces = String::new();
        for character in text.chars() {
            pieces.push_str(&markdown.push(&character.to_string()));
        }
        pieces.push_str(&markdown.finish());
        assert_eq!(whole, pieces);
        whole
            .replace("\x1b[0m", "{/}")
            .replace("\x1b[1m\x1b[4m", "{h}")
            .replace("\x1b[1m", "{b}")
            .replace("\x1b[36m", "{c}")
            .replace("\x1b[2m", "{d}")
    }

    #[test]
    fn marks_become_styles() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("plain *text* and 2 * 3", "plain *text* and 2 * 3");
        check("# Title\nnext", "{h}Title{/}\nnext");
        check("####### no title", "####### no title");
        check("#hash", "#hash");
        check("- one\n  * two\n-none", "• one\n  • two\n-none");
        check("a **bold** word", "a {/}{b}bold{/} word");
        check("use `x**y` here", "use {/}{c}x**y{/} here");
        check("> said\nnot", "{d}│ said{/}\nnot");
        check("1. first", "1. first");
    }

    #[test]
    fn fences_keep_what_is_in_them() {
        assert_eq!(
            shown("```rust\n# not **a** title\n\n```\nafter"),
            "{d}```rust{/}\n{c}# not **a** title{/}\n{c}{/}\n{d}```{/}\nafter"
        );
        assert_eq!(shown("```\nopen"), "{d}```{/}\n{c}open{/}");
    }

    #[test]
    fn prose_is_wrapped_and_code_and_tables_are_not() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check(
            "one two **three four five** six",
            "one two {/}{b}three four five{/}\nsix",
        );
        check(
            "- one two three four five six",
            "• one two three four\n  five six",
        );
        let code = "let one = two + three + four + five;";
        check(
            &format!("```\n{code}\n```"),
            &format!("{{d}}```{{/}}\n{{c}}{code}{{/}}\n{{d}}```{{/}}"),
        );
        let row = "| one | two | three | four |";
        check(row, row);
    }

    #[test]
    fn tables_are_aligned_when_they_end() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        let table = "| a | long |\n|---|---:|\n| `x` | 1 |";
        let aligned = "{b}a{/}  {b}long{/}\n─  ────\n{c}x{/}     1";
        check(table, aligned);
        check(&format!("{table}\n"), &format!("{aligned}\n"));
        check(
            &format!("see\n{table}\n\n**after**"),
            &format!("see\n{aligned}\n\n{{/}}{{b}}after{{/}}"),
        );
        check(
            &format!("```\n{}\n```", "| a |"),
            "{d}```{/}\n{c}| a |{/}\n{d}```{/}",
        );
    }

    #[test]
    fn a_table_without_end_is_not_held_back_for_ever() {
        let mut markdown = Markdown::new(40);
        let row = format!("|{}|\n", "x".repeat(1_000));
        let said = row.repeat(100);
        let shown = markdown.push(&said);
        assert!(shown.len() > 60_000, "{}", shown.len());
        assert_eq!(format!("{shown}{}", markdown.finish()), said);
    }

    #[test]
    fn nothing_is_lost_and_no_style_outlives_its_line() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("**open\nnext", "{/}{b}open{/}\nnext");
        check("ends with *", "ends with *");
        check("``", "``");
        check("-", "-");
        check("###", "###");
        check("", "");
        check("\n\n", "\n\n");
    }
}
