//! What a message says to do with files of a skill, read without a model.

use skillyard_format::render::arguments::Arguments;

/// One thing to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParsedRequest {
    /// A file is to be read. Whether there is one is for the tool to say.
    Read(String),
    /// A script is to be run, with these arguments.
    Run(String, Vec<String>),
}

/// Punctuation around a word of a sentence.
const MARKS: [char; 5] = ['`', '"', '\'', ',', ';'];
/// Words that go on with something else.
const NEXT: [&str; 2] = ["and", "then"];

/// The requests of `text`, in order: files that it names are read, or run after the word `run`. Every
/// word after `read` is tried: a path that leads out of the skill is refused like that of a model.
pub(super) fn parse_requests(text: &str, listed: &[&str]) -> Vec<ParsedRequest> {
    let mut found = Vec::new();
    let mut verb = "";
    for line in text.lines() {
        let mut before = Vec::new();
        let mut rest = line;
        while let Some((written, behind)) = next_word(rest) {
            rest = behind;
            let word = written.trim_matches(MARKS);
            let says = |what: &str| verb.eq_ignore_ascii_case(what);
            let script = named(word, listed).filter(|_| says("run"));
            if let Some(script) = script {
                let (arguments, behind) = arguments(written, &before, rest);
                rest = behind;
                found.push(ParsedRequest::Run(script.to_owned(), arguments));
            } else if listed.contains(&word) || (says("read") && word.contains('/')) {
                found.push(ParsedRequest::Read(word.to_owned()));
            }
            verb = word;
            before.push(word);
        }
    }
    found
}

fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (!text.is_empty()).then(|| text.split_at(end))
}

/// The file that a script is called by: its path, or its name in `scripts/`.
fn named<'a>(word: &str, listed: &[&'a str]) -> Option<&'a str> {
    let is_it = |path: &&&str| **path == word || path.strip_prefix("scripts/") == Some(word);
    listed.iter().find(is_it).copied()
}

/// The arguments of a script, and the rest of the line. Where the script and its
/// arguments stand between backticks it is that; where the line is an order and begins with `run`,
/// all that follows, up to a mark or a word that goes on with something else.
fn arguments<'a>(script: &str, before: &[&str], rest: &'a str) -> (Vec<String>, &'a str) {
    let ends = |word: &str| word.ends_with(['`', ',', ';']);
    if ends(script) {
        return (Vec::new(), rest);
    }
    if script.starts_with('`') {
        let (inside, behind) = rest.split_once('`').unwrap_or((rest, ""));
        return (Arguments::parse(inside).words, behind);
    }
    let named = before.len().saturating_sub(1);
    let is_order = before[..named]
        .iter()
        .all(|word| word.starts_with(['/', '$']));
    if !is_order {
        return (Vec::new(), rest);
    }
    let mut behind = rest;
    while let Some((word, after)) = next_word(behind) {
        if NEXT.contains(&word) {
            break;
        }
        behind = after;
        if ends(word) {
            break;
        }
    }
    let told = &rest[..rest.len() - behind.len()];
    let told = told.trim_end_matches([',', ';']);
    (Arguments::parse(told).words, behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[ParsedRequest]) {
        let listed = ["references/a.md", "scripts/hello.sh", "tool.py"];
        assert_eq!(parse_requests(text, &listed), expected, "{text}");
    }

    fn read(path: &str) -> ParsedRequest {
        ParsedRequest::Read(path.to_owned())
    }

    fn run(script: &str, arguments: &[&str]) -> ParsedRequest {
        let arguments = arguments.iter().map(|&each| each.to_owned());
        ParsedRequest::Run(script.to_owned(), arguments.collect())
    }

    #[test]
    fn an_order_passes_its_arguments_on() {
        let hello = |arguments: &[&str]| [run("scripts/hello.sh", arguments)];
        check("run scripts/hello.sh", &hello(&[]));
        check("run scripts/hello.sh Ada", &hello(&["Ada"]));
        check("/greeter run hello.sh Ada -v", &hello(&["Ada", "-v"]));
        check("run hello.sh 'Ada L' \"\"", &hello(&["Ada L", ""]));
        check("run `hello.sh Ada` now", &hello(&["Ada"]));
        check("Please run `hello.sh Ada`.", &hello(&["Ada"]));
        check("run `scripts/hello.sh` for me", &hello(&[]));
        check("Run tool.py", &[run("tool.py", &[])]);
    }

    #[test]
    fn a_sentence_is_no_argument() {
        let both = [run("scripts/hello.sh", &[]), read("references/a.md")];
        check("run scripts/hello.sh and read references/a.md", &both);
        check("please run scripts/hello.sh, read references/a.md", &both);
        let told = [run("scripts/hello.sh", &["Ada"]), read("references/a.md")];
        check("run hello.sh Ada, read references/a.md", &told);
        check("run hello.sh Ada\nread references/a.md", &told);
        check("you could run scripts/hello.sh for Ada", &both[..1]);
    }

    #[test]
    fn files_are_read_and_paths_are_tried() {
        check(
            "what does `references/a.md` say?",
            &[read("references/a.md")],
        );
        check("read ../secret and hello.sh", &[read("../secret")]);
        check("hello.sh and/or nothing", &[]);
    }
}
