//! A prepared skill and one unit of it with its context, as rules see them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::facts::{Fact, FactMatch, Flow};
use crate::file::{Language, is_test_path};
use crate::hosts;
use crate::pattern::trigrams::{TrigramCache, Trigrams};
use crate::pattern::{Pattern, ScanText};
use crate::prepare::{PreparedFile, Unit, UnitKind};

static ABOUT_SECURITY: Pattern = Pattern::new(
    r"\b(?:security|vulnerabilit(?:y|ies)|pentest\w*|penetration|exploit\w*|malware|malicious|intrusions?|reverse\s+shells?|threat|yara|semgrep|codeql|
    audit(?:s|ing|or)?\s+(?:of\s+)?(?:skills?|code|contracts?|mcp|agents?|plugins?)|injection|ctf|forensic\w*|red[\s-]team\w*|prompt\s+injection|safety|fuzz\w*|owasp|cve)\b",
);
static CLAIMS_OFFLINE: Pattern = Pattern::new(
    r"\b(?:no|without(?:\s+any)?|never\s+makes?|zero)\s+(?:external\s+)?(?:network|internet|api)\s*(?:access|calls?|connections?|requests?)|\bno\s+data\s+leaves|\b(?:fully|entirely|completely|100%)\s+(?:local|offline)|\boffline[\s-]only|\blocal[\s-]only|nothing\s+(?:is\s+sent|leaves)|never\s+(?:goes|connects|is)\s+online|(?:does|do)\s+not\s+(?:use|need)\s+the\s+(?:network|internet)|runs?\s+(?:entirely|completely|fully)\s+(?:locally|offline)",
);

/// A skill that was prepared.
#[derive(Debug)]
pub(crate) struct PreparedSkill<'a> {
    pub(crate) files: Vec<PreparedFile<'a>>,
    pub(crate) facts: Vec<FactMatch>,
    /// What reaches the network or an interpreter.
    pub(crate) flows: Vec<Flow>,
    /// Whether it says that it is about finding attacks.
    pub(crate) about_security: bool,
    /// Where it says that it stays on this machine: the file and the unit.
    pub(crate) claims_offline: Option<(usize, usize)>,
    /// The owners of hosts that its documents speak of.
    pub(crate) declared_hosts: BTreeSet<String>,
    /// How often each file names the hosts of an owner.
    host_mentions: BTreeMap<(usize, String), usize>,
    trigram_cache: TrigramCache,
}

impl<'a> PreparedSkill<'a> {
    /// What the files say about themselves.
    pub(crate) fn new(
        files: Vec<PreparedFile<'a>>,
        facts: Vec<FactMatch>,
        trigram_cache: TrigramCache,
    ) -> Self {
        let mut skill = Self {
            files,
            facts,
            flows: Vec::new(),
            about_security: false,
            claims_offline: None,
            declared_hosts: BTreeSet::new(),
            host_mentions: BTreeMap::new(),
            trigram_cache,
        };
        for (index, file) in skill.files.iter().enumerate() {
            let is_skill_file = file.is_skill_file();
            let has_address = file.folded.text.contains("http");
            if !is_skill_file && !has_address {
                continue;
            }
            for (at, unit) in file.units.iter().enumerate() {
                let text = skill.trigram_cache.with(file.text(unit), index, at);
                if is_skill_file && unit.kind == UnitKind::Frontmatter {
                    skill.about_security |= (text.starts_with("description")
                        || text.starts_with("name"))
                        && ABOUT_SECURITY.is_match(text);
                }
                let is_promise = is_skill_file
                    && matches!(unit.kind, UnitKind::Frontmatter | UnitKind::Prose)
                    && skill.claims_offline.is_none()
                    && CLAIMS_OFFLINE.is_match(text);
                if is_promise {
                    skill.claims_offline = Some((index, at));
                }
                if !has_address || !text.contains("http") {
                    continue;
                }
                for url in hosts::urls(text) {
                    let owner = hosts::owner(hosts::host(url)).to_owned();
                    if matches!(unit.kind, UnitKind::Prose | UnitKind::Frontmatter) {
                        skill.declared_hosts.insert(owner.clone());
                    }
                    *skill.host_mentions.entry((index, owner)).or_default() += 1;
                }
            }
        }
        skill
    }

