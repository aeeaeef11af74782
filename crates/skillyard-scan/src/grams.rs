//! Which three bytes stand side by side in a text: a sketch that rules words out at a glance.
//!
//! One pass over a text makes the sketch; after that a word that is not in the text is ruled out
//! by a bit or two, however many words and patterns are asked about. A word that is not ruled out
//! may still be missing, so whoever asks looks at the text itself then.

/// Bits of a sketch, as a power of two: enough that a long paragraph leaves most of them unset.
const BITS: u32 = 13;
const CELLS: usize = 1 << (BITS - 6);
/// How many places there are.
pub(crate) const PLACES: usize = 1 << BITS;
/// How many trigrams are looked at before those that were looked for are told.
const STRETCH: usize = 1 << u8::BITS;

/// The bits of a number that are its first three bytes.
const THREE: u32 = 0x00ff_ffff;
/// What spreads numbers evenly.
const SPREAD: u32 = 0x9e37_79b1;
/// What words start with: for the place of their first three bytes, a bit for each fourth byte that
/// may follow, shared with others. What happens to be where one of them is is taken for it.
pub(crate) struct Starts(Box<[u32; PLACES]>);

impl Starts {
    /// Of no words.
    pub(crate) fn empty() -> Self {
        let none = vec![0; PLACES];
        Self(none.try_into().expect("it is as long as it was made"))
    }

    /// Adds a word; those of less than three bytes start nothing.
    pub(crate) fn add(&mut self, word: &[u8]) {
        if let [first, second, third, rest @ ..] = word {
            // After a word of three bytes anything may follow.
            let fourths = rest
                .first()
                .map_or(u32::MAX, |byte| 1 << Self::fourth(*byte));
            self.0[place([*first, *second, *third]) % PLACES] |= fourths;
        }
    }

    /// Whether a word may start with four bytes, the first three of which have this place.
    fn has(&self, three: usize, [.., fourth]: [u8; 4]) -> bool {
        self.0[three % PLACES] >> Self::fourth(fourth) & 1 != 0
    }

    /// The bit of a fourth byte, which no two small letters share.
    fn fourth(byte: u8) -> u8 {
        byte % 32
    }
}

/// The places of the trigrams of a text.
#[derive(Debug, Clone)]
pub(crate) struct Grams([u64; CELLS]);

impl Grams {
    /// A sketch of nothing.
    pub(crate) fn empty() -> Self {
        Self([0; CELLS])
    }

    /// The sketch of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut grams = Self::empty();
        grams.read(text);
        grams
    }

    /// Becomes the sketch of another text.
    pub(crate) fn read(&mut self, text: &str) {
        self.0.fill(0);
        for place in places(text.as_bytes()) {
            self.add(place);
        }
    }

    /// The same, and tells where a word that is looked for may start: a few at a time, by how far
    /// they are from a place of the text.
    ///
    /// Which of them are is not decided one by one: what a processor cannot foresee takes it longer
    /// than writing down every place and keeping some.
    pub(crate) fn read_along(
        &mut self,
        text: &str,
        looked_for: &Starts,
        mut tell: impl FnMut(usize, &[u8]),
    ) {
        self.0.fill(0);
        let bytes = text.as_bytes();
        let mut found = [0; STRETCH];
        for start in (0..bytes.len()).step_by(STRETCH) {
            let rest = &bytes[start..];
            // The last four of a stretch end three bytes behind it.
            let stretch = &rest[..rest.len().min(STRETCH + 3)];
            let (mut far, mut count) = (0_u8, 0);
            let mut look_at = |four: [u8; 4]| {
                let place = place_of(u32::from_le_bytes(four) & THREE);
                self.add(place);
                found[count % STRETCH] = far;
                count += usize::from(looked_for.has(place, four));
                far = far.wrapping_add(1);
            };
            // Four bytes are read at once.
            stretch.array_windows().copied().for_each(&mut look_at);
            if let Some([first, second, third]) =
                rest.last_chunk().filter(|_| rest.len() < STRETCH + 3)
            {
                look_at([*first, *second, *third, 0]);
            }
            tell(start, &found[..count]);
        }
    }

    /// Adds a place.
    pub(crate) fn add(&mut self, place: usize) {
        self.0[place / 64 % CELLS] |= 1 << (place % 64);
    }

    /// Whether a trigram of the text has this place.
    pub(crate) fn has(&self, place: usize) -> bool {
        self.0[place / 64 % CELLS] & 1 << (place % 64) != 0
    }
}

/// The place of each trigram of `bytes`, in order.
pub(crate) fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let trigrams = bytes.windows(3);
    trigrams.map(|three| place([three[0], three[1], three[2]]))
}

/// The place of a trigram; others may share it.
pub(crate) fn place([first, second, third]: [u8; 3]) -> usize {
    place_of(u32::from_le_bytes([first, second, third, 0]))
}

fn place_of(three: u32) -> usize {
    (three.wrapping_mul(SPREAD) >> (u32::BITS - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_holds_what_its_text_holds() {
        let mut grams = Grams::of("ignore all rules");
        let has = |grams: &Grams, word: &str| places(word.as_bytes()).all(|place| grams.has(place));
        assert!(has(&grams, "ignore") && has(&grams, "l rul"));
        assert!(!has(&grams, "instructions"));
        grams.read("instructions");
        assert!(has(&grams, "instructions") && !has(&grams, "ignore"));
    }

    #[test]
    fn what_is_looked_for_is_told_wherever_it_stands() {
        let mut looked_for = Starts::empty();
        looked_for.add(b"abc");
        for length in (0..12).chain(250..275).chain(505..530) {
            let mut text = "x".repeat(length);
            for at in (0..length.saturating_sub(2)).filter(|at| at % 5 == length % 5) {
                text.replace_range(at..at + 3, "abc");
            }
            let mut told = Vec::new();
            let mut grams = Grams::empty();
            grams.read_along(&text, &looked_for, |start, found| {
                told.extend(found.iter().map(|far| start + usize::from(*far)));
            });
            let expected: Vec<usize> = text.match_indices("abc").map(|(at, _)| at).collect();
            assert_eq!(told, expected, "{text}");
            assert_eq!(grams.0, Grams::of(&text).0, "{text}");
        }
    }
}
