//! Contents of objects, many in one go.

use std::collections::HashMap;

use super::command::{Git, GitError, run_with_input};
use std::path::Path;

/// The contents of these blobs; those that are not here are missing in the answer.
pub(super) fn read(
    git: &Git,
    repository: &Path,
    objects: &[&str],
) -> Result<HashMap<String, Vec<u8>>, GitError> {
    let mut command = git.command(repository);
    command.args(["cat-file", "--batch", "--buffer"]);
    let mut input = objects.join("\n").into_bytes();
    input.push(b'\n');
    let answer = run_with_input(&mut command, input, "read objects")?;
    parse(&answer)
}

fn parse(mut answer: &[u8]) -> Result<HashMap<String, Vec<u8>>, GitError> {
    let wrong = || GitError::Answer("the content of an object");
    let mut contents = HashMap::new();
    while let Some(end) = answer.iter().position(|byte| *byte == b'\n') {
        let head = std::str::from_utf8(&answer[..end]).map_err(|_| wrong())?;
        answer = &answer[end + 1..];
        let words: Vec<&str> = head.split(' ').collect();
        match words[..] {
            [object, "blob", size] => {
                let size: usize = size.parse().map_err(|_| wrong())?;
                let content = answer.get(..size).ok_or_else(wrong)?;
                contents.insert(object.to_owned(), content.to_vec());
                answer = answer.get(size + 1..).ok_or_else(wrong)?;
            }
            [_, "missing"] => {}
            _ => return Err(wrong()),
        }
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_taken_apart_by_their_sizes() {
        let contents = parse(b"aa blob 3\na\nb\nbb missing\ncc blob 0\n\n").unwrap();
        assert_eq!(contents["aa"], b"a\nb");
        assert_eq!(contents["cc"], b"");
        assert!(!contents.contains_key("bb"));
        assert!(parse(b"aa blob 30\nshort\n").is_err());
    }
}
