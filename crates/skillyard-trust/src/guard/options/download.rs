//! Files that `curl` and `wget` write without an option that names them.

use crate::guard::options::files::{Steps, name_danger, unknown_name};
use crate::guard::options::{CommandContext, letters, outside};
use crate::guard::shell::Word;

/// Letters of options with a value.
pub(super) const CURL_VALUE_LETTERS: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";
/// Further options with a value that is not an address.
#[rustfmt::skip]
const CURL_VALUE_OPTIONS: &[&str] = &[
    "--cacert", "--cert", "--connect-timeout", "--cookie", "--data", "--data-binary", "--data-raw",
    "--data-urlencode", "--form", "--header", "--key", "--limit-rate", "--max-time", "--oauth2-bearer",
    "--output", "--output-dir", "--proxy", "--range", "--referer", "--request", "--resolve", "--retry",
    "--retry-delay", "--user", "--user-agent",
];

/// Options whose value is put together from variables and names no file that is written.
const CURL_DATA_OPTIONS: &[&str] = &["--expand-data", "--expand-header", "--expand-json"];

/// Why a file that is named elsewhere is not for a command to write, if it is not; the first `named`
/// words are not judged.
pub(super) fn curl(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let (mut addresses, mut takes_names, mut asks_server) = (Vec::new(), false, false);
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
            addresses.extend((was >= named).then(|| word.clone()));
            continue;
        }
        operands_only = text == "--";
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (text, None),
        };
        let is = |long: &str| option.len() > 2 && long.starts_with(option);
        let mut format = None;
        // Their values are assembled from variables.
        if option.starts_with("--expand-") && !CURL_DATA_OPTIONS.contains(&option) && was >= named {
            return Some(unknown_name("curl"));
        }
        if text.starts_with("--") {
            takes_names |= is("--remote-name-all");
            asks_server |= is("--remote-header-name");
            // `--url @file` names files by the addresses in it.
            let next = value.or_else(|| words.get(at)?.literal());
            takes_names |= is("--url") && next.is_some_and(|next| next.starts_with('@'));
            if is("--url") && value.is_some() && was >= named {
                let known = word.literal().and(value).map(str::to_owned);
                addresses.push(known.map_or_else(Word::unknown, Word::Literal));
            }
            at += usize::from(CURL_VALUE_OPTIONS.contains(&text));
            if is("--write-out") {
                format = Some(value.unwrap_or_default());
            }
        }
        for (letter, value) in letters(text, CURL_VALUE_LETTERS) {
            takes_names |= letter == 'O';
            asks_server |= letter == 'J';
            match value {
                Some(value) if letter == 'w' => format = Some(value),
                Some("") => at += 1,
                _ => {}
            }
        }
        let format = match format {
            None => continue,
            Some("") => {
                at += 1;
                words.get(at - 1).and_then(Word::literal)
            }
            Some(format) => word.literal().map(|_| format),
        };
        if let Some(reason) = shown(format, ctx).filter(|_| was >= named) {
            return Some(reason);
        }
    }
    if takes_names && asks_server {
        return Some(unknown_name("curl"));
    }
    let mut addresses = addresses.into_iter().filter(|_| takes_names);
    addresses.find_map(|address| name_danger("curl", &address, Steps::Last, ctx))
}

/// Why what is written about an answer, by `-w`, leads into a file that is not for it.
fn shown(format: Option<&str>, ctx: &CommandContext<'_>) -> Option<String> {
    let Some(format) = format.filter(|format| !format.starts_with('@')) else {
        return Some(
            "what `-w` writes, and into which file, is only known when it runs; \
             give its text on the command line"
                .to_owned(),
        );
    };
    let mut files = format.split("%output{").skip(1);
    files.find_map(|rest| {
        let file = rest.split('}').next().unwrap_or_default();
        let file = file.trim_start_matches('>');
        (!ctx.is_writable(file)).then(|| outside("-w", file))
    })
}

