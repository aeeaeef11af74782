//! Orders that have to be put together before they can be read.

use super::{Findings, Here, Subject};
use crate::Severity;
use crate::disguise;
use crate::pattern::Pattern;
use crate::prepare::Place;
use crate::speech::{self, Meaning, NOT};

rule! {
    /// The agent is told to decode or to piece together a text and to do what it says.
    ///
    /// An order that is spelled backwards, in base64, with digits for letters or with blanks
    /// between them is written for a machine that obeys and against a person who reads.
    ///
    /// **Fix:** write the order as it is.
    "scan-encoded-order", High,
    "write the order as it is, so that a person can read it",
    skill: check_all
}

static DECODES: Pattern = Pattern::new(
    r"\b(?:decode|decrypt|decipher|unscramble|deobfuscate|unhex|rot-?13|base-?64|caesar|reverse\s+(?:the\s+(?:order|letters|words|next|following)|each|every)|first\s+(?:letters?|words?|characters?)\s+of\s+(?:each|every|the)|acrostic|every\s+(?:second|third|other)\s+(?:letter|word)|join\s+them|concatenate|reassemble|piece\s+together)\b",
);
static OBEYS: Pattern = Pattern::new(
    r"\b(?:follow|obey|execute|run|carry\s+out|perform|act\s+on|apply|do)\b\s+(?:exactly\s+)?(?:(?:what(?:ever)?\s+)?(?:it|they|that|this|the\s+text)\s*(?:$|[.,:;!]|says?\b|tells?\b|asks?\b)|what\s+(?:it|they)\s+(?:says?|tells?)|the\s+(?:\w+\s+)?(?:result|output|instructions?|command|text|message|orders?)\b|them\b)|\bcarry\s+(?:it|them|that)\s+out\b|\bas\s+(?:a\s+)?(?:shell\s+)?(?:commands?|instructions?|orders)\b",
);
static HARMLESS: Pattern = Pattern::new(
    r"\b(?:jwt|json|images?|pdf|audio|video|tokens?\s+(?:count|ids?)|qr|player|puzzle|print|show|response|data\s+url|test\w*|payload|malware|attacker|suspicious|png|decode\s+errors?|through|tests)\b",
);
static ORDERS: [Meaning; 1] = [Meaning {
    all: &[&DECODES, &OBEYS],
    none: &[&NOT, &HARMLESS],
}];
/// What disguised words say once they are plain.
static SAID: Pattern = Pattern::new(
    r"\b(?:ignore|disregard|forget|override|bypass)\s*(?:\w+\s+){0,2}?(?:all|previous|prior|your|any|system|the)?\s*(?:previous|prior|earlier|safety|system)?\s*(?:instructions?|rules?|guidelines?|limits?|safety|prompts?)|system\s*prompt|\bdo\s*not\s*(?:tell|mention)|\bwithout\s+limits\b|\bid_?rsa\b|\bcurl\b|\bpasswords?\b|\bapi\s*keys?\b",
);
static JOINED: Pattern = Pattern::new(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your)?(?:previous|prior|earlier|system|safety)?(?:instructions|rules|guidelines|prompts)|systemprompt|donot(?:tell|mention)|runthefollowing|sendthe(?:file|key|token|password)",
);

fn check_all(subject: &Subject<'_>, findings: &mut Findings<'_>) {
    for (index, file) in subject.files.iter().enumerate() {
        for (at, unit) in file.units.iter().enumerate() {
            let is_read = matches!(
                unit.place,
                Place::Prose | Place::Frontmatter | Place::Hidden | Place::Heading
            );
            if is_read {
                check(&Here::new(subject, index, at), findings);
            }
        }
    }
}

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let text = here.text;
    if let Some(range) = speech::find(&ORDERS, text) {
        let message = "an encoded text is to be obeyed";
        findings.add(&RULE, here, range, Severity::High, message);
        return;
    }
    let spaced = disguise::spaced(&text).filter(|(_, plain)| JOINED.is_match(plain));
    let disguised = || {
        disguise::digits(&text).filter(|(_, plain)| SAID.is_match(plain) && !SAID.is_match(text))
    };
    if let Some((range, _)) = spaced.or_else(disguised) {
        let message = "an order is spelled so that only a machine reads it";
        findings.add(&RULE, here, range, Severity::High, message);
    }
}
