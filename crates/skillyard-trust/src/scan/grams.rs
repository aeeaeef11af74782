//! Which three bytes stand side by side in a text: a sketch that rules words out at a glance.
//!
//! One pass over a text makes the sketch; after that a word that is not in the text is ruled out
//! by a bit or two, however many words and patterns are asked about. A word that is not ruled out
//! may still be missing, so whoever asks looks at the text itself then.

/// Bits of a sketch, as a power of two: enough that a long paragraph leaves most of them unset.
const BITS: u32 = 13;
const CELLS: usize = 1 << (BITS - 6);

/// The places of the trigrams of a text.
#[derive(Debug)]
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
        let bytes = text.as_bytes();
        // Four bytes are read at once, which is quicker than three.
        for four in bytes.windows(4) {
            self.set(place([four[0], four[1], four[2]]));
        }
        if let Some(last) = bytes.last_chunk::<3>() {
            self.set(place(*last));
        }
    }

    fn set(&mut self, place: usize) {
        self.0[place / 64 % CELLS] |= 1 << (place % 64);
    }

    /// Whether a trigram of the text has this place.
    pub(crate) fn has(&self, place: u16) -> bool {
        let place = usize::from(place);
        self.0[place / 64 % CELLS] & 1 << (place % 64) != 0
    }
}

/// The place of each trigram of `bytes`, in order.
pub(crate) fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes
        .windows(3)
        .map(|three| place([three[0], three[1], three[2]]))
}

/// The place of a trigram; others may share it.
fn place([first, second, third]: [u8; 3]) -> usize {
    let number = u32::from_le_bytes([first, second, third, 0]);
    (number.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_holds_what_its_text_holds() {
        let mut grams = Grams::of("ignore all rules");
        let has = |grams: &Grams, word: &str| {
            places(word.as_bytes()).all(|place| grams.has(u16::try_from(place).unwrap()))
        };
        assert!(has(&grams, "ignore") && has(&grams, "l rul"));
        assert!(!has(&grams, "instructions"));
        grams.read("instructions");
        assert!(has(&grams, "instructions") && !has(&grams, "ignore"));
    }
}
