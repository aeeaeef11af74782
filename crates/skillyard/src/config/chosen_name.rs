//! Names that the user chooses as a part of a key, and those that may not be chosen.

use skillyard_format::text::nearest;

use super::provenances::PROVENANCES;

/// Words that a reference can begin with, which no source may take.
const TAKEN: &[&str] = &[
    "file", "git", "github", "gitlab", "http", "https", "npm", "oci", "skill", "ssh",
];

/// Why a name may not stand there, if it may not.
pub(super) fn refused(placeholder: &str, name: &str) -> Option<String> {
    if placeholder == "PROVENANCE" {
        let names: Vec<&str> = PROVENANCES.iter().map(|each| each.name).collect();
        if names.contains(&name) {
            return None;
        }
        let meant = nearest(name, names.iter().copied());
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Some(format!(
            "`{name}` is no provenance: it can be {}{meant}",
            names.join(", ")
        ));
    }
    if let "VARIABLE" | "HEADER" = placeholder {
        let fine = |c: char| {
            c.is_ascii_alphanumeric() || c == '_' || (c == '-' && placeholder == "HEADER")
        };
        let is_fine = !name.is_empty() && name.len() <= 128 && name.chars().all(fine);
        return (!is_fine)
            .then(|| format!("`{name}` is no name of a {}", placeholder.to_lowercase()));
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(is_plain)
        || name.starts_with(['-', '_'])
    {
        let what = match placeholder {
            "NAME" => "source",
            _ => "server",
        };
        return Some(format!(
            "`{name}` is no name for a {what}: use lowercase letters, digits, `-` and `_`"
        ));
    }
    // A tool is called `mcp__SERVER__TOOL`, and one must see where the name ends.
    if placeholder == "SERVER" && (name.contains("__") || name.ends_with('_') || name.len() > 32) {
        return Some(format!(
            "`{name}` is no name for a server: it is too long, or has `_` twice or at its end"
        ));
    }
    (placeholder == "NAME" && TAKEN.contains(&name)).then(|| {
        format!(
            "no source may be called `{name}`: references with `{name}:` have a meaning already"
        )
    })
}
