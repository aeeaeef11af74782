//! Elements that are closed in order and nested no deeper than a page needs.
//!
//! The sanitizer reads HTML as browsers do. It looks through all open elements at every element,
//! repeats in each paragraph what was left open in the first, and moves what is in a table but in no
//! cell before it. A few hundred bytes can make that take minutes. Every element is put in order here
//! first, so that the work grows with the text alone. What a page may contain is not decided here.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use pulldown_cmark::Tag as Element;
use pulldown_cmark::{Event, TagEnd};

/// How many elements stand within each other; those further in are left out, and their text stays.
const MAX_DEPTH: usize = 64;
/// The longest piece of HTML that is read; a longer one is shown as it is written.
const MAX_HTML_BYTES: usize = 32 * 1024;

/// Elements that stand in no paragraph and end it.
const BLOCKS: &str = "article aside blockquote caption center col colgroup dd details div dl dt \
    figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr li nav ol p pre summary table tbody \
    td tfoot th thead tr ul";
/// Elements without an end.
const VOID: &[&str] = &["area", "br", "col", "hr", "img", "wbr"];
/// Elements that hold nothing but parts of a table.
const FRAMES: &[&str] = &["colgroup", "table", "tbody", "tfoot", "thead", "tr"];

/// Where HTML stands in the Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Among {
    Blocks,
    Words,
}

/// An element that has begun.
enum OpenElement {
    /// Of the Markdown, which ends it itself.
    Markdown { shown: bool },
    /// Of the HTML in it.
    Html(LocalName),
}

/// What an element needs around it, or ends.
enum Parent {
    /// Within one of these, of which the nearest becomes the innermost.
    Within(&'static [&'static str]),
    /// After one of the first, unless one of the second is nearer.
    After(&'static [&'static str], &'static [&'static str]),
    Anywhere,
}

impl Parent {
    fn of(name: &str) -> Self {
        match name {
            "td" | "th" => Self::Within(&["tr", "tbody", "tfoot", "thead", "table"]),
            "tr" => Self::Within(&["tbody", "tfoot", "thead", "table"]),
            "col" => Self::Within(&["colgroup", "table"]),
            "caption" | "colgroup" | "tbody" | "tfoot" | "thead" => Self::Within(&["table"]),
            "li" => Self::After(&["li"], &["ol", "ul"]),
            "dd" | "dt" => Self::After(&["dd", "dt"], &["dl"]),
            _ => Self::Anywhere,
        }
    }
}

/// The events of a text, with the elements of `tags` and no others of its HTML.
pub(crate) fn levelled<'a>(
    events: impl Iterator<Item = Event<'a>>,
    tags: &HashSet<&str>,
) -> Vec<Event<'a>> {
    let mut page = Nesting {
        tags,
        open: Vec::new(),
        depth: 0,
        events: Vec::new(),
    };
    let mut block = String::new();
    for event in events {
        match event {
            // The lines of a block of HTML are read as one piece.
            Event::Start(Element::HtmlBlock) => block.clear(),
            Event::Html(line) => block.push_str(&line),
            Event::End(TagEnd::HtmlBlock) => page.html(&block, Among::Blocks),
            Event::InlineHtml(tag) => page.html(&tag, Among::Words),
            Event::Start(element) => page.start(element),
            Event::End(end) => page.end(end),
            other => page.word(other),
        }
    }
    page.close_to(0);
    page.events
}

struct Nesting<'a, 't> {
    tags: &'t HashSet<&'t str>,
    open: Vec<OpenElement>,
    /// How many of those that are open are in the page.
    depth: usize,
    events: Vec<Event<'a>>,
}

