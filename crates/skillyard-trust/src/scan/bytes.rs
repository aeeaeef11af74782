//! Sets of bytes, looked up rather than compared, because they are asked about every byte.

/// A set of bytes.
#[derive(Debug)]
pub(crate) struct ByteSet([bool; 256]);

impl ByteSet {
    /// These bytes.
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self([false; 256]).with(bytes, true)
    }

    /// All of ASCII but these.
    pub(crate) const fn ascii_but(bytes: &[u8]) -> Self {
        let mut set = [false; 256];
        let (ascii, _) = set.split_at_mut(128);
        let mut at = 0;
        while at < ascii.len() {
            ascii[at] = true;
            at += 1;
        }
        Self(set).with(bytes, false)
    }

    /// All bytes but these.
    pub(crate) const fn all_but(bytes: &[u8]) -> Self {
        Self([true; 256]).with(bytes, false)
    }

    const fn with(mut self, bytes: &[u8], held: bool) -> Self {
        let mut at = 0;
        while at < bytes.len() {
            self.0[bytes[at] as usize] = held;
            at += 1;
        }
        self
    }

    /// Whether it holds a byte.
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// How many of the first bytes it holds, up to one that it does not.
    pub(crate) fn run(&self, bytes: &[u8]) -> usize {
        let stranger = bytes.iter().position(|byte| !self.has(*byte));
        stranger.unwrap_or(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
