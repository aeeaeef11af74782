//! Lists in parts.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rmcp::ErrorData;

use super::edition::Edition;
use super::skills::invalid;

/// A part of a list, and where the next begins. A cursor is of one state only.
pub(super) fn page<'a, T>(
    edition: &Edition,
    all: &'a [T],
    cursor: Option<&str>,
    size: usize,
) -> Result<(&'a [T], Option<String>), ErrorData> {
    let state = edition.stock.fingerprint.as_str();
    let first = match cursor {
        None => 0,
        Some(cursor) => place(cursor, state)
            .filter(|first| *first < all.len())
            .ok_or_else(|| invalid("the list has changed, or the cursor is none; start again"))?,
    };
    let last = first.saturating_add(size).min(all.len());
    let next = (last < all.len()).then(|| BASE64_URL_SAFE_NO_PAD.encode(format!("{state}:{last}")));
    Ok((&all[first..last], next))
}

fn place(cursor: &str, state: &str) -> Option<usize> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.strip_prefix(state)?.strip_prefix(':')?.parse().ok()
}
