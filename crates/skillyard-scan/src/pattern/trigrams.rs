//! Which three bytes stand side by side in a text: a sketch that rules words out at a glance.
//!
//! One pass over a text makes the sketch; after that a word that is not in the text is ruled out
//! by a bit or two, however many words and patterns are asked about. A word that is not ruled out
//! may still be missing, so the caller then checks the text itself.

use crate::pattern::ScanText;

/// Bits of a sketch, as a power of two: enough that a long paragraph leaves most of them unset.
const SKETCH_BITS: u32 = 13;
const SKETCH_WORDS: usize = 1 << (SKETCH_BITS - 6);
/// How many places there are.
pub(crate) const TRIGRAM_SLOTS: usize = 1 << SKETCH_BITS;
/// Number of trigrams between two reports.
const CHUNK: usize = 1 << u8::BITS;

/// The bits of a number that are its first three bytes.
const TRIGRAM_MASK: u32 = 0x00ff_ffff;
/// What spreads numbers evenly.
const HASH_MULTIPLIER: u32 = 0x9e37_79b1;
/// What words start with: for the place of their first three bytes, a bit for each fourth byte that
/// may follow, shared with others. What happens to be where one of them is is taken for it.
pub(crate) struct KeywordPrefixes(Box<[u32; TRIGRAM_SLOTS]>);

impl KeywordPrefixes {
    /// Of no words.
    pub(crate) fn empty() -> Self {
        let none = vec![0; TRIGRAM_SLOTS];
        Self(none.try_into().expect("it is as long as it was made"))
    }

    /// Adds a word; those of less than three bytes start nothing.
    pub(crate) fn add(&mut self, word: &[u8]) {
        if let [first, second, third, rest @ ..] = word {
            // After a word of three bytes anything may follow.
            let fourths = rest
                .first()
                .map_or(u32::MAX, |byte| 1 << Self::fourth(*byte));
            self.0[slot([*first, *second, *third]) % TRIGRAM_SLOTS] |= fourths;
        }
    }

    /// Whether a word may start with four bytes, the first three of which have this place.
    fn has(&self, three: usize, [.., fourth]: [u8; 4]) -> bool {
        self.0[three % TRIGRAM_SLOTS] >> Self::fourth(fourth) & 1 != 0
    }

    /// The bit of a fourth byte, which no two small letters share.
    fn fourth(byte: u8) -> u8 {
        byte % 32
    }
}

/// The places of the trigrams of a text.
#[derive(Debug, Clone)]
pub(crate) struct Trigrams([u64; SKETCH_WORDS]);

impl Trigrams {
    /// A sketch of nothing.
    pub(crate) fn empty() -> Self {
        Self([0; SKETCH_WORDS])
    }

    /// The sketch of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut trigrams = Self::empty();
        trigrams.read(text);
        trigrams
    }

    /// Becomes the sketch of another text.
    pub(crate) fn read(&mut self, text: &str) {
        self.0.fill(0);
        for slot in slots(text.as_bytes()) {
            self.add(slot);
        }
    }

    /// Reads a text and reports where a keyword may start: a few at a time, by how far
    /// they are from a place of the text.
    ///
    /// Which of them are is not decided one by one: what a processor cannot foresee takes it longer
    /// than writing down every place and keeping some.
    pub(crate) fn read_with_prefixes(
        &mut self,
        text: &str,
        prefixes: &KeywordPrefixes,
        mut report: impl FnMut(usize, &[u8]),
    ) {
        self.0.fill(0);
        let bytes = text.as_bytes();
        let mut found = [0; CHUNK];
        for start in (0..bytes.len()).step_by(CHUNK) {
            let rest = &bytes[start..];
            // The last four of a stretch end three bytes behind it.
            let stretch = &rest[..rest.len().min(CHUNK + 3)];
            let (mut offset, mut count) = (0_u8, 0);
            let mut look_at = |four: [u8; 4]| {
                let slot = slot_of(u32::from_le_bytes(four) & TRIGRAM_MASK);
                self.add(slot);
                found[count % CHUNK] = offset;
                count += usize::from(prefixes.has(slot, four));
                offset = offset.wrapping_add(1);
            };
            // Four bytes are read at once.
            stretch.array_windows().copied().for_each(&mut look_at);
            if let Some([first, second, third]) =
                rest.last_chunk().filter(|_| rest.len() < CHUNK + 3)
            {
                look_at([*first, *second, *third, 0]);
            }
            report(start, &found[..count]);
        }
    }

    /// Adds a place.
    pub(crate) fn add(&mut self, slot: usize) {
        self.0[slot / 64 % SKETCH_WORDS] |= 1 << (slot % 64);
    }

    /// Whether a trigram of the text has this place.
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.0[slot / 64 % SKETCH_WORDS] & 1 << (slot % 64) != 0
    }
}

