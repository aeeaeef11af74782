//! What servers are called here.

/// Whether a server may have this name: letters, digits, `-` and single `_`, 32 at most.
pub fn is_server_name(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=32).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("__")
        && !name.ends_with('_')
        && name.chars().all(fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told_apart_from_their_tools() {
        for name in ["a", "git-hub", "a_b", "A1"] {
            assert!(is_server_name(name), "{name}");
        }
        for name in [
            "",
            "a__b",
            "-a",
            "_a",
            "a_",
            "a b",
            "a.b",
            "ü",
            &"x".repeat(33),
        ] {
            assert!(!is_server_name(name), "{name}");
        }
    }
}
