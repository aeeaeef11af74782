//! What a search filters and sorts by, in columns: a few bytes for each skill.
//!
//! Texts that many skills share, such as licenses and tags, are stored once and referred to by number.
//! All else about a skill stays in the database.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::SearchQuery;
use crate::facets::{Count, Facets};
use crate::store::listing::Listed;

/// No text.
const NONE: TextId = TextId::MAX;

const OFFERED: u8 = 1;
const SCRIPTS: u8 = 2;
const SIGNED: u8 = 4;

/// The columns, a place in each for every skill.
#[derive(Debug, Default)]
pub(super) struct Columns {
    flags: Vec<u8>,
    downloads: Vec<u64>,
    sequences: Vec<i64>,
    namespaces: Vec<TextId>,
    owners: Vec<TextId>,
    /// Where the owners of each skill end; they begin where those of the one before end.
    owner_ends: Vec<u32>,
    licenses: Vec<TextId>,
    verdicts: Vec<TextId>,
    tags: Vec<TextId>,
    /// Where the tags of each skill end; they begin where those of the one before end.
    tag_ends: Vec<u32>,
    /// Which skill is needed by which, sorted.
    needs: Vec<(TextId, u32)>,
    owner_texts: Texts,
    license_texts: Texts,
    verdict_texts: Texts,
    tag_texts: Texts,
    needed_texts: Texts,
}

/// Fills columns, skill by skill.
#[derive(Debug, Default)]
pub(super) struct Builder {
    columns: Columns,
    owners: Interner,
    licenses: Interner,
    verdicts: Interner,
    tags: Interner,
    needed: Interner,
}

impl Builder {
    /// Adds the next skill.
    pub(super) fn push(&mut self, skill: &Listed) {
        let columns = &mut self.columns;
        let place = u32::try_from(columns.flags.len()).unwrap_or(u32::MAX);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        columns.flags.push(
            flag(skill.is_offered, OFFERED)
                | flag(skill.facts.has_scripts(), SCRIPTS)
                | flag(skill.is_signed, SIGNED),
        );
        columns.downloads.push(skill.downloads);
        columns.sequences.push(skill.sequence);
        for owner in &skill.owners {
            columns.owners.push(self.owners.number(owner));
        }
        columns.owner_ends.push(end(&columns.owners));
        let namespace = skill.namespace();
        let namespace = namespace.map_or(NONE, |text| self.owners.number(text));
        columns.namespaces.push(namespace);
        let license = skill.facts.license.as_deref();
        let license = license.map_or(NONE, |text| self.licenses.number(text));
        columns.licenses.push(license);
        columns.verdicts.push(self.verdicts.number(&skill.verdict));
        for tag in &skill.facts.tags {
            columns.tags.push(self.tags.number(&tag.to_lowercase()));
        }
        columns.tag_ends.push(end(&columns.tags));
        if skill.is_offered {
            for reference in &skill.facts.skills {
                let needed = self.needed.number(needed(reference));
                columns.needs.push((needed, place));
            }
        }
    }

    /// The columns, as small as they can be.
    pub(super) fn finish(self) -> Columns {
        let mut columns = self.columns;
        columns.owner_texts = self.owners.finish();
        columns.license_texts = self.licenses.finish();
        columns.verdict_texts = self.verdicts.finish();
        columns.tag_texts = self.tags.finish();
        columns.needed_texts = self.needed.finish();
        columns.needs.sort_unstable();
        columns.needs.dedup();
        columns.flags.shrink_to_fit();
        columns.downloads.shrink_to_fit();
        columns.sequences.shrink_to_fit();
        for column in [
            &mut columns.namespaces,
            &mut columns.owners,
            &mut columns.owner_ends,
            &mut columns.licenses,
            &mut columns.verdicts,
            &mut columns.tags,
            &mut columns.tag_ends,
        ] {
            column.shrink_to_fit();
        }
        columns.needs.shrink_to_fit();
        columns
    }
}

/// The name in a reference to a skill, which may go on with a range: `pdf@^1`, `@acme/pdf@2`.
fn needed(reference: &str) -> &str {
    let end = reference
        .char_indices()
        .skip(1)
        .find_map(|(place, letter)| (letter == '@').then_some(place));
    &reference[..end.unwrap_or(reference.len())]
}

