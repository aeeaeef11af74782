//! Files that `curl` writes without an option that has their names.

use super::super::shell::Word;
use super::address::{Steps, unknown, written};
use super::{Here, letters, outside};

/// Letters of options with a value.
pub(super) const VALUED: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";
/// Further options with a value that is no address.
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "--cacert", "--cert", "--connect-timeout", "--cookie", "--data", "--data-binary", "--data-raw",
    "--data-urlencode", "--form", "--header", "--key", "--limit-rate", "--max-time", "--oauth2-bearer",
    "--output", "--output-dir", "--proxy", "--range", "--referer", "--request", "--resolve", "--retry",
    "--retry-delay", "--user", "--user-agent",
];

/// Options whose value is put together from variables and names no file that is written.
const DATA: &[&str] = &["--expand-data", "--expand-header", "--expand-json"];

/// Why a file that is named elsewhere is not for a command to write, if it is not; the first `named`
/// words are not judged.
pub(super) fn curl(words: &[Word], named: usize, here: &Here<'_>) -> Option<String> {
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
        // What stands behind these is put together from variables.
        if option.starts_with("--expand-") && !DATA.contains(&option) && was >= named {
            return Some(unknown("curl"));
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
            at += usize::from(VALUES.contains(&text));
            if is("--write-out") {
                format = Some(value.unwrap_or_default());
            }
        }
        for (letter, value) in letters(text, VALUED) {
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
        if let Some(reason) = shown(format, here).filter(|_| was >= named) {
            return Some(reason);
        }
    }
    if takes_names && asks_server {
        return Some(unknown("curl"));
    }
    let mut addresses = addresses.into_iter().filter(|_| takes_names);
    addresses.find_map(|address| written("curl", &address, Steps::Last, here))
}

/// Why what is written about an answer, by `-w`, leads into a file that is not for it.
fn shown(format: Option<&str>, here: &Here<'_>) -> Option<String> {
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
        (!here.is_writable(file)).then(|| outside("-w", file))
    })
}
