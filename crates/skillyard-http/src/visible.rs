//! Third-party text on pages, with deceptive and invisible characters escaped.

use skillyard_format::difference::readable;
use skillyard_format::script::{Starter, starter};
use skillyard_format::text::{escape_control, escape_invisible, is_harmless};

/// A whole page with deceptive characters as `\u{…}`.
pub fn page(html: String) -> String {
    let html = with_plain_ends(html);
    if is_harmless(&html) {
        html
    } else {
        escape_control(&html).into_owned()
    }
}

/// A file as its page shows it, if it is text. Scripts are always shown, with null bytes, invalid
/// bytes and invisible characters escaped.
pub fn source(path: &str, bytes: &[u8]) -> Option<String> {
    if matches!(starter(path, bytes), Some(Starter::Command { .. })) {
        let text = readable(path, false, bytes)?;
        return Some(escape_invisible(&with_plain_ends(text.into_owned())).into_owned());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then(|| text.to_owned())
}

/// Browsers show `\r\n` as one line break.
fn with_plain_ends(text: String) -> String {
    if text.contains('\r') {
        text.replace("\r\n", "\n")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_as_they_are_written() {
        let seen =
            page("<p>a\u{202e}b\u{1b}[1m</p>\r\n<p title=\"\u{2066}\">שלום 👩‍👩‍👧</p>".to_owned());
        assert_eq!(
            seen,
            "<p>a\\u{202e}b\\u{1b}[1m</p>\n<p title=\"\\u{2066}\">שלום 👩‍👩‍👧</p>"
        );
    }

    #[test]
    fn nothing_hides_in_a_script() {
        let script = b"#!/bin/sh\r\nrm\xe2\x80\x8b -r x\0\xff\r\n";
        let seen = "#!/bin/sh\nrm\\u{200b} -r x\\u{0}\\xff\n";
        assert_eq!(source("scripts/tidy", script).as_deref(), Some(seen));
        assert_eq!(source("a.py", b"\0").as_deref(), Some("\\u{0}"));
        assert_eq!(
            source("notes.txt", "⚠\u{fe0f}".as_bytes()).as_deref(),
            Some("⚠\u{fe0f}")
        );
        assert_eq!(source("scripts/tool", b"\x7fELF\x02\0\xff"), None);
        assert_eq!(source("scripts/a.png", b"\x89PNG\0"), None);
    }
}
