//! What tools of servers are called here.

use skillyard_format::Digest;

/// What every tool of a server begins with.
pub const PREFIX: &str = "mcp__";
/// The longest name that providers take.
const LONGEST: usize = 64;
/// How many characters of a digest tell changed names apart.
const MARK: usize = 8;

/// Whether a server may have this name: letters, digits, `-` and single `_`, 32 at most.
pub fn is_server_name(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=32).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("__")
        && !name.ends_with('_')
        && name.chars().all(fine)
}

/// What a tool of a server is called here.
///
/// A name that providers would refuse is changed, and carries a mark of what it was.
pub fn exposed(server: &str, tool: &str) -> String {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let front = format!("{PREFIX}{server}__");
    let room = LONGEST - front.len().min(LONGEST - MARK - 2);
    if !tool.is_empty() && tool.len() <= room && tool.chars().all(fine) {
        return front + tool;
    }
    let mark = &Digest::of(tool.as_bytes()).to_hex()[..MARK];
    let kept = tool.chars().map(|c| if fine(c) { c } else { '_' });
    let kept: String = kept.take(room - MARK - 1).collect();
    format!("{front}{kept}_{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_providers_take_stay() {
        assert_eq!(exposed("files", "read_file"), "mcp__files__read_file");
    }

    #[test]
    fn other_names_are_changed_and_never_become_one() {
        let odd = [
            "a b",
            "a.b",
            "a/b",
            "a_b",
            "",
            "ü",
            &"x".repeat(99),
            &"x".repeat(98),
            "a\u{202e}b",
        ];
        let names: Vec<String> = odd.iter().map(|tool| exposed("s", tool)).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(name.len() <= 64, "{name}");
            assert!(
                name.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)),
                "{name}"
            );
            assert!(!names[..at].contains(name), "{name}");
        }
        let long = exposed(&"s".repeat(32), &"t".repeat(200));
        assert_eq!(long.len(), 64);
    }

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
