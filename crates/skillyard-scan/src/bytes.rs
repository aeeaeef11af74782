//! Sets of bytes, looked up rather than compared, because they are asked about every byte.

/// The bit of a byte that a set holds.
const HELD: u8 = 1;
/// The bit of a byte that it holds, and of the blank: what may stand in a run of words.
const RUNS: u8 = 2;

/// A set of bytes: what each byte is to it.
#[derive(Debug)]
pub(crate) struct ByteSet([u8; 256]);

impl ByteSet {
    /// These bytes.
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self([0; 256]).with(bytes, true)
    }

    /// All of ASCII but these.
    pub(crate) const fn ascii_but(bytes: &[u8]) -> Self {
        let mut set = [0; 256];
        let (ascii, _) = set.split_at_mut(128);
        let mut at = 0;
        while at < ascii.len() {
            ascii[at] = HELD | RUNS;
            at += 1;
        }
        Self(set).with(bytes, false)
    }

    /// All bytes but these.
    pub(crate) const fn all_but(bytes: &[u8]) -> Self {
        Self([HELD | RUNS; 256]).with(bytes, false)
    }

    const fn with(mut self, bytes: &[u8], held: bool) -> Self {
        let mut at = 0;
        while at < bytes.len() {
            self.0[bytes[at] as usize] = if held { HELD | RUNS } else { 0 };
            at += 1;
        }
        self.0[b' ' as usize] |= RUNS;
        self
    }

    /// Whether it holds a byte.
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)] & HELD != 0
    }

    /// How many of the first bytes it holds, up to one that it does not.
    pub(crate) fn run(&self, bytes: &[u8]) -> usize {
        let stranger = bytes.iter().position(|byte| !self.has(*byte));
        stranger.unwrap_or(bytes.len())
    }

    /// The same, where single blanks may stand between those that it holds; it does not hold them.
    pub(crate) fn run_with_blanks(&self, bytes: &[u8]) -> usize {
        // Most of them are found eight at once.
        let mut at = 0;
        let mut after_blank = false;
        while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let all = eight
                .iter()
                .fold(RUNS, |all, byte| all & self.0[usize::from(*byte)]);
            let blanks = blanks(*eight);
            let doubled = blanks & (blanks << 8 | u64::from(after_blank) << 7);
            if all == 0 || doubled != 0 {
                break;
            }
            after_blank = eight[7] == b' ';
            at += eight.len();
        }
        // Whether the last blank counts depends on what follows it.
        at -= usize::from(after_blank);
        while let Some(&byte) = bytes.get(at) {
            if self.has(byte) {
                at += 1;
            } else if byte == b' ' && bytes.get(at + 1).is_some_and(|next| self.has(*next)) {
                at += 2;
            } else {
                break;
            }
        }
        at
    }
}

/// The highest bit of each byte that is a blank.
fn blanks(eight: [u8; 8]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let other = u64::from_le_bytes(eight) ^ 0x2020_2020_2020_2020;
    !(((other & LOW) + LOW) | other | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_a_stranger_and_at_two_blanks() {
        let set = ByteSet::ascii_but(b" \n*");
        let one_by_one = |bytes: &[u8]| {
            let counts = |at: &usize| match bytes[*at] {
                b' ' => bytes.get(at + 1).is_some_and(|next| set.has(*next)),
                byte => set.has(byte),
            };
            (0..bytes.len()).take_while(counts).count()
        };
        let plain = "Words of several lengths stand here a b c d e f g h i j k";
        for stop in [" ", "  ", "   ", "*", " *", "é", "\n", ""] {
            for at in 1..plain.len() {
                let text = [&plain[..at], stop, &plain[at..]].concat();
                for text in [text.as_bytes(), &text.as_bytes()[..at]] {
                    assert_eq!(set.run_with_blanks(text), one_by_one(text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_set_holds_what_it_was_given() {
        let set = ByteSet::of(b"ab");
        assert!(set.has(b'a') && set.has(b'b') && !set.has(b'c') && !set.has(0xe9));
        assert_eq!(set.run(b"abac"), 3);
        assert_eq!(set.run(b"ba"), 2);
        let set = ByteSet::ascii_but(b"ab");
        assert!(!set.has(b'a') && set.has(b'c') && set.has(0x7f) && !set.has(0x80));
        let set = ByteSet::all_but(b"ab");
        assert!(!set.has(b'a') && set.has(b'c') && set.has(0xff));
    }
}