impl<'a> Nesting<'a, '_> {
    fn start(&mut self, element: Element<'a>) {
        let is_word = matches!(
            element,
            Element::Emphasis
                | Element::Strong
                | Element::Strikethrough
                | Element::Link { .. }
                | Element::Image { .. }
        );
        self.leave_table();
        if !is_word {
            self.end_words();
        }
        let shown = self.depth < MAX_DEPTH;
        self.open.push(OpenElement::Markdown { shown });
        if shown {
            self.depth += 1;
            self.events.push(Event::Start(element));
        }
    }

    fn end(&mut self, end: TagEnd) {
        let is_markdown = |open: &OpenElement| matches!(open, OpenElement::Markdown { .. });
        let at = self.open.iter().rposition(is_markdown);
        self.close_to(at.map_or(0, |at| at + 1));
        match self.open.pop() {
            Some(OpenElement::Markdown { shown: true }) => {
                self.depth -= 1;
                self.events.push(Event::End(end));
            }
            // What stood apart is not to become one word.
            _ => self.events.push(Event::SoftBreak),
        }
    }

    fn word(&mut self, event: Event<'a>) {
        let is_blank = match &event {
            Event::Text(text) => text.trim().is_empty(),
            Event::SoftBreak => true,
            _ => false,
        };
        if !is_blank {
            self.leave_table();
        }
        if matches!(event, Event::Rule) {
            self.end_words();
        }
        self.events.push(event);
    }

    fn html(&mut self, html: &str, among: Among) {
        if html.len() > MAX_HTML_BYTES {
            self.word(Event::Text(html.to_owned().into()));
            return;
        }
        let mut silent: Option<LocalName> = None;
        for token in tokens(html) {
            match token {
                Token::TagToken(tag) if silent.is_some() => {
                    silent = silent.filter(|name| *name != tag.name);
                }
                Token::TagToken(tag) => match tag.kind {
                    TagKind::StartTag if SILENT.contains(&&*tag.name) => silent = Some(tag.name),
                    TagKind::StartTag => self.open_tag(&tag, among),
                    TagKind::EndTag => self.close_tag(&tag),
                },
                Token::CharacterTokens(text) if silent.is_none() => {
                    self.word(Event::Text(text.to_string().into()));
                }
                _ => {}
            }
        }
    }

    fn open_tag(&mut self, tag: &Tag, among: Among) {
        let name = &*tag.name;
        let is_block = is_block(name);
        if !self.tags.contains(name) || (is_block && among == Among::Words) {
            return;
        }
        match Parent::of(name) {
            Parent::Within(homes) => match self.nearest(homes) {
                Some(at) => self.close_to(at + 1),
                None => return,
            },
            Parent::After(same, homes) => {
                self.leave_table();
                let before = self.nearest(same);
                if let Some(before) = before.filter(|at| self.nearest(homes) < Some(*at)) {
                    self.close_to(before);
                }
            }
            Parent::Anywhere => self.leave_table(),
        }
        if is_block {
            self.end_words();
        }
        if VOID.contains(&name) {
            self.events.push(Event::Html(written(tag).into()));
        } else if self.depth < MAX_DEPTH {
            self.depth += 1;
            self.open.push(OpenElement::Html(tag.name.clone()));
            self.events.push(Event::Html(written(tag).into()));
        }
    }

    fn close_tag(&mut self, tag: &Tag) {
        if let Some(at) = self.nearest(&[&tag.name]) {
            self.close_to(at);
        }
    }

    /// The innermost element of HTML with one of these names, in the innermost of the Markdown.
    fn nearest(&self, names: &[&str]) -> Option<usize> {
        let within = self.open.iter().enumerate().rev();
        within
            .map_while(|(at, open)| match open {
                OpenElement::Html(name) => Some((at, name)),
                OpenElement::Markdown { .. } => None,
            })
            .find(|(_, name)| names.contains(&&***name))
            .map(|(at, _)| at)
    }

    /// Ends elements of HTML until only so many are open.
    fn close_to(&mut self, length: usize) {
        for open in self.open.drain(length..).rev() {
            if let OpenElement::Html(name) = open {
                self.depth -= 1;
                self.events.push(Event::Html(format!("</{name}>").into()));
            }
        }
    }

    /// Ends what cannot hold a block.
    fn end_words(&mut self) {
        self.close_while(|name| name == "p" || !is_block(name));
    }

    /// Ends a table that is in none of its cells.
    fn leave_table(&mut self) {
        self.close_while(|name| FRAMES.contains(&name));
    }

    fn close_while(&mut self, ends: impl Fn(&str) -> bool) {
        let stays = |open: &OpenElement| match open {
            OpenElement::Html(name) => !ends(name),
            OpenElement::Markdown { .. } => true,
        };
        let last = self.open.iter().rposition(stays);
        self.close_to(last.map_or(0, |at| at + 1));
    }
}

fn is_block(name: &str) -> bool {
    BLOCKS.split(' ').any(|each| each == name)
}

/// Elements whose text is for no reader.
pub(crate) const SILENT: &[&str] = &["script", "style"];

/// The tokens of a piece of HTML.
pub(crate) fn tokens(html: &str) -> Vec<Token> {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Tokens::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.take()
}

/// The start of an element.
pub(crate) fn written(tag: &Tag) -> String {
    let mut text = format!("<{}", tag.name);
    for attribute in &tag.attrs {
        let name = &attribute.name.local;
        if name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            let value = attribute.value.replace('&', "&amp;").replace('"', "&quot;");
            let _ = write!(text, " {name}=\"{value}\"");
        }
    }
    text.push('>');
    text
}

#[derive(Default)]
struct Tokens(RefCell<Vec<Token>>);

impl TokenSink for Tokens {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let is_silent = matches!(&token, Token::TagToken(tag)
            if tag.kind == TagKind::StartTag && SILENT.contains(&&*tag.name));
        self.0.borrow_mut().push(token);
        if is_silent {
            TokenSinkResult::RawData(RawKind::Rawtext)
        } else {
            TokenSinkResult::Continue
        }
    }
}
