//! Each shape of a catalog.

mod attacks;

use super::{CatalogEntry, CatalogFormat, activation_text, render};

const ALL: [CatalogFormat; 6] = [
    CatalogFormat::Xml,
    CatalogFormat::SkillsRef,
    CatalogFormat::Json,
    CatalogFormat::Codex,
    CatalogFormat::Markdown,
    CatalogFormat::Summary,
];

fn entry(name: &str, description: &str, location: Option<&str>) -> CatalogEntry {
    CatalogEntry {
        name: name.to_owned(),
        description: description.to_owned(),
        location: location.map(str::to_owned),
    }
}

fn two() -> [CatalogEntry; 2] {
    [
        entry("pdf", "Fills forms.", Some("/skills/pdf/SKILL.md")),
        entry("csv", "Reads tables.", Some("/other/csv/SKILL.md")),
    ]
}

#[test]
fn nothing_is_rendered_for_no_skills_except_as_the_reference_does() {
    for format in ALL {
        let expected = match format {
            CatalogFormat::SkillsRef => "<available_skills>\n</available_skills>",
            _ => "",
        };
        assert_eq!(render(&[], format), expected, "{format:?}");
    }
}

#[test]
fn xml() {
    insta::assert_snapshot!(render(&two(), CatalogFormat::Xml), @"
    <available_skills>
      <skill>
        <name>pdf</name>
        <description>Fills forms.</description>
        <location>/skills/pdf/SKILL.md</location>
      </skill>
      <skill>
        <name>csv</name>
        <description>Reads tables.</description>
        <location>/other/csv/SKILL.md</location>
      </skill>
    </available_skills>
    ");
}

#[test]
fn skills_ref() {
    insta::assert_snapshot!(render(&two()[..1], CatalogFormat::SkillsRef), @"
    <available_skills>
    <skill>
    <name>
    pdf
    </name>
    <description>
    Fills forms.
    </description>
    <location>
    /skills/pdf/SKILL.md
    </location>
    </skill>
    </available_skills>
    ");
}

#[test]
fn json() {
    insta::assert_snapshot!(render(&two(), CatalogFormat::Json), @r#"
    {
      "available_skills": [
        {
          "name": "pdf",
          "description": "Fills forms.",
          "location": "/skills/pdf/SKILL.md"
        },
        {
          "name": "csv",
          "description": "Reads tables.",
          "location": "/other/csv/SKILL.md"
        }
      ]
    }
    "#);
}

#[test]
fn markdown() {
    insta::assert_snapshot!(render(&two(), CatalogFormat::Markdown), @"
    ## Available skills

    - **pdf**: Fills forms. (`/skills/pdf/SKILL.md`)
    - **csv**: Reads tables. (`/other/csv/SKILL.md`)
    ");
}

#[test]
fn summary() {
    insta::assert_snapshot!(render(&two(), CatalogFormat::Summary), @"Available skills: pdf, csv");
}

#[test]
fn codex_names_each_root_once() {
    let entries = [
        entry("a", "A.", Some("/one/a/SKILL.md")),
        entry("b", "B.", Some("/two/b/SKILL.md")),
        entry("c", "C.", Some("/one/c/SKILL.md")),
        entry("d", "D.", None),
    ];
    insta::assert_snapshot!(render(&entries, CatalogFormat::Codex), @"
    ## Skills
    ### Skill roots
    - `r0` = `/one`
    - `r1` = `/two`
    ### Available skills
    - a: A. (file: r0/a/SKILL.md)
    - b: B. (file: r1/b/SKILL.md)
    - c: C. (file: r0/c/SKILL.md)
    - d: D.
    ");
}

#[test]
fn a_mounted_path_is_shown_in_every_shape_that_shows_paths() {
    let entries = [entry("pdf", "Fills forms.", Some("skills/pdf"))];
    for format in ALL {
        let shows = render(&entries, format).contains("skills/pdf");
        assert_eq!(shows, format != CatalogFormat::Summary, "{format:?}");
    }
}

#[test]
fn without_locations_no_shape_speaks_of_them() {
    let entries = [entry("pdf", "Fills forms.", None)];
    for format in ALL {
        let text = render(&entries, format);
        assert!(
            !text.contains("location") && !text.contains("file:"),
            "{text}"
        );
    }
}

#[test]
fn models_are_told_how_to_read_what_they_were_shown() {
    assert!(activation_text(true).contains("read its SKILL.md"));
    assert!(activation_text(false).contains("skill_load"));
}
