//! A whole skill, as the rules see it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::facts::{Fact, Seen};
use super::file::Language;
use super::flow::Flow;
use super::grams::Grams;
use super::hosts;
use super::pattern::Pattern;
use super::prepare::{Place, Prepared, Unit};
use super::text::Text;

static SECURITY: Pattern = Pattern::new(
    r"\b(?:security|vulnerabilit(?:y|ies)|pentest\w*|penetration|exploit\w*|malware|malicious|intrusions?|reverse\s+shells?|threat|yara|semgrep|codeql|
    audit(?:s|ing|or)?\s+(?:of\s+)?(?:skills?|code|contracts?|mcp|agents?|plugins?)|injection|ctf|forensic\w*|red[\s-]team\w*|prompt\s+injection|safety|fuzz\w*|owasp|cve)\b",
);
static LOCAL: Pattern = Pattern::new(
    r"\b(?:no|without(?:\s+any)?|never\s+makes?|zero)\s+(?:external\s+)?(?:network|internet|api)\s*(?:access|calls?|connections?|requests?)|\bno\s+data\s+leaves|\b(?:fully|entirely|completely|100%)\s+(?:local|offline)|\boffline[\s-]only|\blocal[\s-]only|nothing\s+(?:is\s+sent|leaves)|never\s+(?:goes|connects|is)\s+online|(?:does|do)\s+not\s+(?:use|need)\s+the\s+(?:network|internet)|runs?\s+(?:entirely|completely|fully)\s+(?:locally|offline)",
);

static CHANGES: Pattern = Pattern::new(
    r#"write_text|writefile(?:sync)?\s*\(|appendfile\w*\s*\(|json\.dump\s*\(|open\s*\([^)]*,\s*['"][aw]|\.write\s*\(|(?:^|\s)>>?\s*\S|\btee\b|\bsed\s+-i|\bmv\s|set-content|add-content|out-file"#,
);

/// Words without which no promise to stay on this machine is made.
const PROMISES: [&str; 7] = [
    "local", "offline", "online", "network", "internet", "leaves", " api",
];
/// Most bytes of a title or of the words before a block; what each unit asks for must be short.
const MOST_TITLE: usize = 300;
/// Most units that are looked back over.
const MOST_BACK: usize = 200;

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
}

