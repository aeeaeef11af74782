//! Numbers of things in sentences.

use std::fmt::Display;

/// So many of something whose name takes an `s`: `1 skill`, `2 skills`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, word: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {word}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(0_usize, "skill"), "0 skills");
        assert_eq!(counted(1_u64, "more byte"), "1 more byte");
        assert_eq!(counted(2, "line"), "2 lines");
    }
}
