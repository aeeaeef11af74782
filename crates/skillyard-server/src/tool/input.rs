//! What the tools are told.

use serde::Deserialize;
use serde_json::{Map, Value};
use skillyard_agent::tool::whole_number;
use skillyard_catalog::resource::ReadRange;

use crate::problem::Problem;

/// How many bytes of a file one call gives.
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchInput {
    #[serde(default)]
    pub(super) query: String,
    pub(super) limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListInput {
    pub(super) limit: Option<usize>,
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadInput {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadInput {
    pub(super) name: String,
    pub(crate) path: String,
    cursor: Option<Cursor>,
}

/// Where to go on in a file: models write the number as one, and as a text.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`cursor` is neither a number nor a text")]
enum Cursor {
    Number(u64),
    Text(String),
}

impl ReadInput {
    /// The part of the file that one call gives.
    pub(crate) fn range(&self) -> Result<ReadRange, Problem> {
        let offset = match &self.cursor {
            None => 0,
            Some(Cursor::Number(offset)) => *offset,
            Some(Cursor::Text(text)) if text.is_empty() => 0,
            Some(Cursor::Text(text)) => text
                .parse()
                .map_err(|_| Problem::bad("`cursor` is not one that an earlier call gave"))?,
        };
        Ok(ReadRange {
            offset,
            limit: Some(MAX_BYTES),
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilesInput {
    pub(super) name: String,
    pub(super) dir: Option<String>,
}

/// The input of a tool, or what is wrong with it.
pub(crate) fn understood<T: for<'de> Deserialize<'de>>(
    input: Map<String, Value>,
) -> Result<T, Problem> {
    let fields = input.into_iter().map(|(key, value)| match &value {
        // Some models write `5.0`.
        Value::Number(number) if number.is_f64() => {
            let whole = whole_number(&value).map(Value::from);
            (key, whole.unwrap_or(value))
        }
        _ => (key, value),
    });
    let input = Value::Object(fields.collect());
    serde_json::from_value(input).map_err(|error| Problem::bad(error.to_string()))
}
