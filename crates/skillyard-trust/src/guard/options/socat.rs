//! Addresses of `socat` that are a program or a file, and the files that its options name.

use super::super::shell::Word;
use super::super::socat::{Address, addresses};
use super::{Here, outside, starts};

/// How the names of addresses begin that are a stream.
#[rustfmt::skip]
const STREAMS: &[&str] = &[
    "ABSTRACT-", "DCCP", "FD", "IP", "OPENSSL", "PROXY", "PTY", "READLINE", "SCTP", "SOCK", "SSL", "STD",
    "TCP", "UDP", "UNIX-CLIENT", "UNIX-CONNECT", "UNIX-SENDTO", "VSOCK",
];
/// How the names of addresses begin that are a file.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "CREAT", "FIFO", "FILE", "GOPEN", "OPEN", "PIPE", "UNIX-LISTEN", "UNIX-RECV",
];
/// How the standard streams begin as an address, which is no option.
const ADDRESS: &[&str] = &["-!", "-,", "-:"];
/// Options of addresses whose value is a file.
const NAMES_FILE: &[&str] = &["history", "link", "lockfile", "symbolic-link", "waitlock"];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn socat(words: &[Word], named: usize, here: &Here<'_>) -> Option<String> {
    let mut rest = words.iter().skip(named.max(1));
    while let Some(word) = rest.next() {
        let Some(text) = word.literal() else {
            return Some("what `socat` is told is only known when it runs".into());
        };
        let is_option = text.starts_with('-') && text.len() > 1 && !is_address(text);
        let reason = if !is_option {
            addresses(text).find_map(|address| judge(text, &address, here))
        } else if text.starts_with("-lp") {
            // The name under which it logs.
            if text == "-lp" {
                rest.next();
            }
            None
        } else {
            let files = ["-lf", "-r", "-R", "-L", "-W"];
            let value = files.iter().find_map(|option| text.strip_prefix(option));
            let value = value.map(|value| match value {
                "" => rest.next().and_then(Word::literal).unwrap_or("…"),
                value => value,
            });
            value.and_then(|file| written(text, file, here))
        };
        if reason.is_some() {
            return reason;
        }
    }
    None
}

fn judge(text: &str, address: &Address, here: &Here<'_>) -> Option<String> {
    let name = &*address.name;
    let mut parts = address.rest.split(',');
    let file = if name.contains('/') {
        Some(name)
    } else if name == "-" || is_number(name) || address.is_one_of(STREAMS) {
        None
    } else if address.is_one_of(FILES) {
        parts.next().filter(|file| !file.is_empty())
    } else {
        return Some(starts("socat", text));
    };
    let options = parts.filter_map(|option| option.split_once('='));
    let files = options.filter(|(name, _)| {
        let name = name.trim().to_ascii_lowercase();
        NAMES_FILE.contains(&&*name)
    });
    let mut files = file.into_iter().chain(files.map(|(_, value)| value));
    files.find_map(|file| written(text, file, here))
}

fn is_address(text: &str) -> bool {
    ADDRESS.iter().any(|begin| text.starts_with(begin))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn written(text: &str, file: &str, here: &Here<'_>) -> Option<String> {
    (!here.is_writable(file)).then(|| outside(text, file))
}
