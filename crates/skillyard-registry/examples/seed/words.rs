//! Made-up words that come as often as words of a language do: a few all the time, most rarely.

/// How many words there are.
const WORDS: usize = 20_000;
/// The parts that words are made of.
const PARTS: [&str; 24] = [
    "ba", "be", "bo", "da", "de", "di", "ka", "ke", "ko", "la", "li", "lo", "ma", "me", "mo", "na",
    "ne", "ra", "ri", "ro", "sa", "se", "ta", "to",
];

/// The words, and how often each comes.
pub(crate) struct Words {
    words: Vec<String>,
    /// For each word the share of all text that it and those before it have.
    shares: Vec<f64>,
}

impl Words {
    /// Always the same words.
    pub(crate) fn new() -> Self {
        let words = (0..WORDS).map(spelled).collect();
        let mut shares = Vec::with_capacity(WORDS);
        let mut sum = 0.0;
        for rank in 0..WORDS {
            #[expect(clippy::cast_precision_loss, reason = "the ranks are small")]
            let rank = rank as f64;
            sum += 1.0 / (rank + 10.0);
            shares.push(sum);
        }
        for share in &mut shares {
            *share /= sum;
        }
        Self { words, shares }
    }

    /// A row of words that `seed` decides.
    pub(crate) fn chance(&self, seed: u64) -> Chance<'_> {
        Chance {
            words: self,
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1),
        }
    }
}

/// A number written with parts, so that no two words are alike.
fn spelled(number: usize) -> String {
    let mut word = String::new();
    let mut rest = number + PARTS.len();
    while rest > 0 {
        word.push_str(PARTS[rest % PARTS.len()]);
        rest /= PARTS.len();
    }
    word
}

/// Draws words.
pub(crate) struct Chance<'a> {
    words: &'a Words,
    state: u64,
}

impl<'a> Chance<'a> {
    /// One word.
    pub(crate) fn word(&mut self) -> &'a str {
        // The generator of Steele, Lea and Flood: one multiplication apart from a counter.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        #[expect(clippy::cast_precision_loss, reason = "half of the bits are enough")]
        let share = (mixed >> 32) as f64 / f64::from(u32::MAX);
        let place = self.words.shares.partition_point(|each| *each < share);
        &self.words.words[place.min(WORDS - 1)]
    }

    /// So many words.
    pub(crate) fn sentence(&mut self, length: usize) -> String {
        let mut text = self.word().to_owned();
        for _ in 1..length {
            text.push(' ');
            text.push_str(self.word());
        }
        text
    }
}
