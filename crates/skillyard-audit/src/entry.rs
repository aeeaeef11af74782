//! A line of the log.
//!
//! The hash covers the bytes of the line as they stand, up to its own field, and with them the
//! hash of the line before. So a line is checked without being understood, and there is no
//! second form of the same content:
//!
//! `{"seq":2,"time":…,"event":…, … ,"prev":"<64 hex>","hash":"<64 hex>"}`

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::head::Hash;
use crate::redact::{Redact, Unredacted};
use crate::redact::{max_written_bytes, redacted_field};

/// No event says more than this many further things.
const MAX_DETAILS: usize = 64;
/// `,"prev":"` and 64 digits and a quote.
const PREV: &[u8] = b",\"prev\":\"";
const HASH: &[u8] = b",\"hash\":\"";

/// An event with its place in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AuditEntry<'a> {
    /// Its number, from 1, through all files.
    pub seq: u64,
    /// When it happened.
    pub time: Timestamp,
    /// The kind of event.
    #[serde(borrow)]
    pub event: Cow<'a, str>,
    /// Who did it.
    #[serde(borrow)]
    pub actor: Cow<'a, str>,
    /// How it ended.
    #[serde(borrow)]
    pub outcome: Cow<'a, str>,
    /// The session.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Cow<'a, str>>,
    /// The task.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Cow<'a, str>>,
    /// The skill.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<Cow<'a, str>>,
    /// The skill's tree digest.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Cow<'a, str>>,
    /// The skill's source.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Cow<'a, str>>,
    /// The skill's URL.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Cow<'a, str>>,
    /// The trust tier.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Cow<'a, str>>,
    /// What set it off.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Cow<'a, str>>,
    /// Why it ended so.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// What else there is to say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub detail: BTreeMap<String, String>,
}

impl Event {
    /// How many bytes its line takes, about, and not less.
    pub fn size(&self) -> usize {
        // Number, time, kind, actor, outcome, both hashes, and the names of the fields.
        const AROUND: usize = 512;
        let fields = [
            &self.session,
            &self.task,
            &self.skill,
            &self.digest,
            &self.source,
            &self.origin,
            &self.tier,
            &self.trigger,
            &self.reason,
        ];
        let fields = fields
            .into_iter()
            .flatten()
            .map(|text| max_written_bytes(text));
        let details = self.detail.iter().take(MAX_DETAILS);
        let details =
            details.map(|(name, value)| max_written_bytes(name) + max_written_bytes(value));
        AROUND + fields.chain(details).sum::<usize>()
    }
}

impl<'a> AuditEntry<'a> {
    pub(crate) fn new(
        seq: u64,
        time: Timestamp,
        actor: &'a str,
        event: &'a Event,
        redact: &dyn Redact,
    ) -> Self {
        let optional =
            |field: &'a Option<String>| field.as_deref().map(|text| redacted_field(text, redact));
        // What it is about is what the log is for, and whoever names it must not make it vanish.
        let named = |field: &'a Option<String>| {
            field
                .as_deref()
                .map(|text| redacted_field(text, &Unredacted))
        };
        Self {
            seq,
            time,
            event: event.kind.as_str().into(),
            actor: redacted_field(actor, redact),
            outcome: event.outcome.as_str().into(),
            session: optional(&event.session),
            task: optional(&event.task),
            skill: named(&event.skill),
            digest: named(&event.digest),
            source: optional(&event.source),
            origin: optional(&event.origin),
            tier: named(&event.tier),
            trigger: optional(&event.trigger),
            reason: optional(&event.reason),
            detail: event
                .detail
                .iter()
                .take(MAX_DETAILS)
                .map(|(name, value)| {
                    let name = redacted_field(name, redact).into_owned();
                    (name, redacted_field(value, redact).into_owned())
                })
                .collect(),
        }
    }

    /// The line, with its end, and its hash.
    pub(crate) fn line(&self, prev: Hash) -> Result<(Vec<u8>, Hash), serde_json::Error> {
        let mut line = serde_json::to_vec(self)?;
        line.pop();
        line.extend_from_slice(PREV);
        line.extend_from_slice(prev.to_hex().as_bytes());
        line.push(b'"');
        let hash = Hash::of(&line);
        line.extend_from_slice(HASH);
        line.extend_from_slice(hash.to_hex().as_bytes());
        line.extend_from_slice(b"\"}\n");
        Ok((line, hash))
    }

    /// Reads a line, without its end; nothing if it is no line of a log.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// What is needed of a line to check it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainLink {
    pub(crate) seq: u64,
    pub(crate) prev: Hash,
    /// The hash that the line names.
    pub(crate) hash: Hash,
    /// Whether that is the hash of the line.
    pub(crate) is_true: bool,
}

