//! What a program did, as a model reads it.
//!
//! A program may write a megabyte, and a model reads it again with every step. So much of each
//! stream is given as `Read` gives of a file: its beginning, and its end, where programs say how it
//! went.

use std::fmt::Write as _;

use skillyard_format::render::foreign::stream;

use crate::host::Ran;

/// Most bytes of each stream that a model is given.
const STREAMS: [(&str, usize); 2] = [("stdout", 40_000), ("stderr", 20_000)];

/// What a program did.
pub(super) fn told(ran: &Ran) -> String {
    let mut text = format!("exit code {}\n", ran.code);
    // Before everything that a program can write, be it without end.
    if let Some(made) = &ran.made {
        let _ = writeln!(
            text,
            "sandbox: it made {made}: look at it before git or an agent obeys it"
        );
    }
    for ((label, most), content) in STREAMS.into_iter().zip([&ran.stdout, &ran.stderr]) {
        if !content.is_empty() {
            text.push_str(&stream(label, content, most));
            text.push('\n');
        }
    }
    for denial in &ran.denials {
        let _ = writeln!(text, "sandbox: {denial}");
    }
    text
}
