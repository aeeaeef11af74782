//! What `--fix` writes can be read, and fixing it again changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillyard_format::Document;
use skillyard_format::fix::fix;

fuzz_target!(|bytes: &[u8]| {
    if let Some(fixed) = fix(bytes, "SKILL.md", Some("skill")) {
        assert!(Document::parse(fixed.text.as_bytes()).mapping().is_some());
        assert_eq!(fix(fixed.text.as_bytes(), "SKILL.md", Some("skill")), None);
    }
});
