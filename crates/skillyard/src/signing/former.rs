//! Skills under another name than their own in locks of versions that did not note what their source
//! gave: what is revoked stays so under every name.

use skillyard_format::Digest;
use skillyard_install::candidate::under_former_name;
use skillyard_install::lockfile::Locked;
use skillyard_install::tree::Tree;
use skillyard_trust::signature::Policy;

/// What of a source's address is no name.
const ENDINGS: [&str; 6] = [".git", ".zip", ".skill", ".tar.gz", ".tgz", ".tar.zst"];

/// What the source of a skill gave, as its lock says; else what it must have given if that is revoked.
pub(crate) fn delivered_as(
    entry: &Locked,
    policy: &Policy,
    tree: impl FnOnce() -> Option<Tree>,
) -> Option<Digest> {
    let own = own_name(&entry.source);
    if entry.delivered_as.is_some() || own == entry.name || !policy.revokes_content() {
        return entry.delivered_as;
    }
    let mut former = under_former_name(&tree()?, own).into_iter();
    former.find(|digest| policy.revocation_of(*digest).is_some())
}

/// The name that a skill is likely to have where it comes from: that of its folder.
fn own_name(source: &str) -> &str {
    let last = source.rsplit(['/', '#', ':']).next().unwrap_or(source);
    let ending = ENDINGS.iter().find_map(|ending| last.strip_suffix(ending));
    ending.unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::own_name;

    #[test]
    fn sources_end_in_the_name_of_a_skill() {
        for source in [
            "./lib/pdf",
            "pdf",
            "corp:@acme/pdf",
            "git+https://h/r.git#skills/pdf",
            "https://h/pdf.tar.gz",
            "git+https://h/pdf.git",
        ] {
            assert_eq!(own_name(source), "pdf");
        }
    }
}
