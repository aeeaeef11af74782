//! Any bytes: parsing, every rule, loading and the reference's answers never panic or hang.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillyard_format::rules::{Profile, SkillFile, Subject, check};
use skillyard_format::{Document, Skill, reference, tokens};

fuzz_target!(|bytes: &[u8]| {
    let document = Document::parse(bytes);
    let files = [SkillFile {
        path: "scripts/run.sh".to_owned(),
        executable: false,
        shebang: true,
        compiled: false,
    }];
    let subject = Subject {
        files: Some(&files),
        ..Subject::new(&document, Some("skill"))
    };
    for profile in [Profile::Spec, Profile::Strict, Profile::Load] {
        for diagnostic in check(&subject, profile) {
            if let Some(span) = diagnostic.span {
                assert!(span.start <= span.end && span.end <= document.text.len());
                assert!(document.text.is_char_boundary(span.start));
            }
        }
    }
    if let Some(skill) = Skill::from_document(&document, Some("skill")) {
        let _ = (skill.frontmatter.to_json(), skill.allowed_tools(), skill.requires());
    }
    let _ = reference::validate(&document.text, "skill");
    let _ = reference::read_properties(&document.text);
    let _ = tokens::estimate(document.body());
    if let Some(head) = Document::parse_head(bytes) {
        assert_eq!(head.mapping(), document.mapping());
    }
});