/// Letters of options with a value.
pub(super) const WGET_VALUE_LETTERS: &str = "oaeiBtOTwQPUlARDIX";
/// Further options with a value that is not an address.
#[rustfmt::skip]
const WGET_VALUE_OPTIONS: &[&str] = &[
    "--accept", "--append-output", "--body-data", "--ca-certificate", "--cut-dirs", "--directory-prefix",
    "--domains", "--header", "--http-password", "--http-user", "--level", "--limit-rate", "--load-cookies",
    "--method", "--output-file", "--password", "--post-data", "--post-file", "--quota", "--referer",
    "--reject", "--timeout", "--tries", "--user", "--user-agent", "--wait",
];
/// Options with which a server or a file names what is written.
const WGET_PLAIN_OPTIONS: &[&str] = &[
    "--content-disposition",
    "--input-file",
    "--input-metalink",
    "--metalink-over-http",
    "--trust-server-names",
];
/// Options that follow what is in a page.
const WGET_RECURSIVE: &[&str] = &["--mirror", "--page-requisites", "--recursive"];
/// Options that leave out the folder with the name of the host.
const WGET_FLAT: &[&str] = &[
    "--directories",
    "--host-directories",
    "--no-directories",
    "--no-host-directories",
];

/// What options say about names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionKind {
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
struct WgetArguments<'a> {
    addresses: Vec<&'a Word>,
    said: Vec<OptionKind>,
    /// The folder for all of it.
    folder: Option<&'a str>,
}

/// Why a file that an address names is not for a command to write, if it is not; the first `named`
/// words are not judged.
pub(super) fn wget(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let mut given = WgetArguments::default();
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
                'O' => given.said.push(OptionKind::Named),
                'i' => given.said.push(OptionKind::Asked),
                _ => {}
            }
        }
    }
    (words.len() > named).then(|| given.danger(ctx)).flatten()
}

impl<'a> WgetArguments<'a> {
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
        let options: [(&[&str], OptionKind); 4] = [
            (WGET_PLAIN_OPTIONS, OptionKind::Asked),
            (WGET_RECURSIVE, OptionKind::Follows),
            (WGET_FLAT, OptionKind::Flat),
            (&["--force-directories"], OptionKind::Folders),
        ];
        let said = options.iter().filter(|(long, _)| is(long));
        self.said.extend(said.map(|(_, said)| said));
        // An option that makes names harmless must be complete.
        if option == "--output-document" || text == "--spider" {
            self.said.push(OptionKind::Named);
        }
        if is(&["--no-spider"]) {
            self.said.retain(|said| *said != OptionKind::Named);
        }
        if option == "--directory-prefix" && value.is_some() {
            self.folder = value;
        }
        let is_valued = WGET_VALUE_OPTIONS.contains(&option) || option == "--output-document";
        is_valued && value.is_none()
    }

    /// Takes letters of options; the last one with its value, if it has one.
    fn short(&mut self, text: &'a str) -> Option<(char, &'a str)> {
        let mut rest = text[1..].chars();
        while let Some(letter) = rest.next() {
            match letter {
                // `-nH` and the like have two letters.
                'n' if matches!(rest.next(), Some('H' | 'd')) => self.said.push(OptionKind::Flat),
                'r' | 'm' | 'p' => self.said.push(OptionKind::Follows),
                'x' => self.said.push(OptionKind::Folders),
                letter if WGET_VALUE_LETTERS.contains(letter) => {
                    return Some((letter, rest.as_str()));
                }
                _ => {}
            }
        }
        None
    }

    fn danger(&self, ctx: &CommandContext<'_>) -> Option<String> {
        let says = |said| self.said.contains(&said);
        let follows = says(OptionKind::Follows);
        if says(OptionKind::Named) && !follows {
            return None;
        }
        // Pages name what else is fetched, which stays in a folder of its own.
        let is_apart =
            !says(OptionKind::Flat) || self.folder.is_some_and(|folder| !is_current_dir(folder));
        if says(OptionKind::Asked) || follows && !is_apart {
            return Some(unknown_name("wget"));
        }
        let steps = if follows || says(OptionKind::Folders) {
            Steps::All
        } else {
            Steps::Last
        };
        let mut addresses = self.addresses.iter();
        addresses.find_map(|address| name_danger("wget", address, steps, ctx))
    }
}

/// Whether a folder is the one that a command runs in.
fn is_current_dir(folder: &str) -> bool {
    folder.split('/').all(|part| matches!(part, "" | "."))
}
