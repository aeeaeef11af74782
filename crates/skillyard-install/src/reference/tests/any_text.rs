//! What holds for every text that can be read.

use proptest::prelude::*;

use super::{aliases, parse};
use crate::reference::{Aliases, Context, Reference};

proptest! {
    /// Whatever can be read is shown as a text that reads back as the same value, with any configuration.
    #[test]
    fn whatever_reads_reads_back(text in ".{0,60}") {
        reads_back(&text);
    }

    #[test]
    fn texts_of_the_grammar_read_back(
        parts in prop::collection::vec(prop::sample::select(vec![
            "github:", "gitlab:", "acme:", "corp:", "https://", "http://", "git+https://", "ssh://", "file:///", "git@",
            "host", "host:", "owner", "repo", "pdf", "a b", "%40", "%2e", "%25", "/", "//", "/", ":", "@", "#", "?", "&", "=", ".git",
            ".zip", ".tar.gz", "v1.2.3", "^1", "~1.2", ">=1,", "<2", "1", "main", "./", "../", "~/", "-", "/-/tree/",
            "/.well-known/skills/", "token=x", "github.com/", "gitlab.com/", "127.0.0.1", "é", ".", "*", "+", "latest",
        ]), 0..12)
    ) {
        reads_back(&parts.concat());
    }
}

fn reads_back(text: &str) {
    let Ok(reference) = parse(text) else { return };
    let shown = reference.to_string();
    let aliases = aliases();
    let context = Context {
        aliases: Aliases::Known(&aliases),
        exists: &|_| false,
    };
    assert_eq!(
        Reference::parse(&shown, &context).as_ref(),
        Ok(&reference),
        "{text:?} is shown as {shown:?}"
    );
    assert_eq!(
        Reference::try_from(shown.clone()).as_ref(),
        Ok(&reference),
        "{text:?} is shown as {shown:?}"
    );
}
