//! How far apart two spellings are.

/// Words of this many characters or more are never near another.
const ROOM: usize = 48;

/// The edits that are forgiven in a word: none in short words, where every word is near another.
pub(super) fn forgiven(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Which letters a word holds, one bit each; words within `n` edits differ in at most `2n` bits.
pub(super) fn letters(word: &str) -> u32 {
    word.chars()
        .fold(0, |bits, character| bits | 1 << (u32::from(character) % 31))
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words, if at most `limit`.
pub(super) fn distance(left: &[char], right: &str, limit: usize) -> Option<usize> {
    let mut storage = ['\0'; ROOM];
    let mut length = 0;
    for character in right.chars() {
        *storage.get_mut(length)? = character;
        length += 1;
    }
    let right = &storage[..length];
    if left.len().abs_diff(length) > limit {
        return None;
    }
    let mut before_last = [0_usize; ROOM + 1];
    let mut last: [usize; ROOM + 1] = std::array::from_fn(|column| column);
    for row in 1..=left.len() {
        let mut current = [0_usize; ROOM + 1];
        current[0] = row;
        let mut best = row;
        for column in 1..=length {
            let same = left[row - 1] == right[column - 1];
            let mut edits = (last[column - 1] + usize::from(!same))
                .min(last[column] + 1)
                .min(current[column - 1] + 1);
            if row > 1
                && column > 1
                && left[row - 1] == right[column - 2]
                && left[row - 2] == right[column - 1]
            {
                edits = edits.min(before_last[column - 2] + 1);
            }
            current[column] = edits;
            best = best.min(edits);
        }
        if best > limit {
            return None;
        }
        before_last = last;
        last = current;
    }
    (last[length] <= limit).then_some(last[length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apart(left: &str, right: &str) -> Option<usize> {
        distance(&left.chars().collect::<Vec<_>>(), right, 2)
    }

    #[test]
    fn counts_edits() {
        assert_eq!(apart("weather", "weather"), Some(0));
        assert_eq!(apart("wether", "weather"), Some(1));
        assert_eq!(apart("waether", "weather"), Some(1));
        assert_eq!(apart("kubernets", "kubernetes"), Some(1));
        assert_eq!(apart("calender", "calendar"), Some(1));
        assert_eq!(apart("pdf", "xlsx"), None);
        assert_eq!(apart(&"x".repeat(60), &"x".repeat(60)), None);
    }

    proptest! {
        #[test]
        fn is_symmetric_and_the_letter_filter_never_lies(left in "[a-eé]{0,8}", right in "[a-eé]{0,8}") {
            prop_assert_eq!(apart(&left, &right), apart(&right, &left));
            if let Some(edits) = apart(&left, &right) {
                prop_assert!((letters(&left) ^ letters(&right)).count_ones() as usize <= 2 * edits);
            }
        }
    }
}
