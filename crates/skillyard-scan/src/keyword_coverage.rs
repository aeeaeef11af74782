//! Whether the words of each rule and signal stand in everything that it finds.
//!
//! A rule is asked only about units with its words, and never sees what its patterns match without
//! them. So texts without the words are made from the patterns of the rule's own file, alone and
//! two by two, and the rule runs on them anyway: it must find nothing. That way no
//! list says which patterns lead to a finding, and which only to an excuse.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::facts::{FactMatch, SIGNALS};
use crate::file::Language;
use crate::findings::{Check, Findings};
use crate::keywords::{Candidate, KEYWORDS};
use crate::pattern::lazy_regex::parse_pattern;
use crate::pattern::tests::sources_of;
use crate::pattern::trigrams::{TrigramCache, Trigrams};
use crate::prepare::{PreparedFile, UnitKind};
use crate::rules::ALL;
use crate::skill::{PreparedSkill, UnitContext};

/// Where a text may stand.
const PLACES: [(&str, UnitKind, Language); 7] = [
    ("SKILL.md", UnitKind::Prose, Language::Other),
    ("SKILL.md", UnitKind::Frontmatter, Language::Other),
    ("a.sh", UnitKind::Code, Language::Shell),
    ("a.ps1", UnitKind::Code, Language::PowerShell),
    ("a.py", UnitKind::Code, Language::Python),
    ("a.js", UnitKind::Code, Language::JavaScript),
    ("a.json", UnitKind::Data, Language::Data),
];
/// How many units a file gets; more would have no sketches.
const UNITS: usize = 500;
/// How many texts of a pattern are put beside those of the others.
const BESIDE: usize = 3;

/// Rules whose patterns take in what is said every day (`do not include this`, `make up numbers`):
/// their words choose the sentences, and all that the patterns match would be false alarms.
const CHOSEN_BY_WORDS: [&str; 2] = ["scan-concealment", "scan-content-manipulation"];

#[test]
fn signals_hold_their_words() {
    let sources = sources_of(&folder().join("facts.rs"));
    assert_eq!(sources.len(), SIGNALS.len());
    for (index, source) in sources.iter().enumerate() {
        let texts = without(SIGNALS[index].words, &parse_pattern(source).unwrap());
        let found = found_unasked(Candidate::Signal(index), &texts);
        assert!(found.is_empty(), "{:?}: {found:#?}", SIGNALS[index].fact);
    }
}

#[test]
fn findings_hold_the_words_of_their_rule() {
    let mut gaps = Vec::new();
    for (index, rule) in ALL.iter().enumerate() {
        let Check::Unit { keywords, .. } = rule.check else {
            continue;
        };
        if CHOSEN_BY_WORDS.contains(&rule.code) {
            continue;
        }
        let file = rule.code.trim_start_matches("scan-").replace('-', "_");
        let path = folder().join("rules").join(file).with_extension("rs");
        let meanings = sources_of(&path)
            .into_iter()
            .map(|each| parse_pattern(&each).unwrap());
        let samples: Vec<Vec<String>> = meanings.map(|each| without(keywords, &each)).collect();
        let mut texts = samples.concat();
        texts.extend(pairs(&samples));
        let found = found_unasked(Candidate::Rule(index), &texts);
        gaps.extend(
            found
                .into_iter()
                .map(|text| format!("{}: {text}", rule.code)),
        );
    }
    assert!(gaps.is_empty(), "{gaps:#?}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// A few texts of each pattern beside a few of each other.
fn pairs(samples: &[Vec<String>]) -> Vec<String> {
    let few = samples.iter().map(|texts| thinned(texts.clone(), BESIDE));
    let few: Vec<Vec<String>> = few.collect();
    let mut made = Vec::new();
    for (at, first) in few.iter().enumerate() {
        for second in few[at + 1..].iter().flatten() {
            made.extend(first.iter().map(|first| format!("{first} {second}")));
        }
    }
    made
}

/// What is found in texts, each a unit of its own, that hold no word for the question.
fn found_unasked(candidate: Candidate, texts: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, place, language) in PLACES {
        for texts in texts.chunks(UNITS) {
            let source = texts.concat();
            let file = PreparedFile::of_units(path, &source, texts, place, language);
            let (skill, unasked) = with_facts(file, candidate);
            for at in unasked {
                let ctx = UnitContext::new(&skill, 0, at);
                if finds(candidate, &ctx) {
                    found.insert(format!("{path}: {}", ctx.text.plain()));
                }
            }
        }
    }
    found
}

/// A skill of one file, and those of its units that the question is not asked about.
fn with_facts(file: PreparedFile<'_>, candidate: Candidate) -> (PreparedSkill<'_>, Vec<usize>) {
    let (mut trigrams, mut trigram_cache) = (Trigrams::empty(), TrigramCache::of(file.units.len()));
    let (mut facts, mut unasked) = (Vec::new(), Vec::new());
    trigram_cache.next_file();
    for (at, unit) in file.units.iter().enumerate() {
        let text = file.text(unit);
        let selected: Vec<Candidate> = KEYWORDS.candidates(text, &mut trigrams).all().collect();
        trigram_cache.push(&trigrams);
        if !selected.contains(&candidate) {
            unasked.push(at);
        }
        for each in selected {
            if let Candidate::Signal(index) = each
                && let Some(range) = SIGNALS[index].pattern.find(text)
            {
                let base = unit.range.start;
                facts.push(FactMatch {
                    fact: SIGNALS[index].fact,
                    file: 0,
                    unit: at,
                    range: base + range.start..base + range.end,
                });
            }
        }
    }
    (
        PreparedSkill::new(vec![file], facts, trigram_cache),
        unasked,
    )
}

/// Whether the question has an answer here, whether it would be asked or not.
fn finds(candidate: Candidate, ctx: &UnitContext<'_>) -> bool {
    match candidate {
        Candidate::Signal(index) => SIGNALS[index].pattern.is_match(ctx.text),
        Candidate::Rule(index) => {
            let mut findings = Findings::new(ctx.skill);
            if let Check::Unit { run, .. } = ALL[index].check {
                run(ctx, &mut findings);
            }
            !findings.is_empty()
        }
    }
}

/// Most texts of a part that others follow.
const MAX_TEXTS_OF_PART: usize = 32;
/// Most texts of a choice.
const MAX_TEXTS: usize = 300;
/// Sets of so few bytes are choices.
const MAX_CLASS_BYTES: usize = 6;
/// What stands for a larger set, as far as it is in it.
const SAMPLE_BYTES: &[u8] = b" x1/-.'=:(";

/// Texts that `meaning` matches without any of `words`.
pub(super) fn without(words: &[&str], meaning: &Hir) -> Vec<String> {
    let made = Samples { words }.of(meaning);
    let texts = made.into_iter().map(String::from_utf8);
    texts.filter_map(Result::ok).collect()
}

struct Samples<'w> {
    words: &'w [&'w str],
}

