//! The names in one folder, one after the other in one text.
//!
//! A folder can hold ten thousand, and asking for memory for each took longer than listing them.

use std::ops::Range;

use rustix::fs::FileType;

/// Names and what is called so, in byte order once they are sorted.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    places: Vec<(Range<usize>, FileType)>,
}

impl Names {
    pub(super) fn push(&mut self, name: &str, kind: FileType) {
        let start = self.text.len();
        self.text.push_str(name);
        self.places.push((start..self.text.len(), kind));
    }

    pub(super) fn sort(&mut self) {
        let bytes = self.text.as_bytes();
        let name = |place: &Range<usize>| &bytes[place.clone()];
        self.places
            .sort_unstable_by(|a, b| name(&a.0).cmp(name(&b.0)));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, FileType)> {
        let named = |(place, kind): &(Range<usize>, FileType)| (&self.text[place.clone()], *kind);
        self.places.iter().map(named)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_kinds_in_byte_order() {
        let mut names = Names::default();
        for (name, kind) in [
            ("é", FileType::Symlink),
            ("b", FileType::Directory),
            ("B", FileType::RegularFile),
            ("ba", FileType::Fifo),
        ] {
            names.push(name, kind);
        }
        names.sort();
        let sorted: Vec<_> = names.iter().collect();
        let expected = [
            ("B", FileType::RegularFile),
            ("b", FileType::Directory),
            ("ba", FileType::Fifo),
            ("é", FileType::Symlink),
        ];
        assert_eq!(sorted, expected);
        assert_eq!(names.len(), expected.len());
    }
}
