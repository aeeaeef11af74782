//! Whether there is anything to run: nobody is asked about what could not run after a yes.

use axum::http::StatusCode;
use skillyard_catalog::resource::{ReadLimits, ReadRange, ResourceContent, ResourceError};
use skillyard_format::script::{BEGINNING, starter};

use crate::contents::{Contents, ContentsError};
use crate::problem::{Problem, shortened};

/// The bytes of the longest name that file systems know.
const LONGEST_NAME: usize = 255;

/// Refuses a script that the skill does not have, and a file that is none.
pub(super) fn check(contents: &Contents<'_>, skill: &str, script: &str) -> Result<(), Problem> {
    let path = script.strip_prefix("./").unwrap_or(script);
    let range = ReadRange {
        offset: 0,
        limit: Some(BEGINNING as u64),
    };
    // No file can have such a name, and nobody has to be asked about it.
    if path.split('/').any(|part| part.len() > LONGEST_NAME) {
        return Err(missing(skill, &shortened(script)));
    }
    let read = |path: &str| contents.read(path, range, ReadLimits::default());
    // By its path, or by its name in `scripts/`.
    let found = match read(path) {
        Err(error) if is_absent(&error) => read(&format!("scripts/{path}")),
        found => found,
    };
    match found {
        Err(error) if is_absent(&error) => Err(missing(skill, script)),
        Ok(file) => match &file.content {
            ResourceContent::Text(text) if starter(&file.path, text.as_bytes()).is_none() => {
                let path = &file.path;
                let text =
                    format!("`{path}` is no script: it has no `#!` line and no known ending");
                Err(Problem::bad(text))
            }
            _ => Ok(()),
        },
        // What cannot be read for another reason is for whoever runs it to say.
        Err(_) => Ok(()),
    }
}

fn missing(skill: &str, script: &str) -> Problem {
    let text = format!("skill `{skill}` has no script `{script}`");
    Problem::new(StatusCode::NOT_FOUND, text)
}

/// Whether no file of a skill can be meant.
fn is_absent(error: &ContentsError) -> bool {
    matches!(
        error,
        ContentsError::Resource(
            ResourceError::NotFound { .. }
                | ResourceError::Empty
                | ResourceError::Absolute { .. }
                | ResourceError::Parent { .. }
                | ResourceError::EmptyComponent { .. }
        )
    )
}
