//! Versions in the names of programs: `python3.11` is `python`, and so is `python3`.

/// Most letters behind a version, which name a build: `python3.13t`.
const MAX_LETTERS: usize = 2;
/// The shortest name that a version stands behind; in `w3m` and `7z` the number is part of the name.
const SHORTEST: usize = 2;

/// The name of a program without its version.
pub(super) fn unversioned(name: &str) -> &str {
    split(name).0
}

/// Whether two names may be those of one program, because one says more of the version than the
/// other.
pub(super) fn may_be_same(one: &str, other: &str) -> bool {
    let ((one, version), (other, others)) = (split(one), split(other));
    // Some write the version of `python3.11` as `311`.
    let (version, others) = (version.replace('.', ""), others.replace('.', ""));
    one == other && (version.starts_with(&others) || others.starts_with(&version))
}

/// A name, and the numbers of its version.
fn split(name: &str) -> (&str, &str) {
    let whole = name.strip_suffix("-dbg").unwrap_or(name);
    let numbers = whole.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_build = whole.len() - numbers.len() <= MAX_LETTERS;
    let numbers = if is_build { numbers } else { whole };
    let stem = numbers.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let version = &numbers[stem.len()..];
    let stem = stem.strip_suffix('-').unwrap_or(stem);
    if !version.starts_with(|c: char| c.is_ascii_digit()) || stem.len() < SHORTEST {
        return (usual(whole), "");
    }
    (usual(stem), version)
}

/// The name that a program has elsewhere, too.
fn usual(stem: &str) -> &str {
    match stem {
        "nodejs" => "node",
        stem => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_names() {
        for (name, expected) in [
            ("python", ("python", "")),
            ("python3", ("python", "3")),
            ("python3.11", ("python", "3.11")),
            ("python3.13t", ("python", "3.13")),
            ("python3-dbg", ("python", "3")),
            ("gcc-12", ("gcc", "12")),
            ("nodejs", ("node", "")),
            ("node20", ("node", "20")),
            ("w3m", ("w3m", "")),
            ("7z", ("7z", "")),
            ("sha256sum", ("sha256sum", "")),
            ("rm", ("rm", "")),
            ("..", ("..", "")),
            ("", ("", "")),
        ] {
            assert_eq!(split(name), expected, "{name}");
        }
        assert!(may_be_same("python", "python3.11"));
        assert!(may_be_same("python3.11", "python3"));
        assert!(may_be_same("python3", "python311"));
        assert!(!may_be_same("python3", "python2"));
        assert!(!may_be_same("base64", "base32"));
        assert!(!may_be_same("rm", "rmdir"));
    }
}
