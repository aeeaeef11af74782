//! What a line is, as far as its start tells.

use anstyle::{AnsiColor, Style};

const HEADING: Style = Style::new().bold().underline();
pub(super) const CODE: Style = AnsiColor::Cyan.on_default();
const QUOTE: Style = Style::new().dimmed();

/// The longest run of blanks that can be in front of a mark.
const INDENT: usize = 24;

/// Whether a fence is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Prose,
    Fenced,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Start {
    /// It may still be anything.
    Open,
    Is(Kind, String),
}

impl Start {
    /// What a line is that begins so.
    pub(super) fn of(held: &str, block: Block) -> Self {
        let text = held.trim_start_matches(' ');
        let indent = &held[..held.len() - text.len()];
        let all = |mark: char| text.chars().all(|each| each == mark);
        if text.is_empty() && indent.len() < INDENT {
            return Self::Open;
        }
        if all('`') {
            return match text.len() {
                3 => Self::Is(Kind::Fence, held.to_owned()),
                _ => Self::Open,
            };
        }
        if block == Block::Fenced {
            return Self::Is(Kind::Code, held.to_owned());
        }
        let is_mark = matches!(text, "-" | "*" | "+" | ">") || (all('#') && text.len() <= 6);
        if is_mark {
            return Self::Open;
        }
        match text.strip_suffix(' ') {
            Some("-" | "*" | "+") => Self::Is(Kind::Text, format!("{indent}• ")),
            Some(">") => Self::Is(Kind::Quote, format!("{indent}│ ")),
            None if text.starts_with('|') => Self::Is(Kind::Row, held.to_owned()),
            Some(marks) if !marks.is_empty() && marks.chars().all(|each| each == '#') => {
                Self::Is(Kind::Heading, String::new())
            }
            _ => Self::Is(Kind::Text, held.to_owned()),
        }
    }
}

impl Block {
    /// What a line is in it that says nothing else.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Prose => Kind::Text,
            Self::Fenced => Kind::Code,
        }
    }
}

impl Kind {
    pub(super) fn style(self) -> Option<Style> {
        match self {
            Self::Text | Self::Row => None,
            Self::Heading => Some(HEADING),
            Self::Quote | Self::Fence => Some(QUOTE),
            Self::Code => Some(CODE),
        }
    }
}