    /// The plain text of a unit.
    pub(crate) fn text(&self, file: usize, unit: usize) -> ScanText<'_> {
        let prepared = &self.files[file];
        let plain = prepared.text(&prepared.units[unit]);
        self.trigram_cache.with(plain, file, unit)
    }

    /// How often a file names the hosts of an owner.
    pub(crate) fn host_mentions(&self, file: usize, owner: &str) -> usize {
        let key = (file, owner.to_owned());
        self.host_mentions.get(&key).copied().unwrap_or_default()
    }

    /// The unit that a fact was seen in.
    pub(crate) fn context(&self, seen: &FactMatch) -> UnitContext<'_> {
        UnitContext::new(self, seen.file, seen.unit)
    }

    /// The facts of one kind.
    pub(crate) fn fact_matches(&self, fact: Fact) -> impl Iterator<Item = &FactMatch> {
        self.facts.iter().filter(move |seen| seen.fact == fact)
    }

    /// The facts of one kind that happen when code runs, told from quotes and examples.
    pub(crate) fn executed(&self, fact: Fact) -> impl Iterator<Item = &FactMatch> {
        self.fact_matches(fact)
            .filter(|seen| self.context(seen).is_executed())
    }

    /// The facts of one file.
    pub(crate) fn facts_in(&self, file: usize) -> &[FactMatch] {
        let start = self.facts.partition_point(|seen| seen.file < file);
        let length = self.facts[start..].partition_point(|seen| seen.file == file);
        &self.facts[start..start + length]
    }

    /// The facts of each script and each fenced block, in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[FactMatch]> {
        let block = |seen: &FactMatch| (seen.file, self.files[seen.file].units[seen.unit].block);
        self.facts.chunk_by(move |a, b| block(a) == block(b))
    }

    /// The first fact of a kind that happens when this block runs.
    pub(crate) fn first_executed<'s>(
        &self,
        block: &'s [FactMatch],
        fact: Fact,
    ) -> Option<&'s FactMatch> {
        block
            .iter()
            .find(|seen| seen.fact == fact && self.context(seen).is_executed())
    }
}

static WRITES_FILE: Pattern = Pattern::new(
    r#"write_text|writefile(?:sync)?\s*\(|appendfile\w*\s*\(|json\.dump\s*\(|open\s*\([^)]*,\s*['"][aw]|\.write\s*\(|(?:^|\s)>>?\s*\S|\btee\b|\bsed\s+-i|\bmv\s|set-content|add-content|out-file"#,
);

/// Most bytes of a title or of the words before a block; what each unit asks for must be short.
const MAX_TITLE: usize = 300;
/// What starts a program in JavaScript.
static STARTS_PROGRAM: Pattern = Pattern::new(r"\b(?:exec|execfile|spawn|fork)(?:sync)?\s*\(");

/// Most calls of a statement that are looked at.
const MAX_CALLS_PER_UNIT: usize = 20;
/// Most units that are looked back over.
const MAX_UNITS_BACK: usize = 200;

/// A unit and its surroundings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitContext<'a> {
    pub(crate) skill: &'a PreparedSkill<'a>,
    pub(crate) file: &'a PreparedFile<'a>,
    pub(crate) unit: &'a Unit,
    /// Which file and which unit.
    pub(crate) index: (usize, usize),
    /// Its plain text.
    pub(crate) text: ScanText<'a>,
}

impl<'a> UnitContext<'a> {
    pub(crate) fn new(skill: &'a PreparedSkill<'a>, file: usize, unit: usize) -> Self {
        let index = (file, unit);
        let file = &skill.files[file];
        let unit = &file.units[unit];
        let text = skill.text(index.0, index.1);
        Self {
            skill,
            file,
            unit,
            index,
            text,
        }
    }

