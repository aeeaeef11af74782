//! Many short texts in one string, with the place where each ends: names, identifiers and the words of the vocabulary.

/// A list of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    joined: String,
    ends: Vec<u32>,
}

impl Texts {
    /// Adds a text; what would not fit into four gigabytes is cut off.
    pub(super) fn push(&mut self, text: &str) {
        if u32::try_from(self.joined.len() + text.len()).is_ok() {
            self.joined.push_str(text);
        }
        self.ends.push(self.joined.len() as u32);
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text at a place; empty past the end.
    pub(super) fn get(&self, place: usize) -> &str {
        let Some(end) = self.ends.get(place) else {
            return "";
        };
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.joined.get(start as usize..*end as usize).unwrap_or("")
    }

    /// Every text, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The joined text and the ends, to be stored.
    pub(super) fn parts(&self) -> (&str, &[u32]) {
        (&self.joined, &self.ends)
    }

    /// Puts stored parts together again, unless the ends do not cut the text cleanly.
    pub(super) fn from_parts(joined: String, ends: Vec<u32>) -> Option<Self> {
        let clean = ends.is_sorted()
            && ends.last().map_or(0, |end| *end as usize) == joined.len()
            && ends
                .iter()
                .all(|end| joined.is_char_boundary(*end as usize));
        clean.then_some(Self { joined, ends })
    }

    /// How many bytes it holds in memory.
    pub(super) fn memory(&self) -> usize {
        self.joined.len() + self.ends.len() * size_of::<u32>()
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut list = Self::default();
        texts.into_iter().for_each(|text| list.push(text));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_was_put_in() {
        let list: Texts = ["", "pdf", "天気", ""].into_iter().collect();
        assert_eq!(list.iter().collect::<Vec<_>>(), ["", "pdf", "天気", ""]);
        assert_eq!(list.get(9), "");
    }

    #[test]
    fn refuses_ends_that_do_not_fit() {
        assert!(Texts::from_parts("天".into(), vec![1, 3]).is_none());
        assert!(Texts::from_parts("ab".into(), vec![2, 1]).is_none());
        assert!(Texts::from_parts("ab".into(), vec![1]).is_none());
        assert!(Texts::from_parts("ab".into(), vec![1, 2]).is_some());
    }
}
