//! No text breaks a renderer's structure.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillyard_format::render::activation::{Activation, render as envelope};
use skillyard_format::render::arguments::{Arguments, substitute};
use skillyard_format::render::catalog::{CatalogEntry, CatalogFormat, render};

fuzz_target!(|input: (String, String, Option<String>)| {
    let (name, description, location) = input;
    let entry = CatalogEntry {
        name: name.clone(),
        description: description.clone(),
        location: location.clone(),
    };
    let entries = [entry.clone(), entry];
    for format in [CatalogFormat::Xml, CatalogFormat::SkillsRef] {
        let text = render(&entries, format);
        // The reference's form may hold characters that XML cannot.
        if format == CatalogFormat::Xml {
            let document = roxmltree::Document::parse(&text).expect("the block is XML");
            assert_eq!(document.root_element().children().filter(|node| node.is_element()).count(), 2);
        }
        assert_eq!(text.matches("</skill>").count(), 2);
    }
    let json: serde_json::Value = serde_json::from_str(&render(&entries, CatalogFormat::Json)).expect("JSON");
    assert_eq!(json["available_skills"][1]["description"], description);
    let markdown = render(&entries, CatalogFormat::Markdown);
    assert_eq!(markdown.lines().filter(|line| line.starts_with("- ")).count(), 2);
    let codex = render(&entries, CatalogFormat::Codex);
    let (_, listed) = codex.split_once("### Available skills\n").expect("a list");
    assert_eq!(listed.lines().filter(|line| line.starts_with("- ")).count(), 2);
    assert_eq!(render(&entries, CatalogFormat::Summary).lines().count(), 1);

    let body = substitute(&description, &Arguments::parse(&name), "/skills/x");
    let text = envelope(&Activation {
        name: &name,
        digest: "sha256:0",
        origin: &description,
        third_party: true,
        compatibility: Some(&description),
        directory: "/skills/x",
        body: &body,
        resources: &[description.clone()],
    });
    assert_eq!(text.matches("</skill_content>").count(), 1);
    assert_eq!(text.matches("<skill_content").count(), 1);
});
