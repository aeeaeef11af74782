//! One fixture and one snapshot per rule.
//!
//! A fixture is a `SKILL.md` that breaks its rule and as little else as possible. What git
//! or an editor could damage (marks, encodings, control characters) and what is too long to
//! read is written into the fixture as a sign and made real by the case.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use skillyard_format::rules::{self, ALL, SkillFile};
use skillyard_format::{Diagnostic, Document, Position, Profile, Severity, Subject, fix};

/// What a fixture needs besides its text.
struct Case {
    directory: &'static str,
    file_name: &'static str,
    files: Vec<SkillFile>,
    bytes: fn(&str) -> Vec<u8>,
}

fn case(code: &str) -> Case {
    let mut case = Case {
        directory: "pdf-tools",
        file_name: "SKILL.md",
        files: Vec::new(),
        bytes: |text| text.as_bytes().to_vec(),
    };
    match code {
        "file-byte-order-mark" => case.bytes = |text| format!("\u{feff}{text}").into_bytes(),
        "file-encoding" => case.bytes = latin_1,
        "file-name" => case.file_name = "skill.md",
        "file-too-large" => {
            case.bytes = |text| text.repeat(10 * 1024 * 1024 / text.len() + 1).into();
        }
        "yaml-tab" => case.bytes = |text| text.replace('→', "\t").into(),
        "yaml-control-character" | "body-control-character" => {
            case.bytes = |text| text.replace('␛', "\u{1b}").into();
        }
        "name-length" => case.bytes = |text| text.replace("LONG", &"a".repeat(65)).into(),
        "name-matches-directory" => case.directory = "pdf",
        "description-length" => case.bytes = |text| text.replace("LONG", &"é".repeat(1015)).into(),
        "compatibility-length" => case.bytes = |text| text.replace("LONG", &"a".repeat(501)).into(),
        "body-length" => {
            case.bytes = |text| text.replace("LONG", &"One more step.\n".repeat(500)).into();
        }
        "link-broken" => case.files = vec![file("fonts.md", Mode::Plain)],
        "link-depth" => case.files = vec![file("references/tax/forms.md", Mode::Plain)],
        "clean" => {
            case.files = vec![
                file("references/forms.md", Mode::Plain),
                file("scripts/fill.py", Mode::Plain),
                file("scripts/fill.sh", Mode::ExecutableScript),
            ];
        }
        "script-executable" => {
            case.files = vec![
                file("scripts/a.sh", Mode::Plain),
                file("scripts/b.py", Mode::Script),
                file("scripts/c", Mode::Executable),
                file("scripts/d.sh", Mode::ExecutableScript),
                file("scripts/e.py", Mode::Plain),
                // Beside the instructions it is one only if it is called like one.
                file("f.sh", Mode::Script),
                file("notes.txt", Mode::Executable),
            ];
        }
        _ => {}
    }
    case
}

/// How a file can be started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain,
    Script,
    Executable,
    ExecutableScript,
}

fn file(path: &str, mode: Mode) -> SkillFile {
    SkillFile {
        path: path.to_owned(),
        executable: matches!(mode, Mode::Executable | Mode::ExecutableScript),
        shebang: matches!(mode, Mode::Script | Mode::ExecutableScript),
        compiled: false,
    }
}

/// Every character up to U+00FF as the one byte it was before UTF-8.
fn latin_1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(c).expect("a Latin-1 character"))
        .collect()
}

fn folder(code: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/rules/fixtures")
        .join(code)
}

fn fixture(code: &str) -> Vec<u8> {
    let text = fs::read_to_string(folder(code).join("SKILL.md")).expect("every rule has a fixture");
    (case(code).bytes)(&text)
}

fn diagnostics(code: &str, profile: Profile) -> Vec<Diagnostic> {
    let bytes = fixture(code);
    let document = Document::parse(&bytes);
    let case = case(code);
    let subject = Subject {
        document: &document,
        file_name: case.file_name,
        directory: Some(case.directory),
        files: Some(&case.files),
    };
    rules::check(&subject, profile)
}

/// Everything a user can be told about the fixture, and what `--fix` makes of it.
fn check(code: &str) {
    let found = diagnostics(code, Profile::Spec);
    assert!(
        found.iter().any(|each| each.code == code),
        "`{code}` is not found: {found:?}"
    );
    for each in &found {
        assert!(
            !each.message.ends_with('.') && !each.message.contains('\n'),
            "{}",
            each.message
        );
        assert!(each.help.is_some(), "`{}` has no help", each.code);
    }
    let bytes = fixture(code);
    let text = Document::parse(&bytes).text.into_owned();
    let mut shown = String::new();
    for diagnostic in &found {
        show(diagnostic, &text, &mut shown);
    }
    let case = case(code);
    if let Some(fixed) = fix::fix(&bytes, case.file_name, Some(case.directory)) {
        let _ = write!(
            shown,
            "--- after {} fixed\n{}",
            fixed.count,
            short(&fixed.text)
        );
    }
    insta::assert_snapshot!(code, shown);
}

