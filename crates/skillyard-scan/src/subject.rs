//! A whole skill, as the rules see it.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Fact, Seen};
use super::flow::Flow;
use super::here::Here;
use super::hosts;
use super::pattern::Pattern;
use super::prepare::{Place, Prepared};
use super::sketches::Sketches;
use super::text::Text;

static SECURITY: Pattern = Pattern::new(
    r"\b(?:security|vulnerabilit(?:y|ies)|pentest\w*|penetration|exploit\w*|malware|malicious|intrusions?|reverse\s+shells?|threat|yara|semgrep|codeql|
    audit(?:s|ing|or)?\s+(?:of\s+)?(?:skills?|code|contracts?|mcp|agents?|plugins?)|injection|ctf|forensic\w*|red[\s-]team\w*|prompt\s+injection|safety|fuzz\w*|owasp|cve)\b",
);
static LOCAL: Pattern = Pattern::new(
    r"\b(?:no|without(?:\s+any)?|never\s+makes?|zero)\s+(?:external\s+)?(?:network|internet|api)\s*(?:access|calls?|connections?|requests?)|\bno\s+data\s+leaves|\b(?:fully|entirely|completely|100%)\s+(?:local|offline)|\boffline[\s-]only|\blocal[\s-]only|nothing\s+(?:is\s+sent|leaves)|never\s+(?:goes|connects|is)\s+online|(?:does|do)\s+not\s+(?:use|need)\s+the\s+(?:network|internet)|runs?\s+(?:entirely|completely|fully)\s+(?:locally|offline)",
);

/// A skill that was prepared.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) files: Vec<Prepared<'a>>,
    pub(crate) facts: Vec<Seen>,
    /// What reaches the network or an interpreter.
    pub(crate) flows: Vec<Flow>,
    /// Whether it says that it is about finding attacks.
    pub(crate) about_security: bool,
    /// Where it says that it stays on this machine: the file and the unit.
    pub(crate) says_local: Option<(usize, usize)>,
    /// The owners of hosts that its documents speak of.
    pub(crate) declared: BTreeSet<String>,
    /// How often each file names the hosts of an owner.
    mentions: BTreeMap<(usize, String), usize>,
    sketches: Sketches,
}

impl<'a> Subject<'a> {
    /// What the files say about themselves.
    pub(crate) fn new(files: Vec<Prepared<'a>>, facts: Vec<Seen>, sketches: Sketches) -> Self {
        let mut subject = Self {
            files,
            facts,
            flows: Vec::new(),
            about_security: false,
            says_local: None,
            declared: BTreeSet::new(),
            mentions: BTreeMap::new(),
            sketches,
        };
        for (index, file) in subject.files.iter().enumerate() {
            let is_skill_file = file.is_skill_file();
            let has_address = file.folded.text.contains("http");
            if !is_skill_file && !has_address {
                continue;
            }
            for (at, unit) in file.units.iter().enumerate() {
                let text = subject.sketches.with(file.text(unit), index, at);
                if is_skill_file && unit.place == Place::Frontmatter {
                    subject.about_security |= (text.starts_with("description")
                        || text.starts_with("name"))
                        && SECURITY.is_match(text);
                }
                let is_promise = is_skill_file
                    && matches!(unit.place, Place::Frontmatter | Place::Prose)
                    && subject.says_local.is_none()
                    && LOCAL.is_match(text);
                if is_promise {
                    subject.says_local = Some((index, at));
                }
                if !has_address || !text.contains("http") {
                    continue;
                }
                for url in hosts::urls(text) {
                    let owner = hosts::owner(hosts::host(url)).to_owned();
                    if matches!(unit.place, Place::Prose | Place::Frontmatter) {
                        subject.declared.insert(owner.clone());
                    }
                    *subject.mentions.entry((index, owner)).or_default() += 1;
                }
            }
        }
        subject
    }

    /// The plain text of a unit.
    pub(crate) fn text(&self, file: usize, unit: usize) -> Text<'_> {
        let prepared = &self.files[file];
        let plain = prepared.text(&prepared.units[unit]);
        self.sketches.with(plain, file, unit)
    }

    /// How often a file names the hosts of an owner.
    pub(crate) fn mentions(&self, file: usize, owner: &str) -> usize {
        let key = (file, owner.to_owned());
        self.mentions.get(&key).copied().unwrap_or_default()
    }

    /// The unit that a fact was seen in.
    pub(crate) fn here(&self, seen: &Seen) -> Here<'_> {
        Here::new(self, seen.file, seen.unit)
    }

    /// The facts of one kind.
    pub(crate) fn seen(&self, fact: Fact) -> impl Iterator<Item = &Seen> {
        self.facts.iter().filter(move |seen| seen.fact == fact)
    }

    /// The facts of one kind that happen when code runs, told from quotes and examples.
    pub(crate) fn done(&self, fact: Fact) -> impl Iterator<Item = &Seen> {
        self.seen(fact).filter(|seen| self.here(seen).runs())
    }

    /// The facts of one file.
    pub(crate) fn facts_of(&self, file: usize) -> &[Seen] {
        let start = self.facts.partition_point(|seen| seen.file < file);
        let length = self.facts[start..].partition_point(|seen| seen.file == file);
        &self.facts[start..start + length]
    }

    /// The facts of each script and each fenced block, in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[Seen]> {
        let block = |seen: &Seen| (seen.file, self.files[seen.file].units[seen.unit].block);
        self.facts.chunk_by(move |a, b| block(a) == block(b))
    }

    /// The first fact of a kind that happens when this block runs.
    pub(crate) fn first<'s>(&self, block: &'s [Seen], fact: Fact) -> Option<&'s Seen> {
        block
            .iter()
            .find(|seen| seen.fact == fact && self.here(seen).runs())
    }
}
