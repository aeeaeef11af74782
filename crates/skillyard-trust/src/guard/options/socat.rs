//! Addresses of `socat` that are a program or a file, and the files that its options name.

use crate::guard::options::{CommandContext, outside, starts};
use crate::guard::shell::Word;

/// How the names of addresses begin that are a stream.
#[rustfmt::skip]
const STREAM_TYPES: &[&str] = &[
    "ABSTRACT-", "DCCP", "FD", "IP", "OPENSSL", "PROXY", "PTY", "READLINE", "SCTP", "SOCK", "SSL", "STD",
    "TCP", "UDP", "UNIX-CLIENT", "UNIX-CONNECT", "UNIX-SENDTO", "VSOCK",
];
/// How the names of addresses begin that are a file.
#[rustfmt::skip]
const FILE_TYPES: &[&str] = &[
    "CREAT", "FIFO", "FILE", "GOPEN", "OPEN", "PIPE", "UNIX-LISTEN", "UNIX-RECV",
];
/// Prefixes of the standard streams as an address, which is not an option.
const ADDRESS_PREFIXES: &[&str] = &["-!", "-,", "-:"];
/// Options of addresses whose value is a file.
const FILE_NAME_OPTIONS: &[&str] = &["history", "link", "lockfile", "symbolic-link", "waitlock"];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn socat(words: &[Word], named: usize, ctx: &CommandContext<'_>) -> Option<String> {
    let mut rest = words.iter().skip(named.max(1));
    while let Some(word) = rest.next() {
        let Some(text) = word.literal() else {
            return Some("what `socat` is told is only known when it runs".into());
        };
        let is_option = text.starts_with('-') && text.len() > 1 && !is_address(text);
        let reason = if !is_option {
            addresses(text).find_map(|address| address_danger(text, &address, ctx))
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
            value.and_then(|file| file_danger(text, file, ctx))
        };
        if reason.is_some() {
            return reason;
        }
    }
    None
}

fn address_danger(text: &str, address: &SocatAddress, ctx: &CommandContext<'_>) -> Option<String> {
    let name = &*address.name;
    let mut parts = address.rest.split(',');
    let file = if name.contains('/') {
        Some(name)
    } else if name == "-" || is_number(name) || address.is_one_of(STREAM_TYPES) {
        None
    } else if address.is_one_of(FILE_TYPES) {
        parts.next().filter(|file| !file.is_empty())
    } else {
        return Some(starts("socat", text));
    };
    let options = parts.filter_map(|option| option.split_once('='));
    let files = options.filter(|(name, _)| {
        let name = name.trim().to_ascii_lowercase();
        FILE_NAME_OPTIONS.contains(&&*name)
    });
    let mut files = file.into_iter().chain(files.map(|(_, value)| value));
    files.find_map(|file| file_danger(text, file, ctx))
}

fn is_address(text: &str) -> bool {
    ADDRESS_PREFIXES.iter().any(|begin| text.starts_with(begin))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn file_danger(text: &str, file: &str, ctx: &CommandContext<'_>) -> Option<String> {
    (!ctx.is_writable(file)).then(|| outside(text, file))
}

/// How the names of addresses begin that are a program.
const PROGRAM_TYPES: &[&str] = &["EXEC", "SHELL", "SYSTEM"];

/// One address, without the quotes and escapes in it.
pub(super) struct SocatAddress {
    /// Its name, such as `TCP-LISTEN`, or its path.
    pub(super) name: String,
    /// The text after the name, with the options.
    pub(super) rest: String,
}

impl SocatAddress {
    fn of(text: &str) -> Self {
        let bare = text.replace(['"', '\'', '\\'], "");
        let bare = bare.trim();
        let (name, rest) = bare.split_at(bare.find([':', ',']).unwrap_or(bare.len()));
        Self {
            name: name.to_owned(),
            rest: rest.strip_prefix(':').unwrap_or(rest).to_owned(),
        }
    }

    /// Whether its name begins with one of these, in whatever case.
    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        let own = self.name.to_ascii_uppercase();
        names.iter().any(|name| own.starts_with(name))
    }
}

/// The addresses in a word: `A!!B` are one for each direction.
pub(super) fn addresses(word: &str) -> impl Iterator<Item = SocatAddress> {
    word.split("!!").map(SocatAddress::of)
}

/// What a program or a shell is given from the first such address on, as it is written.
pub(in crate::guard) fn program_of_address(word: &str) -> Option<&str> {
    let mut from = 0;
    for part in word.split("!!") {
        if SocatAddress::of(part).is_one_of(PROGRAM_TYPES) {
            return word[from..]
                .split_once(':')
                .map(|(_, program_of_address)| program_of_address);
        }
        from += part.len() + "!!".len();
    }
    None
}
