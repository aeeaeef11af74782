//! The id of a call in the log.
//!
//! Servers choose the ids. One that is long is shortened in the log, and one that looks like a secret
//! is taken out, so that nobody would find the call again: such an id is written as its digest.

use std::borrow::Cow;

use skillyard_format::Digest;

/// Most bytes of an id that is written as it is, whatever it begins with.
const SHORT: usize = 12;
/// Most bytes of one that begins as servers let theirs begin.
const LONGEST: usize = 64;
/// How ids of servers begin.
const USUAL: [&str; 5] = ["call", "toolu", "tool_", "fc_", "chatcmpl"];

/// An id as the log has it.
pub(crate) fn logged(id: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_usual = USUAL.iter().any(|start| id.starts_with(start));
    let most = if is_usual { LONGEST } else { SHORT };
    if id.len() <= most && id.bytes().all(is_plain) {
        return id.into();
    }
    Digest::of(id.as_bytes()).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_ids_are_digests() {
        for id in ["a", "call_1_2", "toolu_01A09q90qw90lq917835lq9", "fc_0a-1"] {
            assert_eq!(logged(id), id);
        }
        let long = format!("call_{}", "x".repeat(99));
        for id in [
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "https://user:password1@h",
            "call:1",
            "",
            &long,
        ] {
            let is_digest = logged(id).starts_with("sha256:");
            assert_eq!(is_digest, !id.is_empty(), "{id}");
        }
    }
}