impl<'a> Subject<'a> {
    /// What the files say about themselves.
    pub(crate) fn new(files: Vec<Prepared<'a>>) -> Self {
        let mut subject = Self {
            files,
            facts: Vec::new(),
            flows: Vec::new(),
            about_security: false,
            says_local: None,
            declared: BTreeSet::new(),
            mentions: BTreeMap::new(),
        };
        for (index, file) in subject.files.iter().enumerate() {
            let is_skill_file = file.is_skill_file();
            let has_address = file.folded.text.contains("http");
            if !is_skill_file && !has_address {
                continue;
            }
            for (at, unit) in file.units.iter().enumerate() {
                let text = file.text(unit);
                if is_skill_file && unit.place == Place::Frontmatter {
                    subject.about_security |= (text.starts_with("description")
                        || text.starts_with("name"))
                        && SECURITY.is_match(text);
                }
                let is_promise = is_skill_file
                    && matches!(unit.place, Place::Frontmatter | Place::Prose)
                    && subject.says_local.is_none()
                    && PROMISES.iter().any(|word| text.contains(word))
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

/// A unit and its surroundings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) file: &'a Prepared<'a>,
    pub(crate) unit: &'a Unit,
    /// Which file and which unit.
    pub(crate) index: (usize, usize),
    /// Its plain text.
    pub(crate) text: Text<'a>,
}

impl<'a> Here<'a> {
    pub(crate) fn new(subject: &'a Subject<'a>, file: usize, unit: usize) -> Self {
        let index = (file, unit);
        let file = &subject.files[file];
        let unit = &file.units[unit];
        let text = Text::from(file.text(unit));
        Self {
            subject,
            file,
            unit,
            index,
            text,
        }
    }

    /// The same, with the sketch of its text.
    pub(crate) fn sketched<'b>(&self, grams: &'b Grams) -> Here<'b>
    where
        'a: 'b,
    {
        let text = Text::sketched(self.text.plain(), grams);
        Here { text, ..*self }
    }

    /// Whether it is words for the agent rather than code.
    pub(crate) fn is_prose(&self) -> bool {
        match self.unit.place {
            Place::Prose | Place::Heading | Place::Frontmatter | Place::Hidden => true,
            Place::Code => {
                let is_words = matches!(self.unit.language, Language::Other | Language::Data);
                is_words && self.file.is_document
            }
            Place::Comment | Place::Data | Place::Decoded => false,
        }
    }

    /// Whether it is written as code, in a script or a fenced block, or was encoded.
    pub(crate) fn is_code(&self) -> bool {
        matches!(self.unit.place, Place::Code | Place::Decoded | Place::Data)
    }

    /// Whether it is a statement that runs when its script or its block does.
    pub(crate) fn runs(&self) -> bool {
        match self.unit.place {
            Place::Code => self.unit.language != Language::Data,
            Place::Decoded => true,
            _ => false,
        }
    }

    /// Whether commands in it reach a shell: it is shell, or it starts programs.
    pub(crate) fn is_shell(&self) -> bool {
        match (self.unit.place, self.unit.language) {
            (Place::Code, Language::Shell | Language::PowerShell | Language::Other)
            | (Place::Decoded, _) => true,
            (Place::Code, Language::Python | Language::JavaScript | Language::Script) => {
                self.starts_programs()
            }
            _ => false,
        }
    }

    /// Whether the statement starts programs.
    pub(crate) fn starts_programs(&self) -> bool {
        let starts = |seen: &&Seen| matches!(seen.fact, Fact::Starts | Fact::Evaluates);
        let mut seen = self.facts().iter().filter(starts);
        seen.any(|seen| !self.is_quoted(&self.inside(seen)))
    }

    /// Whether a fact was seen in this unit.
    pub(crate) fn has(&self, fact: Fact) -> bool {
        self.facts().iter().any(|seen| seen.fact == fact)
    }

    /// Whether a fact was seen in this unit outside strings that nothing runs.
    pub(crate) fn does(&self, fact: Fact) -> bool {
        let starts = self.starts_programs();
        let mut seen = self.facts().iter().filter(|seen| seen.fact == fact);
        seen.any(|seen| starts || !self.is_quoted(&self.inside(seen)))
    }

    /// Where in this unit a fact was seen.
    fn inside(&self, seen: &Seen) -> Range<usize> {
        let base = self.unit.range.start;
        seen.range.start - base..seen.range.end - base
    }

    /// The facts that were seen in this unit.
    fn facts(&self) -> &'a [Seen] {
        let facts = &self.subject.facts;
        let place = |seen: &Seen| (seen.file, seen.unit);
        let start = facts.partition_point(|seen| place(seen) < self.index);
        let length = facts[start..].partition_point(|seen| place(seen) == self.index);
        &facts[start..start + length]
    }

    /// Whether the statement writes to a file.
    pub(crate) fn writes(&self) -> bool {
        CHANGES.is_match(self.text)
    }

    /// Whether it or one of the next statements writes to a file.
    pub(crate) fn writes_nearby(&self) -> bool {
        let last = (self.index.1 + 8).min(self.file.units.len());
        let mut after = self.file.units[self.index.1..last].iter();
        after.any(|unit| CHANGES.is_match(self.file.text(unit)))
    }

    /// Whether the skill is called like the host: the makers of a tool explain how to get it.
    pub(crate) fn is_own_host(&self) -> bool {
        let mut owners = hosts::urls(self.text).map(|url| hosts::owner(hosts::host(url)));
        let skill = self.subject.files.iter().find(|file| file.is_skill_file());
        let fields = || {
            let units = skill.into_iter().flat_map(|file| file.units.iter());
            let fields = units.take_while(|unit| unit.place == Place::Frontmatter);
            fields.filter_map(|unit| skill.map(|file| file.text(unit)))
        };
        let speaks_of = |name: &str| {
            let mut fields = fields().filter(|field| !field.contains("http"));
            fields.any(|field| field.contains(name))
        };
        owners.any(|owner| {
            let name = owner.split('.').next().unwrap_or(owner);
            name.len() > 3 && name != "githubusercontent" && name != "github" && speaks_of(name)
        })
    }

    /// The heading it stands under, as much of it as a title has.
    pub(crate) fn heading(&self) -> &'a str {
        let heading = self.unit.heading.and_then(|at| self.file.units.get(at));
        let text = heading.map_or("", |unit| self.file.text(unit));
        &text[..text.floor_char_boundary(MOST_TITLE)]
    }

    /// The end of the unit before it, where that is prose.
    pub(crate) fn introduction(&self) -> &'a str {
        let units = &self.file.units[..self.index.1];
        let near = units.iter().rev().take(MOST_BACK);
        let before = near.into_iter().find(|unit| unit.block != self.unit.block);
        match before {
            Some(unit) if matches!(unit.place, Place::Prose | Place::Heading) => {
                let text = self.file.text(unit);
                let start = text.len().saturating_sub(MOST_TITLE);
                &text[text.ceil_char_boundary(start)..]
            }
            _ => "",
        }
    }

    /// The units around this one, `far` of them on each side.
    pub(crate) fn around(&self, far: usize) -> impl Iterator<Item = &'a str> {
        let (from, until) = (self.index.1.saturating_sub(far), self.index.1 + far + 1);
        let file = self.file;
        let units = file.units.iter().take(until).skip(from);
        units.map(move |unit| file.text(unit))
    }

    /// The place in the file's plain text of a place in this unit.
    pub(crate) fn at(&self, range: &Range<usize>) -> Range<usize> {
        let base = self.unit.range.start;
        base + range.start..base + range.end
    }

    /// Whether a place in this unit is inside a string of a program.
    pub(crate) fn is_quoted(&self, range: &Range<usize>) -> bool {
        matches!(
            self.unit.language,
            Language::Python | Language::JavaScript | Language::Script
        ) && self.file.is_in_string(self.at(range).start)
    }
}
