//! Paths in a journal: a folder may have a name that is no text.

use std::ffi::OsString;
use std::ops::Deref;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer};

/// A path that is written as text where it is text, else as its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "PathForm")]
pub(crate) struct AnyPath(PathBuf);

#[derive(Deserialize)]
#[serde(untagged)]
enum PathForm {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<PathForm> for AnyPath {
    fn from(form: PathForm) -> Self {
        Self(match form {
            PathForm::Text(text) => PathBuf::from(text),
            PathForm::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
        })
    }
}

impl Serialize for AnyPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => self.0.as_os_str().as_bytes().serialize(serializer),
        }
    }
}

impl From<PathBuf> for AnyPath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Deref for AnyPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for AnyPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_comes_back() {
        let strange = PathBuf::from(OsString::from_vec(b"/a/\xff\xfe b/\"".to_vec()));
        for (path, expected) in [
            (PathBuf::from("/a/b ä"), "\"/a/b ä\""),
            (strange, "[47,97,47,255,254,32,98,47,34]"),
        ] {
            let path = AnyPath::from(path);
            let text = serde_json::to_string(&path).unwrap();
            assert_eq!(text, expected);
            assert_eq!(serde_json::from_str::<AnyPath>(&text).unwrap(), path);
        }
    }
}
