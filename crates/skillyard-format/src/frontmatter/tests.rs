//! Delimiters, as they should be and as they are.

mod any_file;
mod repairs;

use super::{Absent, Closer, Oddity, split};
use crate::document::Document;

fn name_of(oddity: &Oddity) -> &'static str {
    match oddity {
        Oddity::ByteOrderMark(_) => "mark",
        Oddity::LeadingSpace(_) => "space",
        Oddity::Fenced { close: Some(_), .. } => "fence",
        Oddity::Fenced { close: None, .. } => "open fence",
        Oddity::Closer(_, Closer::Glued) => "glued",
        Oddity::Closer(_, Closer::Dots) => "dots",
        Oddity::Closer(_, Closer::Indented) => "indented",
        Oddity::Closer(_, Closer::Missing) => "missing",
    }
}

fn check(text: &str, yaml: &str, body: &str, oddities: &[&str]) {
    let split = split(text).expect("there is frontmatter");
    let found: Vec<_> = split.oddities.iter().map(name_of).collect();
    assert_eq!(
        (split.yaml.of(text), split.body.of(text), &found[..]),
        (yaml, body, oddities),
        "{text:?}"
    );
}

fn check_absent(text: &str, reason: Absent) {
    assert_eq!(split(text), Err(reason), "{text:?}");
}

#[test]
fn delimiters_as_they_should_be() {
    check("---\na: b\n---\nbody\n", "a: b\n", "body\n", &[]);
    check("---\na: b\n---", "a: b\n", "", &[]);
    check("---\n---\nbody", "", "body", &[]);
    check("--- \t\na: b\n---  \nbody", "a: b\n", "body", &[]);
}

#[test]
fn every_kind_of_line_break_is_one() {
    check(
        "---\r\na: b\r\n---\r\nbody\r\n",
        "a: b\r\n",
        "body\r\n",
        &[],
    );
    check("---\ra: b\r---\rbody\r", "a: b\r", "body\r", &[]);
}

#[test]
fn what_stands_before_the_opener() {
    check("\u{feff}---\na: b\n---\n", "a: b\n", "", &["mark"]);
    check("\n \n---\na: b\n---\n", "a: b\n", "", &["space"]);
    check(
        "\u{feff}\n---\na: b\n---\n",
        "a: b\n",
        "",
        &["mark", "space"],
    );
}

#[test]
fn a_fence_around_the_whole_file() {
    check(
        "```markdown\n---\na: b\n---\nbody\n```\n",
        "a: b\n",
        "body\n",
        &["fence"],
    );
    check(
        "```\n---\na: b\n---\n```sh\nls\n```\nend\n```\n",
        "a: b\n",
        "```sh\nls\n```\nend\n",
        &["fence"],
    );
    check(
        "```\n---\na: b\n---\nbody\n",
        "a: b\n",
        "body\n",
        &["open fence"],
    );
}

#[test]
fn a_fence_around_the_frontmatter_alone() {
    check(
        "```yaml\n---\na: b\n---\n```\nbody\n",
        "a: b\n",
        "body\n",
        &["fence"],
    );
    check(
        "```yaml\n---\na: b\n---\n```\n\n```sh\nls\n```\n",
        "a: b\n",
        "\n```sh\nls\n```\n",
        &["fence"],
    );
}

#[test]
fn closers_that_are_nearly_right() {
    check(
        "---\na: b\n---# Title\nbody",
        "a: b\n",
        "# Title\nbody",
        &["glued"],
    );
    check(
        "---\na: b\n---# Title\n---\nx",
        "a: b\n",
        "# Title\n---\nx",
        &["glued"],
    );
    check("---\na: b\n...\nbody", "a: b\n", "body", &["dots"]);
    check("---\na: b\n  ---\nbody", "a: b\n", "body", &["indented"]);
    check(
        "---\na: b\n  ---\nc: d\n---\nbody",
        "a: b\n  ---\nc: d\n",
        "body",
        &[],
    );
    check("---\na: b\n----\n---\nbody", "a: b\n----\n", "body", &[]);
}

#[test]
fn without_a_closer_the_block_ends_with_its_keys() {
    check("---\na: b\n\nbody", "a: b\n", "\nbody", &["missing"]);
    check(
        "---\na: b\n# Title\nbody",
        "a: b\n",
        "# Title\nbody",
        &["missing"],
    );
    check(
        "---\na: |\n  x\n\n  y\n\nbody",
        "a: |\n  x\n\n  y\n",
        "\nbody",
        &["missing"],
    );
    check("---\na: b", "a: b", "", &["missing"]);
    check("---\n", "", "", &["missing"]);
}

#[test]
fn the_first_closing_line_counts() {
    check("---\na: b\n---\nx\n---\ny", "a: b\n", "x\n---\ny", &[]);
}

#[test]
fn files_without_frontmatter() {
    check_absent("", Absent::Empty);
    check_absent("\u{feff} \r\n\t", Absent::Empty);
    check_absent("# Title\n\n---\na: b\n---\n", Absent::NoFrontmatter);
    check_absent("----\na: b\n----\n", Absent::NoFrontmatter);
    check_absent("```\ncode\n```\n", Absent::NoFrontmatter);
    check_absent("../shared/SKILL.md\n", Absent::LinkAsText);
    check_absent("../skill.MD", Absent::LinkAsText);
    check_absent("see ../shared/SKILL.md", Absent::NoFrontmatter);
}

#[test]
fn text_behind_dots_is_the_body() {
    let text = "---\nname: x\ndescription: Use when x.\n...\n\nSome text.\n\n---\nmore\n";
    let document = Document::parse(text.as_bytes());
    assert_eq!(document.body().trim(), "Some text.\n\n---\nmore");
    assert_eq!(document.mapping().unwrap().entries.len(), 2);
}

#[test]
fn a_delimiter_inside_quotes_is_text() {
    let text = "---\nname: x\ndescription: \"Fills\n---\nforms\"\n---\nbody\n";
    let document = Document::parse(text.as_bytes());
    let description = &document
        .mapping()
        .unwrap()
        .get("description")
        .unwrap()
        .value;
    assert_eq!(description.as_str(), Some("Fills --- forms"));
    assert_eq!(document.body(), "body\n");
}
