//! A piece of HTML as its tags and the text between them, and a tag as it is written.

use std::cell::RefCell;
use std::fmt::Write as _;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

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
