//! Crafted archives beside the repository, where they are there: none may be accepted as it is.

use std::path::Path;

use crate::support::unpack;

/// These hold only what is dropped or ignored, so they are accepted without it.
const DEFUSED: [&str; 2] = ["git-hook", "xattr-caps"];

#[test]
fn crafted_archives_are_refused_or_defused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/archives");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let result = unpack(&std::fs::read(&path).unwrap());
        let defused = DEFUSED.iter().any(|part| name.contains(part));
        assert_eq!(result.is_ok(), defused, "{name}: {:?}", result.err());
        if let Ok(unpacked) = result {
            assert!(unpacked.files.contains_key("SKILL.md"));
            assert!(!unpacked.files.keys().any(|path| path.contains(".git/")));
        }
    }
}
