//! The stored form of an index: a header, then the columns as they are in memory, little-endian.
//!
//! A checksum finds accidental damage at once. Bytes that were made up with a right checksum are still only a wrong index: lengths
//! are checked before anything is allocated, places before anything is looked up, and postings are read by a reader that cannot fail.

use thiserror::Error;

use super::document::Field;
use super::index::Index;
use super::pattern::Pattern;
use super::sections::{Reader, push_bytes, push_numbers, push_texts, require};
use super::vocabulary::Vocabulary;

const MAGIC: &[u8; 8] = b"SKYFIND\n";

/// Raised whenever the layout changes, and whenever words are cut or stemmed differently, since stored stems would no longer match.
const VERSION: u32 = 2;

/// Magic, version and checksum.
const HEADER: usize = 20;

/// Why bytes are not an index.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IndexBytesError {
    /// They do not begin like one.
    #[error("not a search index")]
    NotAnIndex,
    /// Another version of the program wrote them.
    #[error("search index has version {found}, this program reads version {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// They were changed since they were written.
    #[error("search index is damaged: its checksum does not match")]
    Checksum,
    /// They end too early or go on too long.
    #[error("search index is damaged: `{section}` is cut short or too long")]
    Length {
        /// The part being read.
        section: &'static str,
    },
    /// The parts contradict each other.
    #[error("search index is damaged: `{section}` is inconsistent")]
    Inconsistent {
        /// The part being read.
        section: &'static str,
    },
}

impl Index {
    /// The index as bytes, to be stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.memory() + HEADER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        push_texts(&mut bytes, &self.names);
        push_texts(&mut bytes, &self.ids);
        push_numbers(&mut bytes, self.lengths.as_flattened());
        push_texts(&mut bytes, &self.vocabulary.terms);
        push_numbers(&mut bytes, &self.vocabulary.document_counts);
        push_numbers(&mut bytes, &self.vocabulary.head_counts);
        push_numbers(&mut bytes, &self.vocabulary.posting_ends);
        push_numbers(&mut bytes, &self.vocabulary.compounds);
        push_bytes(&mut bytes, &self.postings);
        push_numbers(
            &mut bytes,
            &self
                .patterns
                .iter()
                .map(|pattern| pattern.document)
                .collect::<Vec<_>>(),
        );
        push_texts(
            &mut bytes,
            &self
                .patterns
                .iter()
                .map(|pattern| pattern.source.as_str())
                .collect(),
        );
        let sum = checksum(&bytes[HEADER..]);
        bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads an index back.
    ///
    /// # Errors
    ///
    /// When the bytes are no index, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IndexBytesError> {
        let body = check_header(bytes)?;
        let mut reader = Reader { rest: body };
        let index = index(&mut reader)?;
        if reader.rest.is_empty() {
            Ok(index.finish())
        } else {
            Err(IndexBytesError::Length { section: "end" })
        }
    }
}

fn check_header(bytes: &[u8]) -> Result<&[u8], IndexBytesError> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or(IndexBytesError::NotAnIndex)?;
    let (version, rest) = rest
        .split_first_chunk::<4>()
        .ok_or(IndexBytesError::Length { section: "header" })?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(IndexBytesError::Version { found });
    }
    let (sum, body) = rest
        .split_first_chunk::<8>()
        .ok_or(IndexBytesError::Length { section: "header" })?;
    if u64::from_le_bytes(*sum) == checksum(body) {
        Ok(body)
    } else {
        Err(IndexBytesError::Checksum)
    }
}

/// Mixes eight bytes at a time; it guards against damage, not against an adversary.
fn checksum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(ODD).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = words.iter().fold(bytes.len() as u64, |sum, word| {
        mix(sum, u64::from_le_bytes(*word))
    });
    for byte in rest {
        sum = mix(sum, u64::from(*byte));
    }
    mix(sum, ODD)
}