impl ChainLink {
    /// Reads the ends of a line, without its line break.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let (body, hash) = field_at_end(line.strip_suffix(b"}")?, HASH)?;
        let (_, prev) = field_at_end(body, PREV)?;
        let digits = line.strip_prefix(b"{\"seq\":")?;
        let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
        let seq = std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?;
        Some(Self {
            seq,
            prev,
            hash,
            is_true: Hash::of(body) == hash,
        })
    }
}

/// Takes `,"name":"<64 hex>"` off the end.
fn field_at_end<'a>(bytes: &'a [u8], name: &[u8]) -> Option<(&'a [u8], Hash)> {
    let at = bytes.len().checked_sub(name.len() + 65)?;
    let (before, field) = bytes.split_at(at);
    let digits = field.strip_prefix(name)?.strip_suffix(b"\"")?;
    Some((before, Hash::from_hex(digits)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind;
    use crate::redact::Unredacted;

    fn line(event: &Event) -> Vec<u8> {
        let entry = AuditEntry::new(7, Timestamp::UNIX_EPOCH, "me", event, &Unredacted);
        entry.line(Hash::NONE).unwrap().0
    }

    #[test]
    fn a_line_is_what_it_looks_like() {
        let event = Event::new(EventKind::SkillInstalled)
            .skill("pdf")
            .detail("files", "3");
        let text = String::from_utf8(line(&event)).unwrap();
        let zeros = "0".repeat(64);
        let expected = format!(
            "{{\"seq\":7,\"time\":\"1970-01-01T00:00:00Z\",\"event\":\"skill.installed\",\"actor\":\"me\",\
             \"outcome\":\"ok\",\"skill\":\"pdf\",\"detail\":{{\"files\":\"3\"}},\"prev\":\"{zeros}\",\"hash\":\""
        );
        assert!(text.starts_with(&expected), "{text}");
        let link = ChainLink::of(text.trim_end().as_bytes()).unwrap();
        assert!(link.is_true && link.seq == 7 && link.prev == Hash::NONE);
        let entry = AuditEntry::parse(text.as_bytes()).unwrap();
        assert_eq!(entry.skill.as_deref(), Some("pdf"));
    }

    #[test]
    fn every_changed_byte_shows() {
        let line = line(&Event::new(EventKind::ToolBlocked).reason("x"));
        let line = line.trim_ascii_end();
        for at in 0..line.len() {
            for change in [1, 0x20, 0x80] {
                let mut changed = line.to_vec();
                changed[at] ^= change;
                let seen = ChainLink::of(&changed).is_none_or(|link| !link.is_true);
                assert!(seen, "byte {at}");
            }
        }
    }

    #[test]
    fn no_field_can_pass_for_the_end_of_a_line() {
        let forged = format!(
            "x\",\"prev\":\"{0}\",\"hash\":\"{0}\"}}\n{{\"seq\":8",
            "0".repeat(64)
        );
        let line = line(
            &Event::new(EventKind::ConfigChanged)
                .reason(forged.clone())
                .skill(forged),
        );
        assert_eq!(memchr::memchr_iter(b'\n', &line).count(), 1);
        assert!(ChainLink::of(line.trim_ascii_end()).unwrap().is_true);
    }

    #[test]
    fn fields_have_an_end() {
        for letter in ["ä", "a", "\u{1}", "\"", "\\", "\n", "\u{c}", "😀"] {
            let long = letter.repeat(5_000);
            let mut event = Event::new(EventKind::ScanFinding).reason(long.clone());
            for at in 0..100 {
                event = event.detail(format!("d{at}"), long.clone());
            }
            let length = line(&event).len();
            assert!(length < 300_000, "{letter:?}");
            assert!(length <= event.size(), "{letter:?}");
        }
        let long = format!("{}MIDDLE{}END", "ä\"".repeat(2_000), "b".repeat(3_000));
        let event = Event::new(EventKind::ScanFinding).reason(long.clone());
        let line = self::line(&event);
        let told = AuditEntry::parse(&line)
            .unwrap()
            .reason
            .unwrap()
            .into_owned();
        let whole = Hash::of(long.as_bytes());
        assert!(told.starts_with("ä\"ä\""), "{told}");
        assert!(told.ends_with("bEND") && !told.contains("MIDDLE"), "{told}");
        let left_out = long.len() - 512 * 3 - 2_048;
        let mark = format!("… {left_out} bytes left out, sha256:{whole} in all …");
        assert!(told.contains(&mark), "{told}");
        let short = "\u{1}".repeat(682);
        let event = Event::new(EventKind::ScanFinding).reason(short.clone());
        let line = self::line(&event);
        assert_eq!(AuditEntry::parse(&line).unwrap().reason.unwrap(), short);
    }
}
