//! Whether the words of each rule and signal stand in everything that it finds.
//!
//! A rule is asked only about units with its words, and never sees what its patterns match without
//! them. So texts without the words are made from the patterns of the rule's own file, alone and
//! two by two, and the rule is asked about them all the same: it must find nothing. That way no
//! list says which patterns lead to a finding, and which only to an excuse.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::expression::parsed;
use super::facts::Seen;
use super::file::Language;
use super::found::Findings;
use super::grams::Grams;
use super::here::Here;
use super::pattern::tests::sources_of;
use super::prepare::{Place, Prepared};
use super::rules::{ALL, Check};
use super::samples::{thinned, without};
use super::signals::SIGNALS;
use super::sketches::Sketches;
use super::subject::Subject;
use super::words::{Question, WORDS};

/// Where a text may stand.
const PLACES: [(&str, Place, Language); 7] = [
    ("SKILL.md", Place::Prose, Language::Other),
    ("SKILL.md", Place::Frontmatter, Language::Other),
    ("a.sh", Place::Code, Language::Shell),
    ("a.ps1", Place::Code, Language::PowerShell),
    ("a.py", Place::Code, Language::Python),
    ("a.js", Place::Code, Language::JavaScript),
    ("a.json", Place::Data, Language::Data),
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
    let sources = sources_of(&folder().join("signals.rs"));
    assert_eq!(sources.len(), SIGNALS.len());
    for (index, source) in sources.iter().enumerate() {
        let texts = without(SIGNALS[index].words, &parsed(source).unwrap());
        let found = found_unasked(Question::Signal(index), &texts);
        assert!(found.is_empty(), "{:?}: {found:#?}", SIGNALS[index].fact);
    }
}

#[test]
fn findings_hold_the_words_of_their_rule() {
    let mut gaps = Vec::new();
    for (index, rule) in ALL.iter().enumerate() {
        let Check::Unit { words, .. } = rule.check else {
            continue;
        };
        if CHOSEN_BY_WORDS.contains(&rule.code) {
            continue;
        }
        let file = rule.code.trim_start_matches("scan-").replace('-', "_");
        let path = folder().join("rules").join(file).with_extension("rs");
        let meanings = sources_of(&path)
            .into_iter()
            .map(|each| parsed(&each).unwrap());
        let samples: Vec<Vec<String>> = meanings.map(|each| without(words, &each)).collect();
        let mut texts = samples.concat();
        texts.extend(pairs(&samples));
        let found = found_unasked(Question::Rule(index), &texts);
        gaps.extend(
            found
                .into_iter()
                .map(|text| format!("{}: {text}", rule.code)),
        );
    }
    assert!(gaps.is_empty(), "{gaps:#?}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scan")
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
fn found_unasked(question: Question, texts: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, place, language) in PLACES {
        for texts in texts.chunks(UNITS) {
            let source = texts.concat();
            let file = Prepared::of_units(path, &source, texts, place, language);
            let (subject, unasked) = with_facts(file, question);
            for at in unasked {
                let here = Here::new(&subject, 0, at);
                if finds(question, &here) {
                    found.insert(format!("{path}: {}", here.text.plain()));
                }
            }
        }
    }
    found
}

/// A skill of one file, and those of its units that the question is not asked about.
fn with_facts(file: Prepared<'_>, question: Question) -> (Subject<'_>, Vec<usize>) {
    let (mut grams, mut sketches) = (Grams::empty(), Sketches::of(file.units.len()));
    let (mut facts, mut unasked) = (Vec::new(), Vec::new());
    sketches.next_file();
    for (at, unit) in file.units.iter().enumerate() {
        let text = file.text(unit);
        let asked: Vec<Question> = WORDS.questions(text, &mut grams).all().collect();
        sketches.keep(&grams);
        if !asked.contains(&question) {
            unasked.push(at);
        }
        for each in asked {
            if let Question::Signal(index) = each
                && let Some(range) = SIGNALS[index].pattern.find(text)
            {
                let base = unit.range.start;
                facts.push(Seen {
                    fact: SIGNALS[index].fact,
                    file: 0,
                    unit: at,
                    range: base + range.start..base + range.end,
                });
            }
        }
    }
    (Subject::new(vec![file], facts, sketches), unasked)
}

/// Whether the question has an answer here, whether it would be asked or not.
fn finds(question: Question, here: &Here<'_>) -> bool {
    match question {
        Question::Signal(index) => SIGNALS[index].pattern.is_match(here.text),
        Question::Rule(index) => {
            let mut findings = Findings::new(here.subject);
            if let Check::Unit { ask, .. } = ALL[index].check {
                ask(here, &mut findings);
            }
            !findings.is_empty()
        }
    }
}
