//! Text as a part of an address.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What needs no escape; `@` and `/` stand in names and paths.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@')
    .remove(b'/');

/// A name or path as a part of an address.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_means_something_in_an_address_is_escaped() {
        assert_eq!(encoded("@acme/pdf-tools"), "@acme/pdf-tools");
        assert_eq!(encoded("a b?c#d\"<é"), "a%20b%3Fc%23d%22%3C%C3%A9");
    }
}
