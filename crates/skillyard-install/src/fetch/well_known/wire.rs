//! The text of an index, taken apart into the texts of its entries.
//!
//! An entry becomes values only by itself: those of a whole index at once would take many times the
//! memory of its text, which may be long.

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most entries an index may have.
const MAX_ENTRIES: usize = 200_000;
/// The most bytes of one entry.
const MAX_ENTRY: usize = 256 * 1024;

/// An index.
#[derive(Deserialize)]
pub(super) struct WireIndex<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: Option<String>,
    #[serde(borrow)]
    pub(super) skills: WireEntries<'a>,
}

/// The entries of an index.
pub(super) struct WireEntries<'a> {
    /// Their texts.
    pub(super) texts: Vec<&'a RawValue>,
    /// Whether there are more than are read.
    pub(super) more: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for WireEntries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = WireEntries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of skills")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<WireEntries<'de>, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
            if texts.len() == MAX_ENTRIES {
                break;
            }
        }
        let mut more = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok(WireEntries { texts, more })
    }
}

/// An entry as values, or why it cannot be.
pub(super) fn value(text: &RawValue) -> Result<Value, String> {
    if text.get().len() > MAX_ENTRY {
        return Err(format!("its entry is larger than {MAX_ENTRY} bytes"));
    }
    serde_json::from_str(text.get()).map_err(|error| error.to_string())
}

/// The name of an entry that may not be read otherwise, as far as there is one.
pub(super) fn name(text: &RawValue) -> String {
    #[derive(Deserialize)]
    struct EntryName {
        name: String,
    }
    let named = serde_json::from_str::<EntryName>(text.get());
    named.map(|named| named.name).unwrap_or_default()
}
