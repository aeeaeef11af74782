//! Contents of objects, many in one go.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use super::command::{Git, GitSession};
use super::error::GitError;
use crate::tree::TreeError;

/// Most bytes of all objects together that are kept in memory.
const MAX_TOTAL_BYTES: u64 = 256 << 20;

/// The contents of these blobs; those that are not here are missing in the answer.
///
/// The sizes come first, so that what is larger than `limit` is never read.
pub(super) fn read(
    git: &Git,
    repository: &Path,
    objects: &[&str],
    limit: u64,
) -> Result<HashMap<String, Vec<u8>>, GitError> {
    let mut command = git.command(repository);
    command.args(["cat-file", "--batch", "--buffer"]);
    let mut input = objects.join("\n").into_bytes();
    input.push(b'\n');
    let mut talk = GitSession::start(&mut command, input)?;
    let contents = parse(&mut BufReader::new(&mut talk.answer), limit);
    talk.end("read objects", contents)
}

fn parse(answer: &mut impl BufRead, limit: u64) -> Result<HashMap<String, Vec<u8>>, GitError> {
    let wrong = || GitError::Answer("the content of an object");
    let mut contents = HashMap::new();
    let mut total = 0;
    let mut line = String::new();
    while answer.read_line(&mut line).map_err(|_| wrong())? > 0 {
        let words: Vec<&str> = line.trim_end().split(' ').collect();
        match words[..] {
            [object, "blob", size] => {
                let size: u64 = size.parse().map_err(|_| wrong())?;
                total += size;
                if size > limit || total > MAX_TOTAL_BYTES {
                    return Err(TreeError::Bytes(limit.min(MAX_TOTAL_BYTES)).into());
                }
                let mut content = Vec::new();
                let read = answer.by_ref().take(size).read_to_end(&mut content);
                if read.map_err(GitError::Run)? as u64 != size {
                    return Err(wrong());
                }
                answer.read_line(&mut String::new()).map_err(|_| wrong())?;
                contents.insert(object.to_owned(), content);
            }
            [_, "missing"] => {}
            _ => return Err(wrong()),
        }
        line.clear();
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_taken_apart_by_their_sizes() {
        let parse = |mut text: &[u8]| super::parse(&mut text, 100);
        let contents = parse(b"aa blob 3\na\nb\nbb missing\ncc blob 0\n\n").unwrap();
        assert_eq!(contents["aa"], b"a\nb");
        assert_eq!(contents["cc"], b"");
        assert!(!contents.contains_key("bb"));
        assert!(parse(b"aa blob 30\nshort\n").is_err());
        assert!(matches!(
            parse(b"aa blob 101\n"),
            Err(GitError::Tree(TreeError::Bytes(100)))
        ));
    }
}
