//! The conformance skill of the `RemcoChat` design (§6) through the library, step by step of its checklist.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/tree.rs"]
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_catalog::resource::{
    ReadLimits, ReadRange, ResourceContent, ResourceError, SkillRoot,
};
use skillyard_catalog::search::Detail;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::surroundings::Preset;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_format::rules::{self, Profile, Subject};
use skillyard_format::{Document, Skill};
use tree::Tree;

const NAME: &str = "skills-system-validation";
/// Stands in the body of the skill and nowhere else.
const BODY: &str = "REMCOCHAT_SKILLS_CONFORMANCE_BODY_v1";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The catalog of a repository that has the skill where `RemcoChat` keeps it.
fn catalog(preset: Preset) -> (Tree, Catalog) {
    let tree = Tree::new();
    tree.mkdir("work/.git");
    for file in root().list(None).unwrap().files {
        let bytes = fs::read(root().path().join(&file.path)).unwrap();
        tree.write(&format!("work/.skills/{NAME}/{}", file.path), bytes);
    }
    let mut settings = tree.settings();
    settings.surroundings.preset = preset;
    let catalog = Catalog::load(&settings);
    (tree, catalog)
}

fn root() -> SkillRoot {
    SkillRoot::open(&fixtures().join(".skills").join(NAME)).unwrap()
}

fn read(path: &str) -> Result<String, ResourceError> {
    let resource = root().read(path, ReadRange::default(), &ReadLimits::default())?;
    match resource.content {
        ResourceContent::Text(text) => Ok(text),
        ResourceContent::Binary { media_type, .. } => panic!("{path} is {media_type}"),
    }
}

#[test]
fn the_skill_is_strictly_valid() {
    let bytes = fs::read(fixtures().join(".skills").join(NAME).join("SKILL.md")).unwrap();
    let document = Document::parse(&bytes);
    let subject = Subject::new(&document, Some(NAME));
    assert_eq!(rules::check(&subject, Profile::Strict), []);
}

#[test]
fn step_1_discovery_without_the_body() {
    for preset in [Preset::Default, Preset::Remcochat] {
        let (_tree, catalog) = catalog(preset);
        let skill: &CatalogSkill = catalog.find(NAME).unwrap();
        assert_eq!(
            (skill.kind, &skill.status),
            (SourceKind::Project, &Status::Enabled)
        );
        assert!(!skill.record.description.is_empty());
        assert_eq!(skill.record.problems, []);
        assert!(!format!("{catalog:?}").contains(BODY));
    }
}

#[test]
fn step_2_activation_returns_the_whole_file() {
    let text = read("SKILL.md").unwrap();
    assert!(text.contains(BODY));
    let document = Document::parse(text.as_bytes());
    assert!(document.body().contains(BODY));
    let skill = Skill::from_document(&document, Some(NAME)).unwrap();
    assert_eq!(skill.name, NAME);
}

#[test]
fn step_2_implicit_matching_finds_it() {
    let (_tree, catalog) = catalog(Preset::Remcochat);
    let skills: Vec<&CatalogSkill> = catalog.enabled().collect();
    let index = skillyard_catalog::finder::build_index(&skills);
    let options = skillyard_catalog::search::Options {
        detail: Detail::Ranking,
        ..Default::default()
    };
    let hits = index.search("validate my skills system implementation", &options);
    assert_eq!(skills[hits[0].document as usize].record.name, NAME);
}

#[test]
fn step_3_resources() {
    let reference = read("references/REFERENCE.md").unwrap();
    assert!(reference.contains("REMCOCHAT_SKILLS_CONFORMANCE_REFERENCE_v1"));
    let fixture = read("assets/fixture.json").unwrap();
    assert!(fixture.contains("\"fixture_id\": \"skills-system-validation\""));
    let parsed: serde_json::Value = serde_json::from_str(&fixture).unwrap();
    assert_eq!(parsed["fixture_id"], NAME);
    let script = read("scripts/echo.sh").unwrap();
    assert!(script.contains("REMCOCHAT_SKILLS_SCRIPT_OK"));
    let files = root().list(None).unwrap().files;
    let paths: Vec<_> = files
        .iter()
        .map(|file| (file.path.as_str(), file.executable))
        .collect();
    assert_eq!(
        paths,
        [
            ("SKILL.md", false),
            ("assets/fixture.json", false),
            ("references/REFERENCE.md", false),
            ("scripts/echo.sh", true),
        ]
    );
}

#[test]
fn step_3_a_soft_limit_cuts_and_says_so() {
    let limits = ReadLimits {
        max_bytes: 20,
        ..ReadLimits::default()
    };
    let first = root()
        .read("references/REFERENCE.md", ReadRange::default(), &limits)
        .unwrap();
    assert_eq!(first.next_offset, Some(20));
    let mut text = String::new();
    let mut offset = Some(0);
    while let Some(next) = offset {
        let range = ReadRange {
            offset: next,
            limit: None,
        };
        let part = root()
            .read("references/REFERENCE.md", range, &limits)
            .unwrap();
        let ResourceContent::Text(part_text) = part.content else {
            panic!("not text");
        };
        text.push_str(&part_text);
        offset = part.next_offset;
    }
    assert_eq!(text, read("references/REFERENCE.md").unwrap());
}

#[test]
fn step_4_paths_that_lead_out_are_refused() {
    for path in [
        "../SKILL.md",
        "/etc/passwd",
        "references/../../../../etc/passwd",
        "references\0/../x",
    ] {
        let error = read(path).unwrap_err().to_string();
        assert!(!error.contains("root:") && !error.contains(BODY), "{error}");
    }
    assert!(matches!(
        read("../SKILL.md"),
        Err(ResourceError::Parent { .. })
    ));
    assert!(matches!(
        read("/etc/passwd"),
        Err(ResourceError::Absolute { .. })
    ));
    assert!(matches!(
        read("references/../../../../etc/passwd"),
        Err(ResourceError::Parent { .. })
    ));
    assert!(matches!(read("a\0b"), Err(ResourceError::Nul { .. })));
}

/// Running it comes with the sandbox; until then the script is what the checklist says it prints.
#[test]
fn step_5_the_script_prints_one_marker() {
    let script = read("scripts/echo.sh").unwrap();
    let code: Vec<&str> = script
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(code, ["printf '%s\\n' 'REMCOCHAT_SKILLS_SCRIPT_OK'"]);
    assert!(script.starts_with("#!/bin/sh\n"));
}