/// The columns, which must fit together.
fn index(reader: &mut Reader<'_>) -> Result<Index, IndexBytesError> {
    let names = reader.texts("names")?;
    let ids = reader.texts("ids")?;
    let (lengths, odd) = {
        let numbers = reader.numbers("lengths")?;
        let (rows, rest) = numbers.as_chunks::<{ Field::COUNT }>();
        (rows.to_vec(), !rest.is_empty())
    };
    let documents = lengths.len();
    require(
        !odd && names.len() == documents && ids.len() == documents,
        "lengths",
    )?;
    let terms = reader.texts("terms")?;
    let document_counts = reader.numbers("document counts")?;
    let head_counts = reader.numbers("head counts")?;
    let posting_ends = reader.numbers("posting ends")?;
    let compounds = reader.numbers("compounds")?;
    let postings = reader.bytes("postings")?.to_vec();
    let columns = [&document_counts, &head_counts, &posting_ends];
    require(
        columns.iter().all(|column| column.len() == terms.len()),
        "vocabulary",
    )?;
    require(
        terms.iter().is_sorted_by(|left, right| left < right),
        "terms",
    )?;
    let possible = |counts: &[u32]| counts.iter().all(|count| *count as usize <= documents);
    require(
        possible(&document_counts) && possible(&head_counts),
        "document counts",
    )?;
    require(
        posting_ends.is_sorted()
            && posting_ends.last().map_or(0, |end| *end as usize) == postings.len(),
        "posting ends",
    )?;
    require(
        compounds.iter().all(|term| (*term as usize) < terms.len()),
        "compounds",
    )?;
    let owners = reader.numbers("pattern documents")?;
    let sources = reader.texts("patterns")?;
    require(
        owners.len() == sources.len() && owners.iter().all(|owner| (*owner as usize) < documents),
        "patterns",
    )?;
    let patterns = owners
        .iter()
        .zip(sources.iter())
        .map(|(owner, source)| Pattern::new(*owner, source))
        .collect();
    let vocabulary = Vocabulary::new(terms, document_counts, head_counts, posting_ends, compounds);
    Ok(Index {
        names,
        ids,
        lengths,
        vocabulary,
        postings,
        patterns,
        ..Index::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Document, Options, Triggers};
    use proptest::prelude::*;

    fn sample() -> Index {
        Index::build((0..20).map(|number| Document {
            id: format!("local/{number}").into(),
            name: format!("skill-{number}").into(),
            description: "Fill in PDF forms and read 天気予報".into(),
            tags: vec!["office".into()],
            triggers: Triggers {
                patterns: vec!["fill.*form".into()],
                ..Triggers::default()
            },
            body: Some("Use the forms library".into()),
        }))
    }

    /// Bytes with a right checksum around any content.
    fn sealed(body: &[u8]) -> Vec<u8> {
        [
            MAGIC.as_slice(),
            &VERSION.to_le_bytes(),
            &checksum(body).to_le_bytes(),
            body,
        ]
        .concat()
    }

    #[test]
    fn reads_what_it_wrote() {
        let index = sample();
        assert_eq!(Index::from_bytes(&index.to_bytes()), Ok(index));
        assert_eq!(
            Index::from_bytes(&Index::default().to_bytes()).map(|index| index.len()),
            Ok(0)
        );
    }

    #[test]
    fn names_what_is_wrong() {
        let mut bytes = sample().to_bytes();
        assert_eq!(Index::from_bytes(b""), Err(IndexBytesError::NotAnIndex));
        assert_eq!(
            Index::from_bytes(b"SKYFIND\n"),
            Err(IndexBytesError::Length { section: "header" })
        );
        assert_eq!(
            Index::from_bytes(&bytes[..bytes.len() - 1]),
            Err(IndexBytesError::Checksum)
        );
        bytes[8] = 9;
        assert_eq!(
            Index::from_bytes(&bytes),
            Err(IndexBytesError::Version { found: 9 })
        );
        assert_eq!(
            Index::from_bytes(&sealed(&u64::MAX.to_le_bytes())),
            Err(IndexBytesError::Length { section: "names" })
        );
    }

    proptest! {
        #[test]
        fn one_changed_byte_is_an_error(place in any::<prop::sample::Index>(), change in 1_u8..) {
            let mut bytes = sample().to_bytes();
            let place = place.index(bytes.len());
            bytes[place] ^= change;
            prop_assert!(Index::from_bytes(&bytes).is_err());
        }

        #[test]
        fn forged_bytes_never_panic(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
            let mut body = sample().to_bytes()[HEADER..].to_vec();
            for (place, byte) in changes {
                let place = place.index(body.len());
                body[place] = byte;
            }
            if let Ok(index) = Index::from_bytes(&sealed(&body)) {
                for hit in index.search("fill in the pdf form, 天気", &Options::default()) {
                    prop_assert!((hit.document as usize) < index.len());
                }
            }
        }

        #[test]
        fn any_bytes_never_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Index::from_bytes(&body);
            let _ = Index::from_bytes(&sealed(&body));
        }
    }
}
