use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    Ast, Group, GroupKind, Literal, Repetition, RepetitionKind, RepetitionRange,
};

use super::*;
use crate::pattern::tests::all_sources;

/// What the engine's own parser understands.
fn understood(source: &str) -> Option<Required> {
    let mut parser = ParserBuilder::new().ignore_whitespace(true).build();
    required(&parser.parse(source).unwrap())
}

#[test]
fn every_pattern_is_read_as_it_is_understood() {
    for source in all_sources() {
        assert_eq!(read(&source), understood(&source), "{source}");
    }
}

#[test]
fn what_is_not_known_is_always_asked() {
    for source in [
        "(?i)abc",
        "(?i:abc)",
        "(?P<x>abc)",
        r"abc\pL",
        r"abc\b{start}",
        "abc # def\nghi",
        "abc)",
        "(abc",
        "[abc",
        r"abc\",
        r"\x{61}bcd",
        "abc**",
        "*abc",
        "abc{,3}",
    ] {
        assert!(read(source).is_none(), "{source}");
    }
}

#[test]
fn sets_are_passed_over() {
    for source in [
        "[]x]abc",
        "[^]x]abc",
        r"[\]x]abc",
        "[a[bc]d]abc",
        "[[:alpha:]]abc",
        "[|)(]abc",
    ] {
        assert_eq!(read(source), understood("abc"), "{source}");
    }
}

/// What each match of a part of a pattern holds.
fn required(part: &Ast) -> Option<Required> {
    match part {
        Ast::Literal(literal) => Required::word(&[byte(literal)?]),
        Ast::Group(group) => required(plain(group)?),
        Ast::Repetition(repetition) if is_needed(repetition) => required(&repetition.ast),
        Ast::Concat(concat) => all(&concat.asts),
        Ast::Alternation(alternation) => {
            let ways: Option<Vec<Required>> = alternation.asts.iter().map(required).collect();
            ways.map(Required::any)
        }
        _ => None,
    }
}

/// What parts that follow one another hold; letters that do make a word.
fn all(parts: &[Ast]) -> Option<Required> {
    let (mut found, mut letters) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Ast::Literal(literal) => letters.push(byte(literal)?),
            // From here on letters may mean others.
            Ast::Flags(_) => return None,
            _ => {
                found.extend(Required::word(&letters));
                letters.clear();
                found.extend(required(part));
            }
        }
    }
    found.extend(Required::word(&letters));
    Required::all(found)
}

/// The byte that a letter of a pattern stands for.
fn byte(literal: &Literal) -> Option<u8> {
    let ascii = || u8::try_from(literal.c).ok().filter(u8::is_ascii);
    literal.byte().or_else(ascii)
}

/// What is in a group where everything means what it means outside.
fn plain(group: &Group) -> Option<&Ast> {
    match &group.kind {
        GroupKind::NonCapturing(flags) if !flags.items.is_empty() => None,
        _ => Some(&group.ast),
    }
}

fn is_needed(repetition: &Repetition) -> bool {
    use RepetitionKind::{OneOrMore, Range, ZeroOrMore, ZeroOrOne};
    use RepetitionRange::{AtLeast, Bounded, Exactly};
    match &repetition.op.kind {
        ZeroOrOne | ZeroOrMore => false,
        OneOrMore => true,
        Range(Exactly(least) | AtLeast(least) | Bounded(least, _)) => *least > 0,
    }
}
