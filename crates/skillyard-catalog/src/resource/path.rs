//! Paths of resources as text: what is refused before the disk is touched.
//!
//! The checks are the same on every system, so that a skill that is read on one is read on all.

use super::error::ResourceError;

/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 4096;
/// How many characters of a path an error repeats.
const MAX_SHOWN_CHARACTERS: usize = 200;

/// A path below a skill's root, without anything that could lead elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RelativePath(String);

impl RelativePath {
    /// Reads the path of a file.
    pub(super) fn file(path: &str) -> Result<Self, ResourceError> {
        check_text(path)?;
        let clean = without_leading_dots(path);
        for component in clean.split('/') {
            check_component(path, component)?;
        }
        Ok(Self(clean.to_owned()))
    }

    /// Reads the path of a file that must be valid on this system only: nothing in it may lead
    /// elsewhere, or into `.git`.
    pub(super) fn here(whole: &str) -> Result<Self, ResourceError> {
        if whole.is_empty() {
            return Err(ResourceError::Empty);
        }
        let (length, path) = (whole.len(), shown(whole));
        if length > MAX_PATH_BYTES {
            return Err(ResourceError::TooLong { path, length });
        }
        if whole.contains('\0') {
            return Err(ResourceError::Nul { path });
        }
        if whole.starts_with('/') {
            return Err(ResourceError::Absolute { path });
        }
        let clean = without_leading_dots(whole);
        for component in clean.split('/') {
            match component {
                "" | "." => return Err(ResourceError::EmptyComponent { path }),
                ".." => return Err(ResourceError::Parent { path }),
                _ => check_git(whole, component)?,
            }
        }
        Ok(Self(clean.to_owned()))
    }

    /// Reads the path of a folder; the skill's root is `None`, and is written as nothing, `.` or `./`.
    pub(super) fn folder(path: &str) -> Result<Option<Self>, ResourceError> {
        if matches!(path, "" | "." | "./") {
            return Ok(None);
        }
        let inner = path.strip_suffix('/').filter(|inner| !inner.is_empty());
        Self::file(inner.unwrap_or(path)).map(Some)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn components(&self) -> std::str::Split<'_, char> {
        self.0.split('/')
    }
}

/// The path as an error shows it: without control characters, and not endless.
pub(super) fn shown(path: &str) -> String {
    let mut shown = String::with_capacity(path.len().min(MAX_SHOWN_CHARACTERS));
    for (place, character) in path.chars().enumerate() {
        if place == MAX_SHOWN_CHARACTERS {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

fn check_text(path: &str) -> Result<(), ResourceError> {
    let error = match path {
        "" => return Err(ResourceError::Empty),
        _ if path.len() > MAX_PATH_BYTES => {
            |path: String, length| ResourceError::TooLong { path, length }
        }
        _ if path.contains('\0') => |path, _| ResourceError::Nul { path },
        _ if path.starts_with(r"\\") => |path, _| ResourceError::WindowsPath { path },
        _ if path.contains('\\') => |path, _| ResourceError::Backslash { path },
        _ if path.starts_with('/') => |path, _| ResourceError::Absolute { path },
        _ if path.contains(char::is_control) => |path, _| ResourceError::ControlCharacter { path },
        _ if hides_in_percent(path) => |path, _| ResourceError::PercentEncoded { path },
        _ => return Ok(()),
    };
    Err(error(shown(path), path.len()))
}

fn check_component(path: &str, component: &str) -> Result<(), ResourceError> {
    let whole = path;
    let path = || shown(whole);
    if component.is_empty() {
        return Err(ResourceError::EmptyComponent { path: path() });
    }
    if component == ".." {
        return Err(ResourceError::Parent { path: path() });
    }
    if component.chars().all(|c| c == '.' || c.is_whitespace()) {
        return Err(ResourceError::DotsOrSpaces { path: path() });
    }
    if let [letter, b':', ..] = component.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        return Err(ResourceError::WindowsPath { path: path() });
    }
    if is_device(component) {
        return Err(ResourceError::DeviceName {
            path: path(),
            name: shown(component),
        });
    }
    check_git(whole, component)
}

fn check_git(path: &str, component: &str) -> Result<(), ResourceError> {
    // On systems that do not distinguish case, `.GIT` is the same folder.
    if component.eq_ignore_ascii_case(".git") {
        return Err(ResourceError::GitFolder { path: shown(path) });
    }
    Ok(())
}

/// `./a` is how people and models write `a`.
fn without_leading_dots(path: &str) -> &str {
    let mut rest = path;
    while let Some(after) = rest.strip_prefix("./") {
        rest = after;
    }
    rest
}

/// Whether Windows takes the name for a device, as it does whatever follows a dot or colon.
fn is_device(component: &str) -> bool {
    let stem = component.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end_matches(' ').to_ascii_uppercase();
    if matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
    ) {
        return true;
    }
    stem.strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"))
        .is_some_and(|number| {
            let mut digits = number.chars();
            matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
        })
}

/// Whether decoding percent signs, once or repeatedly, yields a separator, a dot or a control character.
///
/// Nothing here decodes; but a caller that forgot to, or one that decodes later, would read another path.
fn hides_in_percent(path: &str) -> bool {
    let mut bytes = path.as_bytes().to_vec();
    // Each round shortens what it decodes, and three encodings on top of each other are not an accident.
    for _ in 0..4 {
        let mut decoded = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        let mut changed = false;
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            let byte = match after.first_chunk() {
                Some(&digits) if first == b'%' => hex_byte(digits),
                _ => None,
            };
            if let Some(byte) = byte {
                // 0xc0 and 0xc1 only start overlong forms of ASCII.
                if matches!(byte, b'.' | b'/' | b'\\' | 0xc0 | 0xc1 | 0x7f) || byte < 0x20 {
                    return true;
                }
                changed = true;
                rest = &after[2..];
            }
            decoded.push(byte.unwrap_or(first));
        }
        if !changed {
            return false;
        }
        bytes = decoded;
    }
    true
}

fn hex_byte(digits: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
}
