//! Where a name stands: as a command, as what a call starts, as a file that is written.

use super::names::{MAX_BYTES, MAX_WORDS};

/// Whether the words before read a line into the name.
pub(super) fn is_read(before: &str) -> bool {
    let tail = before.trim_end();
    let mut words = tail.rsplit(' ').skip_while(|word| word.starts_with('-'));
    tail.len() < before.len() && words.next() == Some("read")
}

pub(super) fn mark_length(before: &[u8]) -> usize {
    match before {
        [.., b'$', b'{'] => 2,
        [.., b'$' | b'%'] => 1,
        _ => 0,
    }
}

/// Whether a file that stands here is written to.
pub(super) fn is_written(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(MAX_BYTES)..];
    let is_mark = |byte: &u8| matches!(byte, b'$' | b'{' | b'"' | b'\'' | b' ');
    let end = before.iter().rposition(|byte| !is_mark(byte));
    end.is_some_and(|at| before[at] == b'>')
}

/// Whether a word that stands here is the name of a command.
pub(super) fn is_command(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    before.is_empty()
        || matches!(before, [.., b';' | b'|' | b'&' | b'(' | b'`' | b'{'])
        || [&b" do"[..], b" then", b" else"]
            .iter()
            .any(|word| before.ends_with(word))
}

/// Whether a value that stands here is what a call starts.
pub(super) fn is_first_argument(before: &[u8]) -> bool {
    let open = before
        .iter()
        .rposition(|byte| !matches!(byte, b'[' | b'"' | b'\'' | b'`' | b'{' | b'$' | b'f' | b' '));
    let Some(open) = open.filter(|at| before[*at] == b'(') else {
        return false;
    };
    let name = before[..open].rsplit(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    let starters: [&[u8]; 16] = [
        b"system",
        b"popen",
        b"run",
        b"call",
        b"check_call",
        b"check_output",
        b"getoutput",
        b"spawn",
        b"spawnsync",
        b"exec",
        b"execsync",
        b"execfile",
        b"execfilesync",
        b"startfile",
        b"eval",
        b"command",
    ];
    name.into_iter()
        .next()
        .is_some_and(|name| starters.contains(&name))
}

/// Whether a value that stands here is started as a program.
pub(crate) fn is_started(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(MAX_BYTES)..];
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b"\"").unwrap_or(before);
    let before = before.strip_suffix(b"'").unwrap_or(before).trim_ascii_end();
    // As a command it reads a script, as an argument it is this folder or everything.
    if let Some(point) = before.strip_suffix(b".")
        && point.last().is_none_or(u8::is_ascii_whitespace)
    {
        return is_command(point);
    }
    // Behind `python -` or `sh -c` stands an argument.
    let is_option = |word: &&[u8]| word.starts_with(b"-") || word.starts_with(b"+");
    let words = before.rsplit(u8::is_ascii_whitespace).take(MAX_WORDS);
    let mut options = words.clone().take_while(is_option);
    if options.any(|word| matches!(word, b"-" | b"-c" | b"-m" | b"-e")) {
        return false;
    }
    let mut words = words.skip_while(is_option);
    let starters: [&[u8]; 23] = [
        b"sh",
        b"bash",
        b"zsh",
        b"dash",
        b"source",
        b"exec",
        b"nohup",
        b"sudo",
        b"eval",
        b"python",
        b"python3",
        b"node",
        b"perl",
        b"ruby",
        b"start",
        b"start-process",
        b"msiexec",
        b"/b",
        b"755",
        b"chmod",
        b"powershell",
        b"iex",
        b"invoke-expression",
    ];
    is_command(before)
        || before.ends_with(b"&")
        || words.next().is_some_and(|word| {
            let word = word.rsplit(|byte| *byte == b'/').next().unwrap_or(word);
            let word = word
                .rsplit(|byte| matches!(byte, b'(' | b'`' | b'"' | b'\''))
                .next();
            word.is_some_and(|word| starters.contains(&word))
        })
}