impl Columns {
    /// How many skills there are.
    pub(super) fn len(&self) -> usize {
        self.flags.len()
    }

    /// How many of them anybody new may find.
    pub(super) fn offered(&self) -> usize {
        let offered = self.flags.iter().filter(|flags| **flags & OFFERED != 0);
        offered.count()
    }

    /// How often a skill was fetched.
    pub(super) fn downloads(&self, place: u32) -> u64 {
        self.downloads[place as usize]
    }

    /// What sorts the most fetched first.
    pub(super) fn by_downloads(&self, place: u32) -> Reverse<u64> {
        Reverse(self.downloads(place))
    }

    /// What sorts the last published first.
    pub(super) fn by_time(&self, place: u32) -> Reverse<i64> {
        Reverse(self.sequences[place as usize])
    }

    /// The skills whose latest version needs one.
    pub(super) fn dependents(&self, name: &str) -> Vec<u32> {
        let alike = self.needed_texts.alike(name).into_iter();
        let exact = alike.filter(|number| self.needed_texts.get(*number) == name);
        exact
            .flat_map(|number| {
                let start = self.needs.partition_point(|(each, _)| *each < number);
                let of_it = self.needs[start..].iter();
                of_it.take_while(move |(each, _)| *each == number)
            })
            .map(|(_, place)| *place)
            .collect()
    }

    /// What a question lets through, in numbers, so that asking it of a skill takes no time.
    pub(super) fn filter(&self, question: &SearchQuery) -> Filter<'_> {
        let wanted = |texts: &Texts, text: &Option<String>| text.as_ref().map(|t| texts.alike(t));
        let tag = question.tag.as_ref().map(|tag| tag.to_lowercase());
        let mut flags = (OFFERED, OFFERED);
        for (wanted, flag) in [(question.scripts, SCRIPTS), (question.signed, SIGNED)] {
            if let Some(wanted) = wanted {
                flags.0 |= flag;
                flags.1 |= if wanted { flag } else { 0 };
            }
        }
        Filter {
            columns: self,
            flags,
            owners: wanted(&self.owner_texts, &question.owner),
            licenses: wanted(&self.license_texts, &question.license),
            verdicts: wanted(&self.verdict_texts, &question.verdict),
            tags: wanted(&self.tag_texts, &tag),
        }
    }

    /// How many of these skills have what.
    pub(super) fn facets(&self, places: &[u32]) -> Facets {
        let of = |column: &[TextId], texts: &Texts| {
            let numbers = places.iter().map(|place| column[*place as usize]);
            Count::commonest(texts.counted(numbers))
        };
        let flagged = |flag: u8| {
            let places = places.iter();
            places
                .filter(|place| self.flags[**place as usize] & flag != 0)
                .count()
        };
        // A namespace stands for its owners.
        let owners = places.iter().flat_map(|place| {
            let namespace = std::slice::from_ref(&self.namespaces[*place as usize]);
            if namespace == [NONE] {
                self.owners_of(*place)
            } else {
                namespace
            }
        });
        let tags = places.iter().flat_map(|place| self.tags_of(*place));
        Facets {
            owners: Count::commonest(self.owner_texts.counted(owners.copied())),
            licenses: of(&self.licenses, &self.license_texts),
            tags: Count::commonest(self.tag_texts.counted(tags.copied())),
            verdicts: of(&self.verdicts, &self.verdict_texts),
            with_scripts: flagged(SCRIPTS),
            signed: flagged(SIGNED),
        }
    }

    fn tags_of(&self, place: u32) -> &[TextId] {
        of(&self.tags, &self.tag_ends, place)
    }

    fn owners_of(&self, place: u32) -> &[TextId] {
        of(&self.owners, &self.owner_ends, place)
    }
}

/// Where a column of several a skill ends.
fn end(column: &[TextId]) -> u32 {
    u32::try_from(column.len()).unwrap_or(u32::MAX)
}

/// The part of such a column that is about one skill.
fn of<'a>(column: &'a [TextId], ends: &[u32], place: u32) -> &'a [TextId] {
    let place = place as usize;
    let end = |place: usize| ends[place] as usize;
    let start = place.checked_sub(1).map_or(0, end);
    column.get(start..end(place)).unwrap_or_default()
}

