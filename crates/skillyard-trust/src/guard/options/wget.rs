//! Files that `wget` writes, which have their names from addresses unless `-O` names one.

use super::super::shell::Word;
use super::Here;
use super::address::{Steps, unknown, written};

/// Letters of options with a value.
pub(super) const VALUED: &str = "oaeiBtOTwQPUlARDIX";
/// Further options with a value that is no address.
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "--accept", "--append-output", "--body-data", "--ca-certificate", "--cut-dirs", "--directory-prefix",
    "--domains", "--header", "--http-password", "--http-user", "--level", "--limit-rate", "--load-cookies",
    "--method", "--output-file", "--password", "--post-data", "--post-file", "--quota", "--referer",
    "--reject", "--timeout", "--tries", "--user", "--user-agent", "--wait",
];
/// Options with which a server or a file names what is written.
const ASKED: &[&str] = &[
    "--content-disposition",
    "--input-file",
    "--input-metalink",
    "--metalink-over-http",
    "--trust-server-names",
];
/// Options that follow what is in a page.
const FOLLOWS: &[&str] = &["--mirror", "--page-requisites", "--recursive"];
/// Options that leave out the folder with the name of the host.
const FLAT: &[&str] = &[
    "--directories",
    "--host-directories",
    "--no-directories",
    "--no-host-directories",
];

/// What options say about names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// One file has it all, or nothing is kept.
    Named,
    /// A server or a file names what is written.
    Asked,
    /// What is in a page is fetched as well.
    Follows,
    /// No folder has the name of the host.
    Flat,
    /// There are folders as in the address.
    Folders,
}

/// A command of `wget`.
#[derive(Default)]
struct Given<'a> {
    addresses: Vec<&'a Word>,
    said: Vec<Said>,
    /// The folder for all of it.
    folder: Option<&'a str>,
}

/// Why a file that an address names is not for a command to write, if it is not; the first `named`
/// words are not judged.
pub(super) fn wget(words: &[Word], named: usize, here: &Here<'_>) -> Option<String> {
    let mut given = Given::default();
    let mut operands_only = false;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let was = at;
        at += 1;
        let text = match word {
            Word::Literal(text) => text.as_str(),
            Word::Open { prefix, .. } => prefix.as_str(),
        };
        if operands_only || !text.starts_with('-') {
            given.addresses.extend((was >= named).then_some(word));
        } else if text.starts_with("--") {
            operands_only = text == "--";
            let takes_next = given.long(text);
            let value = words.get(at).filter(|_| takes_next);
            if text == "--directory-prefix" {
                given.folder = value.and_then(Word::literal);
            }
            at += usize::from(takes_next);
        } else if let Some((letter, value)) = given.short(text) {
            let next = words.get(at).and_then(Word::literal);
            at += usize::from(value.is_empty());
            let value = if value.is_empty() { next } else { Some(value) };
            match letter {
                'P' => given.folder = value,
                'O' => given.said.push(Said::Named),
                'i' => given.said.push(Said::Asked),
                _ => {}
            }
        }
    }
    (words.len() > named).then(|| given.danger(here)).flatten()
}

impl<'a> Given<'a> {
    /// Takes a long option; whether its value is the next word.
    fn long(&mut self, text: &'a str) -> bool {
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (text, None),
        };
        let is = |long: &[&str]| {
            let mut long = long.iter();
            option.len() > 4 && long.any(|long| long.starts_with(option))
        };
        let options: [(&[&str], Said); 4] = [
            (ASKED, Said::Asked),
            (FOLLOWS, Said::Follows),
            (FLAT, Said::Flat),
            (&["--force-directories"], Said::Folders),
        ];
        let said = options.iter().filter(|(long, _)| is(long));
        self.said.extend(said.map(|(_, said)| said));
        // What makes names harmless has to be spelled out.
        if option == "--output-document" || text == "--spider" {
            self.said.push(Said::Named);
        }
        if is(&["--no-spider"]) {
            self.said.retain(|said| *said != Said::Named);
        }
        if option == "--directory-prefix" && value.is_some() {
            self.folder = value;
        }
        let is_valued = VALUES.contains(&option) || option == "--output-document";
        is_valued && value.is_none()
    }

    /// Takes letters of options; the last one with its value, if it has one.
    fn short(&mut self, text: &'a str) -> Option<(char, &'a str)> {
        let mut rest = text[1..].chars();
        while let Some(letter) = rest.next() {
            match letter {
                // `-nH` and the like have two letters.
                'n' if matches!(rest.next(), Some('H' | 'd')) => self.said.push(Said::Flat),
                'r' | 'm' | 'p' => self.said.push(Said::Follows),
                'x' => self.said.push(Said::Folders),
                letter if VALUED.contains(letter) => return Some((letter, rest.as_str())),
                _ => {}
            }
        }
        None
    }

    fn danger(&self, here: &Here<'_>) -> Option<String> {
        let says = |said| self.said.contains(&said);
        let follows = says(Said::Follows);
        if says(Said::Named) && !follows {
            return None;
        }
        // Pages name what else is fetched, which stays in a folder of its own.
        let is_apart = !says(Said::Flat) || self.folder.is_some_and(|folder| !is_here(folder));
        if says(Said::Asked) || follows && !is_apart {
            return Some(unknown("wget"));
        }
        let steps = if follows || says(Said::Folders) {
            Steps::All
        } else {
            Steps::Last
        };
        let mut addresses = self.addresses.iter();
        addresses.find_map(|address| written("wget", address, steps, here))
    }
}

/// Whether a folder is the one that a command runs in.
fn is_here(folder: &str) -> bool {
    folder.split('/').all(|part| matches!(part, "" | "."))
}
