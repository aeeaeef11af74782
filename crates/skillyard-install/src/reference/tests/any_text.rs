//! What holds for every text that can be read.

use proptest::prelude::*;

use super::{aliases, parse};
use crate::reference::{Aliases, Reference, ReferenceContext};

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
            "%2F", "%23", "feature/x", "host", "host:", "owner", "repo", "pdf", "a b", "%40", "%2e", "%25", "/", "//", "/", ":", "@", "#", "?", "&", "=", ".git",
            ".zip", ".tar.gz", "v1.2.3", "^1", "~1.2", ">=1,", "<2", "1", "main", "./", "../", "~/", "-", "/-/tree/",
            "/.well-known/skills/", "token=x", "github.com/", "gitlab.com/", "127.0.0.1", "é", ".", "*", "+", "latest",
        ]), 0..12)
    ) {
        reads_back(&parts.concat());
    }
}

proptest! {
    /// Whichever branch or tag is asked for, wherever: what is written down means the same.
    #[test]
    fn every_revision_reads_back(
        source in prop::sample::select(vec![
            "file:///srv/repo#foo", "file:///srv/a@b/repo", "file:///srv/x.git#a/b", "git://host/r", "git://host",
            "ssh://git@host", "ssh://git@host/r.git/", "ssh://git@host.git/a#b", "git+https://host/r", "https://host/r.git",
            "git@host:owner/repo", "git@host:owner/repo.git#a%23b", "./x.git", "/srv/a@b/x.git#y", "~/x.git", "o/r",
            "github:o/r/a%40b", "gitlab:a/b/c//d", "corp:o/r", "https://github.com/o/r/tree/main/x",
        ]),
        name in prop::collection::vec(prop::sample::select(vec![
            "feature", "x", "v1.2.3", "1", "^1", "abcdef1", "/", "/", "@", "#", "%", "%2F", "%23", ".git", ".git@", ".zip", "=", "&",
            "-", ".", "+", ",", "$", "\"", "'", "!", "(", "{", "~", ":", "?", " ", "é",
        ]), 1..8)
    ) {
        let name = name.concat();
        let source = parse(source).unwrap();
        let Ok(wanted) = source.at(&name) else { return Ok(()) };
        let shown = wanted.to_string();
        let read = parse(&shown);
        prop_assert_eq!(read.as_ref(), Ok(&wanted), "{} at {} is shown as {}", source, name, shown);
        // A lock has both parts, and they make the same text.
        let (identity, requested) = wanted.identity();
        let text = crate::lockfile::reference(&identity.to_string(), requested.as_deref());
        prop_assert_eq!(text, shown);
    }
}

fn reads_back(text: &str) {
    let Ok(reference) = parse(text) else { return };
    let shown = reference.to_string();
    let aliases = aliases();
    let context = ReferenceContext {
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
