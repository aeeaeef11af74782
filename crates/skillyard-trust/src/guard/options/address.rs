//! Names of files that programs take from addresses: `curl -O https://host/.envrc` writes `.envrc`.

use super::super::shell::Word;
use super::{Here, outside};

/// How many steps of an address are part of the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    Last,
    All,
}

/// Why what a program makes of an address is not for it to write, if it is not.
pub(super) fn written(
    program: &str,
    address: &Word,
    steps: Steps,
    here: &Here<'_>,
) -> Option<String> {
    let Some(text) = address.literal().filter(|text| !text.starts_with('@')) else {
        return Some(unknown(program));
    };
    let decoded = decoded(text);
    let (_, decoded) = decoded.split_once("://").unwrap_or(("", &decoded));
    // Programs, and versions of one, disagree on whether what follows belongs to the name.
    let path = decoded.split(['?', '#']).next().unwrap_or_default();
    let mut names = [path, decoded].into_iter().map(|text| file(text, steps));
    let away = names.find(|name| !here.is_writable(&format!("./{name}")))?;
    let shown: String = text.chars().take(60).collect();
    Some(outside(&shown, &away))
}

/// The last step of an address, if it has a host before it.
pub(super) fn last_step(text: &str) -> &str {
    let text = text.trim_end_matches('/');
    text.rsplit(['/', ':']).next().unwrap_or_default()
}

/// Why a file whose name nobody can see is not written.
pub(super) fn unknown(program: &str) -> String {
    let option = if program == "curl" { "-o" } else { "-O" };
    format!(
        "the name of the file that `{program}` writes is only known when it runs; \
         name it with `{option}`"
    )
}

fn file(text: &str, steps: Steps) -> String {
    // `{a,b}` stands for both in an address of curl.
    let parts = text.split(['/', '\\', '{', ',']);
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    let is_hidden = |part: &&&str| part.starts_with('.') && text.contains('{');
    match steps {
        Steps::All => parts.join("/"),
        Steps::Last => {
            let hidden = parts.iter().find(is_hidden).or(parts.last());
            hidden.map_or("index.html", |part| part).to_owned()
        }
    }
}

/// The text with the characters that decide about a name in their own form.
fn decoded(text: &str) -> String {
    let text = text.replace("%2e", ".").replace("%2E", ".");
    text.replace("%2f", "/").replace("%2F", "/")
}