fn show(diagnostic: &Diagnostic, text: &str, shown: &mut String) {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let _ = writeln!(
        shown,
        "{severity}[{}]: {}",
        diagnostic.code, diagnostic.message
    );
    if let Some(span) = diagnostic.span {
        assert!(
            text.get(span.start..span.end).is_some(),
            "{span:?} cuts the text"
        );
        let Position { line, column } = Position::of(text, span.start);
        let _ = writeln!(shown, "  at {line}:{column} {:?}", short(span.of(text)));
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(shown, "  help: {help}");
    }
    for edit in &diagnostic.fix {
        let _ = writeln!(
            shown,
            "  fix: {:?} -> {:?}",
            short(edit.span.of(text)),
            edit.replacement
        );
    }
}

/// Long text in one piece, so that a snapshot can be read.
fn short(text: &str) -> String {
    match text.char_indices().nth(600) {
        Some(_) => format!(
            "{} … ({} bytes)",
            text.chars().take(60).collect::<String>(),
            text.len()
        ),
        None => text.to_owned(),
    }
}

macro_rules! each_rule {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                check(&stringify!($name).replace('_', "-"));
            }
        )+
        const TESTED: &[&str] = &[$(stringify!($name)),+];
    };
}

each_rule! {
    file_too_large file_empty file_link_as_text file_encoding file_byte_order_mark file_name
    frontmatter_missing frontmatter_leading_space frontmatter_fenced frontmatter_unclosed
    frontmatter_closer frontmatter_not_mapping
    yaml_limits yaml_syntax yaml_unquoted_text yaml_separator yaml_indentation yaml_stray_line yaml_tab
    yaml_control_character yaml_surrogate_escape yaml_inner_delimiter
    yaml_duplicate_key yaml_comment
    field_unknown field_type
    name_missing name_length name_characters name_hyphens name_device name_matches_directory
    description_missing description_length description_when
    compatibility_length metadata_nested metadata_unquoted triggers_unreadable sandbox_unreadable
    requires_unreadable switch_unreadable
    allowed_tools_type allowed_tools_empty allowed_tools_separator allowed_tools_parentheses
    body_empty body_length body_control_character
    link_broken link_depth script_executable
}

/// The one rule that looks at several skills.
#[test]
fn name_similar() {
    let fixture = fixture("name-similar");
    let document = Document::parse(&fixture);
    let name = document
        .mapping()
        .and_then(|fields| fields.get("name")?.value.as_str())
        .unwrap();
    let names = [
        "step-1",
        name,
        "pdf-tool",
        "step-2",
        "pdf",
        "pfd-tools",
        name,
        "pd",
    ];
    assert_eq!(
        rules::similar_names(&names),
        [("pdf-tool", "pdf-tools"), ("pdf-tools", "pfd-tools")]
    );
}

#[test]
fn every_rule_has_a_test_and_a_fixture_that_breaks_it() {
    let mut tested: Vec<String> = TESTED.iter().map(|name| name.replace('_', "-")).collect();
    tested.push("name-similar".to_owned());
    let codes: Vec<&str> = ALL.iter().map(|rule| rule.code).collect();
    assert_eq!(tested, codes);
    for code in codes {
        assert!(
            folder(code).join("SKILL.md").is_file(),
            "`{code}` has no fixture"
        );
        let strict = diagnostics(code, Profile::Strict);
        assert!(strict.iter().all(|each| each.severity == Severity::Error));
        assert!(
            code == "name-similar" || strict.iter().any(|each| each.code == code),
            "{code}"
        );
    }
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    let entries = fs::read_dir(folder("")).expect("there are fixtures");
    for entry in entries {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "clean" || rules::find(&name).is_some(),
            "`{name}` is no rule"
        );
    }
}

#[test]
fn a_clean_skill_breaks_nothing() {
    assert_eq!(diagnostics("clean", Profile::Strict), []);
    assert_eq!(
        fix::fix(&fixture("clean"), "SKILL.md", Some("pdf-tools")),
        None
    );
}

#[test]
fn a_utf_16_file_is_named_as_such() {
    let text = String::from_utf8(fixture("clean")).unwrap();
    let bytes: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let document = Document::parse(&bytes);
    let found = rules::check(&Subject::new(&document, Some("pdf-tools")), Profile::Spec);
    let messages: Vec<_> = found
        .iter()
        .map(|each| (each.code, each.message.as_str()))
        .collect();
    assert_eq!(messages, [("file-encoding", "the file is UTF-16")]);
}

#[test]
fn windows_line_ends_break_nothing() {
    let text = String::from_utf8(fixture("clean"))
        .unwrap()
        .replace('\n', "\r\n");
    let document = Document::parse(text.as_bytes());
    let found = rules::check(&Subject::new(&document, Some("pdf-tools")), Profile::Strict);
    assert_eq!(found, []);
}