/// What a question lets through.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    columns: &'a Columns,
    /// Which flags count, and what they have to be.
    flags: (u8, u8),
    owners: Option<Vec<TextId>>,
    licenses: Option<Vec<TextId>>,
    verdicts: Option<Vec<TextId>>,
    tags: Option<Vec<TextId>>,
}

impl Filter<'_> {
    /// Whether a skill fits.
    pub(super) fn fits(&self, place: u32) -> bool {
        let (columns, at) = (self.columns, place as usize);
        let Some(flags) = columns.flags.get(at) else {
            return false;
        };
        let has = |wanted: &Option<Vec<TextId>>, found: &[TextId]| {
            let is_wanted = |numbers: &Vec<TextId>| found.iter().any(|each| numbers.contains(each));
            wanted.as_ref().is_none_or(is_wanted)
        };
        flags & self.flags.0 == self.flags.1
            && (has(&self.owners, &[columns.namespaces[at]])
                || has(&self.owners, columns.owners_of(place)))
            && has(&self.licenses, &[columns.licenses[at]])
            && has(&self.verdicts, &[columns.verdicts[at]])
            && has(&self.tags, columns.tags_of(place))
    }
}

/// A text's number.
pub(super) type TextId = u32;

/// Gives texts their numbers.
#[derive(Debug, Default)]
pub(super) struct Interner {
    numbers: HashMap<Box<str>, TextId>,
}

impl Interner {
    /// The number of a text, a new one if it is new.
    pub(super) fn number(&mut self, text: &str) -> TextId {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = TextId::try_from(self.numbers.len()).unwrap_or(TextId::MAX);
        self.numbers.insert(text.into(), number);
        number
    }

    /// The texts by their numbers, when there will be no more.
    pub(super) fn finish(self) -> Texts {
        let mut texts: Vec<(TextId, Box<str>)> = self
            .numbers
            .into_iter()
            .map(|(text, number)| (number, text))
            .collect();
        texts.sort_unstable_by_key(|(number, _)| *number);
        Texts(texts.into_iter().map(|(_, text)| text).collect())
    }
}

/// Texts by their numbers.
#[derive(Debug, Default)]
pub(super) struct Texts(Box<[Box<str>]>);

impl Texts {
    /// The text of a number.
    pub(super) fn get(&self, number: TextId) -> &str {
        self.0.get(number as usize).map_or("", |text| text)
    }

    /// The numbers of the texts that are this one, whatever the case of their letters.
    pub(super) fn alike(&self, wanted: &str) -> Vec<TextId> {
        let texts = (0..).zip(&self.0);
        texts
            .filter(|(_, text)| text.eq_ignore_ascii_case(wanted))
            .map(|(number, _)| number)
            .collect()
    }

    /// How many times each text was met, by text.
    pub(super) fn counted(
        &self,
        numbers: impl Iterator<Item = TextId>,
    ) -> impl Iterator<Item = (&str, usize)> {
        let mut counts = vec![0; self.0.len()];
        for number in numbers {
            if let Some(count) = counts.get_mut(number as usize) {
                *count += 1;
            }
        }
        let counted = self.0.iter().map(|text| &**text).zip(counts);
        counted.filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_a_skill_before_its_range() {
        let check = |reference: &str, name: &str| assert_eq!(needed(reference), name);
        check("pdf", "pdf");
        check("pdf@^1", "pdf");
        check("@acme/pdf", "@acme/pdf");
        check("@acme/pdf@>=1, <3", "@acme/pdf");
        check("", "");
        check("@", "@");
    }

    #[test]
    fn texts_keep_their_numbers_and_are_found_whatever_their_case() {
        let mut interner = Interner::default();
        let numbers: Vec<TextId> = ["MIT", "Apache-2.0", "mit", "MIT"]
            .iter()
            .map(|text| interner.number(text))
            .collect();
        assert_eq!(numbers, [0, 1, 2, 0]);
        let texts = interner.finish();
        assert_eq!(
            (texts.get(1), texts.get(2), texts.get(9)),
            ("Apache-2.0", "mit", "")
        );
        assert_eq!(texts.alike("Mit"), [0, 2]);
        let counted: Vec<_> = texts.counted(numbers.into_iter()).collect();
        assert_eq!(counted, [("MIT", 2), ("Apache-2.0", 1), ("mit", 1)]);
    }
}
