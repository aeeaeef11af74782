//! Texts that many skills share, such as licences and tags: each is held once and named by a number.

use std::collections::HashMap;

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
