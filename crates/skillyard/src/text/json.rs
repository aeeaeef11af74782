//! JSON as it is written: valid, of the same value, and harmless on a terminal.
//!
//! JSON itself escapes only the oldest control characters. Those of C1, which a terminal obeys
//! as well, and bidirectional controls are written as `\\u…` too.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use crate::text::sanitize::is_deceptive;

/// Writes `value` over several lines.
pub(crate) fn write_pretty(out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    write(out, value, PrettyFormatter::new())
}

/// Writes `value` on one line.
pub(crate) fn write_compact(out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    write(out, value, CompactFormatter)
}

/// Appends `text` as a JSON string, just as the other functions here write it.
///
/// Most texts hold nothing to escape, and are copied at once; the serializer looks at each byte
/// by itself, and long lists of skills took six times as many instructions.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if text.bytes().any(|byte| !is_plain(byte)) {
        return write_compact(out, &text);
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
    Ok(())
}

/// A JSON text with every deceptive character as an escape.
///
/// Such a character can only stand inside a string, so no other place has to be known.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    // Control characters of ASCII are escaped in every JSON text, all but the last, `0x7f`.
    if json.bytes().all(|byte| byte < 0x7f) || !json.contains(needs_escape) {
        return Cow::Borrowed(json);
    }
    let mut result = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if needs_escape(c) {
            let _ = write!(result, "\\u{:04x}", u32::from(c));
        } else {
            result.push(c);
        }
    }
    Cow::Owned(result)
}

/// Line breaks of the layout are not escaped; inside strings they are already.
fn needs_escape(c: char) -> bool {
    c != '\r' && is_deceptive(c)
}

fn write<F: Formatter>(out: impl io::Write, value: &impl Serialize, layout: F) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Escaping { layout });
    value.serialize(&mut serializer)?;
    Ok(())
}

/// A layout whose strings are escaped.
struct Escaping<F> {
    layout: F,
}

/// Hands a method of the layout on.
macro_rules! as_laid_out {
    ($($method:ident($($argument:ident: $type:ty)?)),+ $(,)?) => {$(
        fn $method<W: ?Sized + io::Write>(
            &mut self,
            writer: &mut W,
            $($argument: $type)?
        ) -> io::Result<()> {
            self.layout.$method(writer, $($argument)?)
        }
    )+};
}

impl<F: Formatter> Formatter for Escaping<F> {
    as_laid_out!(
        begin_array(),
        end_array(),
        begin_array_value(first: bool),
        end_array_value(),
        begin_object(),
        end_object(),
        begin_object_key(first: bool),
        end_object_key(),
        begin_object_value(),
        end_object_value(),
    );

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(escaped(fragment).as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(escaped(fragment).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use serde_json::value::RawValue;

    const DECEPTIVE: &str = "é\n\u{1b}\u{7f}\u{9b}31m\u{85}\u{202e}\u{2069}\u{61c}\u{200f}";

    fn check(write: impl Fn(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(needs_escape), "{text:?}");
        assert!(text.contains("é\\n\\u001b\\u007f\\u009b31m"), "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value, json!({ DECEPTIVE: [DECEPTIVE, { "x": 1 }] }));
    }

    #[test]
    fn nothing_deceptive_is_written_and_the_value_stays() {
        let value = json!({ DECEPTIVE: [DECEPTIVE, { "x": 1 }] });
        check(|out| write_pretty(out, &value).unwrap());
        check(|out| write_compact(out, &value).unwrap());
        let raw = RawValue::from_string(value.to_string()).unwrap();
        check(|out| write_compact(out, &raw).unwrap());
        check(|out| out.extend(escaped(&value.to_string()).as_bytes()));
    }

    #[test]
    fn strings_are_the_same_whoever_writes_them() {
        for text in ["", "plain ~!", "\"", "\\", "\n", "\u{7f}", "é", DECEPTIVE] {
            let (mut pushed, mut written) = (Vec::new(), Vec::new());
            push_string(&mut pushed, text).unwrap();
            write_compact(&mut written, &text).unwrap();
            assert_eq!(pushed, written, "{text:?}");
        }
    }

    #[test]
    fn the_layout_is_that_of_serde_json() {
        let value = json!({ "a": [1, { "b": [] }, {}], "c": null });
        let mut bytes = Vec::new();
        write_pretty(&mut bytes, &value).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), format!("{value:#}"));
    }
}