    /// This context with the trigrams of its text, computed if they are missing.
    pub(crate) fn with_trigrams<'b>(&self, trigrams: &'b mut Trigrams) -> UnitContext<'b>
    where
        'a: 'b,
    {
        if self.text.trigrams().is_some() {
            return *self;
        }
        trigrams.read(&self.text);
        let text = ScanText::with_trigrams(self.text.plain(), trigrams);
        UnitContext { text, ..*self }
    }

    /// Whether it is words for the agent rather than code.
    pub(crate) fn is_prose(&self) -> bool {
        match self.unit.kind {
            // Agents read data as they read anything else.
            UnitKind::Prose
            | UnitKind::Heading
            | UnitKind::Frontmatter
            | UnitKind::Hidden
            | UnitKind::Data => true,
            UnitKind::Code => {
                let is_words = matches!(self.unit.language, Language::Other | Language::Data);
                is_words && self.file.is_document
            }
            UnitKind::Comment | UnitKind::Decoded => false,
        }
    }

    /// Whether it is written as code, in a script or a fenced block, or was encoded.
    pub(crate) fn is_code(&self) -> bool {
        matches!(
            self.unit.kind,
            UnitKind::Code | UnitKind::Decoded | UnitKind::Data
        )
    }

    /// Whether it is a statement that runs when its script or its block does.
    pub(crate) fn is_executed(&self) -> bool {
        match self.unit.kind {
            UnitKind::Code => self.unit.language != Language::Data,
            UnitKind::Decoded => true,
            _ => false,
        }
    }

    /// Whether commands in it reach a shell: it is shell, or it starts programs.
    pub(crate) fn is_shell(&self) -> bool {
        match (self.unit.kind, self.unit.language) {
            (UnitKind::Code, Language::Shell | Language::PowerShell | Language::Other)
            | (UnitKind::Decoded, _) => true,
            (UnitKind::Code, Language::Python | Language::JavaScript | Language::Script) => {
                self.starts_program()
            }
            _ => false,
        }
    }

    /// Whether the statement starts programs.
    pub(crate) fn starts_program(&self) -> bool {
        let starts = |seen: &&FactMatch| matches!(seen.fact, Fact::Starts | Fact::Evaluates);
        let mut seen = self.facts().iter().filter(starts).peekable();
        let is_spoken_of = seen.peek().is_some();
        // The first sign of it may be the name of a module, and the call comes behind.
        let calls = || STARTS_PROGRAM.ranges(self.text).take(MAX_CALLS_PER_UNIT);
        seen.any(|seen| !self.is_quoted(&self.inside(seen)))
            || is_spoken_of && calls().any(|range| !self.is_quoted(&range))
    }

    /// Whether its file is there to be tested with.
    pub(crate) fn is_in_tests(&self) -> bool {
        is_test_path(self.file.path)
    }

    /// Whether a fact was seen in this unit.
    pub(crate) fn has(&self, fact: Fact) -> bool {
        self.facts().iter().any(|seen| seen.fact == fact)
    }

    /// Whether a fact was seen in this unit outside strings that nothing runs.
    pub(crate) fn performs(&self, fact: Fact) -> bool {
        let starts = self.starts_program();
        let mut seen = self.facts().iter().filter(|seen| seen.fact == fact);
        seen.any(|seen| starts || !self.is_quoted(&self.inside(seen)))
    }

    /// Where in this unit a fact was seen.
    fn inside(&self, seen: &FactMatch) -> Range<usize> {
        let base = self.unit.range.start;
        seen.range.start - base..seen.range.end - base
    }

    /// The facts that were seen in this unit.
    fn facts(&self) -> &'a [FactMatch] {
        let facts = &self.skill.facts;
        let place = |seen: &FactMatch| (seen.file, seen.unit);
        let start = facts.partition_point(|seen| place(seen) < self.index);
        let length = facts[start..].partition_point(|seen| place(seen) == self.index);
        &facts[start..start + length]
    }

    /// Whether the statement writes to a file.
    pub(crate) fn writes_file(&self) -> bool {
        WRITES_FILE.is_match(self.text)
    }

    /// Whether it or one of the next statements writes to a file.
    pub(crate) fn writes_file_nearby(&self) -> bool {
        let last = (self.index.1 + 8).min(self.file.units.len());
        let mut after = self.file.units[self.index.1..last].iter();
        after.any(|unit| WRITES_FILE.is_match(self.file.text(unit)))
    }

    /// Whether the skill is called like the host: the makers of a tool explain how to get it.
    pub(crate) fn is_own_host(&self) -> bool {
        let mut owners = hosts::urls(self.text).map(|url| hosts::owner(hosts::host(url)));
        let skill_file = self.skill.files.iter().find(|file| file.is_skill_file());
        let fields = || {
            let units = skill_file.into_iter().flat_map(|file| file.units.iter());
            let fields = units.take_while(|unit| unit.kind == UnitKind::Frontmatter);
            fields.filter_map(|unit| skill_file.map(|file| file.text(unit)))
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
        &text[..text.floor_char_boundary(MAX_TITLE)]
    }

    /// The end of the unit before it, where that is prose.
    pub(crate) fn preceding_prose(&self) -> &'a str {
        let units = &self.file.units[..self.index.1];
        let near = units.iter().rev().take(MAX_UNITS_BACK);
        let before = near.into_iter().find(|unit| unit.block != self.unit.block);
        match before {
            Some(unit) if matches!(unit.kind, UnitKind::Prose | UnitKind::Heading) => {
                let text = self.file.text(unit);
                let start = text.len().saturating_sub(MAX_TITLE);
                &text[text.ceil_char_boundary(start)..]
            }
            _ => "",
        }
    }

    /// The units around this one, `far` of them on each side.
    pub(crate) fn surrounding_texts(&self, far: usize) -> impl Iterator<Item = &'a str> {
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