/// The place of each trigram of `bytes`, in order.
pub(crate) fn slots(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let trigrams = bytes.windows(3);
    trigrams.map(|three| slot([three[0], three[1], three[2]]))
}

/// The place of a trigram; others may share it.
pub(crate) fn slot([first, second, third]: [u8; 3]) -> usize {
    slot_of(u32::from_le_bytes([first, second, third, 0]))
}

fn slot_of(three: u32) -> usize {
    (three.wrapping_mul(HASH_MULTIPLIER) >> (u32::BITS - SKETCH_BITS)) as usize
}

/// Most sketches that are kept. Few skills have more units, and a hostile one must not fill the
/// memory with them.
const MAX_SKETCHES: usize = 512;

/// The sketches of the first units of a skill.
#[derive(Debug)]
pub(crate) struct TrigramCache {
    kept: Vec<Trigrams>,
    /// Where those of each file start.
    files: Vec<usize>,
}

impl TrigramCache {
    /// None yet, with room for those of so many units.
    pub(crate) fn of(units: usize) -> Self {
        Self {
            kept: Vec::with_capacity(units.min(MAX_SKETCHES)),
            files: Vec::new(),
        }
    }

    /// From here on they are of the next file.
    pub(crate) fn next_file(&mut self) {
        self.files.push(self.kept.len());
    }

    /// Keeps the sketch of the next unit, while there is room.
    pub(crate) fn push(&mut self, sketch: &Trigrams) {
        if self.kept.len() < MAX_SKETCHES {
            self.kept.push(sketch.clone());
        }
    }

    /// The text of a unit of a file, with its sketch if it was kept.
    pub(crate) fn with<'a>(&'a self, text: &'a str, file: usize, unit: usize) -> ScanText<'a> {
        match self.get(file, unit) {
            Some(sketch) => ScanText::with_trigrams(text, sketch),
            None => text.into(),
        }
    }

    fn get(&self, file: usize, unit: usize) -> Option<&Trigrams> {
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
    fn a_sketch_holds_what_its_text_holds() {
        let mut trigrams = Trigrams::of("ignore all rules");
        let has =
            |trigrams: &Trigrams, word: &str| slots(word.as_bytes()).all(|slot| trigrams.has(slot));
        assert!(has(&trigrams, "ignore") && has(&trigrams, "l rul"));
        assert!(!has(&trigrams, "instructions"));
        trigrams.read("instructions");
        assert!(has(&trigrams, "instructions") && !has(&trigrams, "ignore"));
    }

    #[test]
    fn what_is_looked_for_is_told_wherever_it_stands() {
        let mut prefixes = KeywordPrefixes::empty();
        prefixes.add(b"abc");
        for length in (0..12).chain(250..275).chain(505..530) {
            let mut text = "x".repeat(length);
            for at in (0..length.saturating_sub(2)).filter(|at| at % 5 == length % 5) {
                text.replace_range(at..at + 3, "abc");
            }
            let mut told = Vec::new();
            let mut trigrams = Trigrams::empty();
            trigrams.read_with_prefixes(&text, &prefixes, |start, found| {
                told.extend(found.iter().map(|offset| start + usize::from(*offset)));
            });
            let expected: Vec<usize> = text.match_indices("abc").map(|(at, _)| at).collect();
            assert_eq!(told, expected, "{text}");
            assert_eq!(trigrams.0, Trigrams::of(&text).0, "{text}");
        }
    }

    #[test]
    fn each_unit_has_its_own_as_long_as_there_is_room() {
        let mut trigram_cache = TrigramCache::of(MAX_SKETCHES + 3);
        for file in [1, 2, MAX_SKETCHES] {
            trigram_cache.next_file();
            for unit in 0..file {
                let mut sketch = Trigrams::empty();
                sketch.add(file + unit);
                trigram_cache.push(&sketch);
            }
        }
        let has = |file, unit, place| trigram_cache.get(file, unit).map(|found| found.has(place));
        assert_eq!((has(0, 0, 1), has(0, 1, 1)), (Some(true), None));
        assert_eq!((has(1, 0, 2), has(1, 1, 3)), (Some(true), Some(true)));
        assert_eq!(has(2, MAX_SKETCHES - 4, 2 * MAX_SKETCHES - 4), Some(true));
        assert_eq!((has(2, MAX_SKETCHES - 3, 0), has(3, 0, 0)), (None, None));
    }
}
