//! Every class of attack is refused, for its own reason.

use std::collections::BTreeSet;

use crate::support::{Attack, code};
use crate::{name_attacks, stream_attacks, tar_attacks, zip_attacks};

/// Codes are read by programs: one that is renamed breaks them.
const CODES: &str = "\
compressed-twice damaged entry-absolute entry-alternate-stream entry-backslash entry-checksum entry-collision \
entry-control-character entry-damaged entry-drive entry-duplicate entry-empty-name entry-encrypted entry-escapes \
entry-file-and-folder entry-hard-link entry-invisible-character entry-kind-mismatch entry-lookalike \
entry-name-too-long entry-not-canonical entry-not-utf8 entry-path-too-long entry-ratio entry-reserved-character \
entry-reserved-name entry-size-lie entry-sparse entry-special entry-special-mode entry-symlink entry-too-deep \
entry-too-large entry-trailing-dot-or-space entry-two-names entry-unexpected-content entry-unmarked-encoding \
entry-unsupported limit-archive-bytes limit-entries limit-files limit-ratio limit-total-bytes second-stream \
shape-empty shape-many-roots shape-no-skill-file shape-skill-file-is-folder shape-two-skill-files stream-header \
tar-checksum tar-contradiction tar-duplicate-key tar-extended tar-extended-too-large tar-global tar-header \
tar-number tar-two-sizes trailing-data truncated two-formats unknown-format zip-directory zip-end zip-extra-field zip-gap \
zip-header-mismatch zip-multi-disk zip-overlap zip-prefix zip-two-ends zip-zip64";

fn attacks() -> Vec<Attack> {
    let mut attacks = name_attacks::attacks();
    attacks.extend(zip_attacks::attacks());
    attacks.extend(tar_attacks::attacks());
    attacks.extend(stream_attacks::attacks());
    attacks
}

#[test]
fn every_attack_is_refused_for_its_own_reason() {
    let attacks = attacks();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut wrong = Vec::new();
    for attack in &attacks {
        let code = code(&attack.bytes);
        seen.insert(code);
        if !attack.codes.contains(&code) {
            wrong.push(format!(
                "{}: {code}, expected {:?}",
                attack.label, attack.codes
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(attacks.len() >= 1000, "only {} archives", attacks.len());
    assert_eq!(seen.into_iter().collect::<Vec<_>>().join(" "), CODES);
}