impl Samples<'_> {
    fn of(&self, part: &Hir) -> Vec<Vec<u8>> {
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => vec![Vec::new()],
            HirKind::Literal(literal) => self.kept(vec![literal.0.to_vec()], MAX_TEXTS),
            HirKind::Class(class) => self.kept(some(class), MAX_TEXTS),
            HirKind::Capture(capture) => self.of(&capture.sub),
            HirKind::Alternation(ways) => {
                let each = ways.iter().flat_map(|way| self.of(way));
                self.kept(each.collect(), MAX_TEXTS)
            }
            HirKind::Concat(parts) => self.sequence(parts.iter().map(|part| self.of(part))),
            HirKind::Repetition(repetition) => {
                let times = |count: u32| {
                    let each = (0..count).map(|_| self.of(&repetition.sub));
                    self.sequence(each)
                };
                let mut made = times(repetition.min);
                if repetition.max != Some(repetition.min) && repetition.min < 2 {
                    made.extend(times(repetition.min + 1));
                }
                made
            }
        }
    }

    /// What follows one another, each with each as long as they are few.
    fn sequence(&self, parts: impl Iterator<Item = Vec<Vec<u8>>>) -> Vec<Vec<u8>> {
        parts.fold(vec![Vec::new()], |before, after| {
            let before = thinned(before, MAX_TEXTS_OF_PART);
            let joined = before.iter().flat_map(|start| {
                let join = |end: &Vec<u8>| [start.as_slice(), end].concat();
                after.iter().map(join)
            });
            self.kept(joined.collect(), MAX_TEXTS)
        })
    }

    fn kept(&self, mut texts: Vec<Vec<u8>>, most: usize) -> Vec<Vec<u8>> {
        let holds =
            |text: &[u8], word: &&str| memchr::memmem::find(text, word.as_bytes()).is_some();
        texts.retain(|text| !self.words.iter().any(|word| holds(text, word)));
        texts.sort_unstable();
        texts.dedup();
        thinned(texts, most)
    }
}

/// So many of them at most, from everywhere among them.
pub(super) fn thinned<T>(texts: Vec<T>, most: usize) -> Vec<T> {
    let step = texts.len().div_ceil(most).max(1);
    texts.into_iter().step_by(step).collect()
}

/// Bytes of a set: all of a few, and some of many.
fn some(class: &Class) -> Vec<Vec<u8>> {
    let Class::Bytes(bytes) = class else {
        return Vec::new();
    };
    let ranges = || bytes.ranges().iter();
    let has = |byte: u8| ranges().any(|range| (range.start()..=range.end()).contains(&byte));
    // In plain text the only white space is a blank.
    let mut all: Vec<u8> = (b' '..=b'~').filter(|byte| has(*byte)).collect();
    if all.len() > MAX_CLASS_BYTES {
        all = SAMPLE_BYTES
            .iter()
            .copied()
            .filter(|byte| has(*byte))
            .take(1)
            .collect();
    }
    all.into_iter().map(|byte| vec![byte]).collect()
}
