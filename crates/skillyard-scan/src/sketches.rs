//! The sketches of a skill's units, kept from the one pass over its text.

use super::grams::Grams;
use super::text::Text;

/// Most sketches that are kept. Few skills have more units, and a hostile one must not fill the
/// memory with them.
const MOST: usize = 512;

/// The sketches of the first units of a skill.
#[derive(Debug)]
pub(crate) struct Sketches {
    kept: Vec<Grams>,
    /// Where those of each file start.
    files: Vec<usize>,
}

impl Sketches {
    /// None yet, with room for those of so many units.
    pub(crate) fn of(units: usize) -> Self {
        Self {
            kept: Vec::with_capacity(units.min(MOST)),
            files: Vec::new(),
        }
    }

    /// From here on they are of the next file.
    pub(crate) fn next_file(&mut self) {
        self.files.push(self.kept.len());
    }

    /// Keeps the sketch of the next unit, while there is room.
    pub(crate) fn keep(&mut self, sketch: &Grams) {
        if self.kept.len() < MOST {
            self.kept.push(sketch.clone());
        }
    }

    /// The text of a unit of a file, with its sketch if it was kept.
    pub(crate) fn with<'a>(&'a self, text: &'a str, file: usize, unit: usize) -> Text<'a> {
        match self.get(file, unit) {
            Some(sketch) => Text::sketched(text, sketch),
            None => text.into(),
        }
    }

    fn get(&self, file: usize, unit: usize) -> Option<&Grams> {
        let start = *self.files.get(file)?;
        let end = self
            .files
            .get(file + 1)
            .unwrap_or(&self.kept.len())
            .to_owned();
        self.kept[start..end].get(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_its_own_as_long_as_there_is_room() {
        let mut sketches = Sketches::of(MOST + 3);
        for file in [1, 2, MOST] {
            sketches.next_file();
            for unit in 0..file {
                let mut sketch = Grams::empty();
                sketch.add(file + unit);
                sketches.keep(&sketch);
            }
        }
        let has = |file, unit, place| sketches.get(file, unit).map(|found| found.has(place));
        assert_eq!((has(0, 0, 1), has(0, 1, 1)), (Some(true), None));
        assert_eq!((has(1, 0, 2), has(1, 1, 3)), (Some(true), Some(true)));
        assert_eq!(has(2, MOST - 4, 2 * MOST - 4), Some(true));
        assert_eq!((has(2, MOST - 3, 0), has(3, 0, 0)), (None, None));
    }
}
