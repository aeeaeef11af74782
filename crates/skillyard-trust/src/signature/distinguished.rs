//! Names of certificates as RFC 4514 writes them.
//!
//! The library that reads certificates can write them, too, but looks up what their parts are
//! called in a table of thousands, which would be made ready whenever the program starts.

use std::fmt::Write as _;

use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::der::asn1::{
    Ia5StringRef, ObjectIdentifier, PrintableStringRef, TeletexStringRef, Utf8StringRef,
};
use x509_cert::der::{Encode as _, Tag, Tagged as _};
use x509_cert::name::Name;

/// What the parts of names are called; others are written by their number.
const KINDS: [(ObjectIdentifier, &str); 12] = [
    (ObjectIdentifier::new_unwrap("2.5.4.3"), "CN"),
    (ObjectIdentifier::new_unwrap("2.5.4.4"), "SN"),
    (ObjectIdentifier::new_unwrap("2.5.4.5"), "SERIALNUMBER"),
    (ObjectIdentifier::new_unwrap("2.5.4.6"), "C"),
    (ObjectIdentifier::new_unwrap("2.5.4.7"), "L"),
    (ObjectIdentifier::new_unwrap("2.5.4.8"), "ST"),
    (ObjectIdentifier::new_unwrap("2.5.4.9"), "STREET"),
    (ObjectIdentifier::new_unwrap("2.5.4.10"), "O"),
    (ObjectIdentifier::new_unwrap("2.5.4.11"), "OU"),
    (
        ObjectIdentifier::new_unwrap("0.9.2342.19200300.100.1.1"),
        "UID",
    ),
    (
        ObjectIdentifier::new_unwrap("0.9.2342.19200300.100.1.25"),
        "DC",
    ),
    (
        ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.1"),
        "EMAIL",
    ),
];

/// A name in one line, the last of its parts first.
pub(super) fn written(name: &Name) -> String {
    let sets: Vec<_> = name.iter_rdn().collect();
    let mut line = String::new();
    for set in sets.iter().rev() {
        if !line.is_empty() {
            line.push(',');
        }
        for (at, part) in set.iter().enumerate() {
            if at > 0 {
                line.push('+');
            }
            write_part(&mut line, part);
        }
    }
    line
}

fn write_part(line: &mut String, part: &AttributeTypeAndValue) {
    let kind = KINDS.iter().find(|(number, _)| *number == part.oid);
    if let (Some((_, kind)), Some(text)) = (kind, text(part)) {
        let _ = write!(line, "{kind}=");
        write_text(line, text);
        return;
    }
    let _ = write!(line, "{}=#", part.oid);
    for byte in part.value.to_der().unwrap_or_default() {
        let _ = write!(line, "{byte:02x}");
    }
}

/// The text of a part, if it is one.
fn text(part: &AttributeTypeAndValue) -> Option<&str> {
    let value = &part.value;
    match value.tag() {
        Tag::PrintableString => {
            let text = PrintableStringRef::try_from(value).ok()?;
            Some(text.as_str())
        }
        Tag::Utf8String => Some(Utf8StringRef::try_from(value).ok()?.as_str()),
        Tag::Ia5String => Some(Ia5StringRef::try_from(value).ok()?.as_str()),
        Tag::TeletexString => Some(TeletexStringRef::try_from(value).ok()?.as_str()),
        _ => None,
    }
}

/// Writes a text so that what follows it cannot be taken for a part of it.
fn write_text(line: &mut String, text: &str) {
    let last = text.len().saturating_sub(1);
    for (at, c) in text.char_indices() {
        match c {
            '#' if at == 0 => line.push_str("\\#"),
            ' ' if at == 0 || at == last => line.push_str("\\ "),
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => {
                line.push('\\');
                line.push(c);
            }
            '\0'..='\x1f' | '\x7f' => {
                let _ = write!(line, "\\{:02x}", u32::from(c));
            }
            _ => line.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_the_library_writes_them() {
        for source in [
            "CN=example.com",
            "C=US,ST=California,L=Los Angeles,O=Somebody,OU=Signers,CN=www.example.org",
            "UID=jsmith,DC=example,DC=net",
            "OU=Sales+CN=J.  Smith,DC=example,DC=net",
            r#"CN=James \"Jim\" Smith\, III+O=x,STREET=\#1 \<a\>\;"#,
            r"CN=Before\0dAfter,O=\ a\ ,SN=Ünüz",
            "SERIALNUMBER=12,EMAIL=a@example.org",
            "1.3.6.1.4.1.1466.0=#04024869",
        ] {
            let name: Name = source.parse().unwrap();
            assert_eq!(written(&name), name.to_string(), "{source}");
        }
        assert_eq!(written(&Name::default()), "");
    }

    #[test]
    fn parts_that_few_know_are_written_by_their_number() {
        let name: Name = "TITLE=Dr,O=x".parse().unwrap();
        assert_eq!(written(&name), "2.5.4.12=#0c024472,O=x");
    }
}