/// What writes, with the path that it writes to at its end.
static TARGET_AT_END: Pattern = Pattern::new(
    r#"(?:>>?|\btee\s+(?:-a\s+)?)\s*["']?[^\s;|&"'<>()]+|\b(?:cp|mv|ln|install)\s+[^;|&<>()]+|\bof=["']?[^\s;|&"'<>()]+|(?:set-content|add-content|out-file)\s+(?:-\w+\s+)*["']?[^\s;|&"'<>()]+"#,
);

/// Calls that write, with the path among their words.
static TARGET_AMONG: Pattern = Pattern::new(
    r#"\bopen\s*\([^;]*?,\s*(?:mode\s*=\s*)?["'][awx]|\b(?:write|append)file(?:sync)?\s*\([^,;]+(?:,[^,;)]+\)[^,;]*)?,|["'][^"']+["']\s*\)\s*\.write_(?:text|bytes)\s*\(|\b(?:copy(?:file|2)?|move|rename|symlink)(?:sync)?\s*\([^;]+\)"#,
);

/// The first place where the text writes to a path that `fits`.
pub(crate) fn find_write_target(
    text: ScanText<'_>,
    fits: impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    let ends_with = |range: &Range<usize>| {
        let last = words(&text.plain()[range.clone()]).last();
        last.is_some_and(&fits)
    };
    let has = |range: &Range<usize>| words(&text.plain()[range.clone()]).any(&fits);
    let mut at_end = TARGET_AT_END.ranges(text);
    let mut among = TARGET_AMONG.ranges(text);
    at_end.find(ends_with).or_else(|| among.find(has))
}

/// What could be a path.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`(),=<>[]{}+".contains(c));
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(text: &str) -> bool {
        let fits = |path: &str| path.split('/').any(|part| part == ".envrc");
        find_write_target(ScanText::from(text), fits).is_some()
    }

    #[test]
    fn what_is_written_is_told_from_what_is_read() {
        for text in [
            "echo x > .envrc",
            "echo x >> \"$root/.envrc\"",
            "echo x | tee -a ./sub/.envrc",
            "cp template .envrc",
            "mv a.txt ./.envrc",
            "ln -sf /tmp/x .envrc",
            "dd if=/tmp/x of=.envrc",
            "open('.envrc', 'w')",
            "open(os.path.join(root, '.envrc'), mode='a')",
            "fs.writefilesync('.envrc', text)",
            "fs.writefilesync(path.join(root, '.envrc'), text)",
            "path('.envrc').write_text(text)",
            "shutil.copy('x', '.envrc')",
            "set-content -path .envrc x",
        ] {
            assert!(writes(text), "{text}");
        }
        for text in [
            "cat .envrc",
            "cat .envrc > out.txt",
            "cp .envrc backup",
            "open('.envrc')",
            "open('.envrc', 'r')",
            "source .envrc",
            "echo x > .envrc.example",
        ] {
            assert!(!writes(text), "{text}");
        }
    }
}
