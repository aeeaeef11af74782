//! Names in addresses, and sizes, as pages write them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What needs no escape; `@` and `/` stand in names and paths.
const UNESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@')
    .remove(b'/');

/// A name or path as a part of an address.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNESCAPED).to_string()
}

/// So many bytes, in a few characters.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_means_something_in_an_address_is_escaped() {
        assert_eq!(encoded("@acme/pdf-tools"), "@acme/pdf-tools");
        assert_eq!(encoded("a b?c#d\"<é"), "a%20b%3Fc%23d%22%3C%C3%A9");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_999), "1.9 kB");
        assert_eq!(size(2_500_000), "2.5 MB");
    }
}
