//! Two fixtures and one snapshot per rule.
//!
//! `bad` is a skill that breaks the rule, `good` a skill that looks like it and does not.

mod addresses;
mod auto_loaded_files;
mod bytes;
mod classes;
mod data;
mod frontmatter;
mod spellings;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use skillyard_format::text::decode;
use skillyard_scan::rules::{self, ALL};
use skillyard_scan::{File, Report, Severity, scan};

fn folder(code: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/scan/fixtures")
        .join(code)
}

/// The files below `folder`, in order.
fn files(root: &Path, folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    let entries = fs::read_dir(folder).expect("every rule has both fixtures");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(root, &path, found);
        } else {
            let below = path.strip_prefix(root).expect("below the root");
            found.push((
                below.to_string_lossy().into_owned(),
                fs::read(&path).expect("a file"),
            ));
        }
    }
}

fn scanned(folder: &Path) -> (Vec<(String, Vec<u8>)>, Report) {
    let mut found = Vec::new();
    files(folder, folder, &mut found);
    let files: Vec<File<'_>> = found
        .iter()
        .map(|(path, bytes)| File {
            path,
            bytes,
            executable: path.starts_with("scripts/"),
        })
        .collect();
    let report = scan(&files);
    (found, report)
}

/// Everything that is found in the bad skill, and nothing of this rule in the good one.
fn check(code: &str) {
    let rule = rules::find(code).expect("a rule");
    let (files, report) = scanned(&folder(code).join("bad"));
    assert!(
        report.findings.iter().any(|each| each.code == code),
        "`{code}` is not found: {report:?}"
    );
    let mut shown = String::new();
    for each in &report.findings {
        let most = rules::find(each.code).expect("a rule").severity;
        assert!(each.severity <= most, "`{}` promises less", each.code);
        assert!(!each.message.ends_with('.') && !each.message.contains('\n'));
        let (_, bytes) = files
            .iter()
            .find(|(path, _)| *path == each.path)
            .expect("a file that was given");
        let text = decode(bytes).text;
        let marked = each.span.map(|span| {
            text.get(span.start..span.end)
                .expect("a span does not cut the text")
        });
        let _ = writeln!(
            shown,
            "{}[{}]: {}\n  at {}:{} {:?}\n  help: {}",
            each.severity,
            each.code,
            each.message,
            each.path,
            each.line,
            marked.unwrap_or_default(),
            each.help
        );
    }
    insta::assert_snapshot!(code, shown);
    let (_, report) = scanned(&folder(code).join("good"));
    let wrong: Vec<_> = report.at_least(Severity::Low).collect();
    assert!(wrong.is_empty(), "`{}` in good: {wrong:?}", rule.code);
}

macro_rules! each_rule {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                check(&format!("scan-{}", stringify!($name).replace('_', "-")));
            }
        )+
        const TESTED: &[&str] = &[$(stringify!($name)),+];
    };
}

each_rule! {
    fake_prerequisite archive_password paste_site pipe_to_shell download_execute decode_execute
    decoded_flow secret_flow remote_instructions persuaded_user
    encoded_payload raw_address package_from_url package_name install_hook auto_run system_tool
    exfiltration secret_bundle environment_harvest credential_read dns_exfiltration
    link_exfiltration metadata_service surveillance send_instruction credential_request
    wallet_theft instruction_override concealment tool_poisoning standing_order
    content_manipulation planted_output false_authority unsafe_advice hidden_text hidden_comment
    look_alike_host obfuscated_code reverse_shell miner persistence agent_config mcp_server
    open_door path_escape delayed_trigger environment_injection network_tampering
    security_disabled privilege destructive ransom resource_abuse dynamic_code workflow hardcoded_secret
    binary_file null_bytes file_name allowed_tools undeclared_network unmentioned_script name_squatting
    weakened_oversight addressed_reviewer encoded_order planted_result container_host package_source
}

#[test]
fn every_rule_has_a_test() {
    let mut tested: Vec<String> = TESTED
        .iter()
        .map(|name| format!("scan-{}", name.replace('_', "-")))
        .collect();
    let mut codes: Vec<&str> = ALL.iter().map(|rule| rule.code).collect();
    tested.sort();
    codes.sort_unstable();
    assert_eq!(tested, codes);
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    for entry in fs::read_dir(folder("")).expect("there are fixtures") {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(rules::find(&name).is_some(), "`{name}` is no rule");
    }
}

#[test]
fn every_rule_explains_itself() {
    for rule in ALL {
        assert!(rule.code.starts_with("scan-"), "{}", rule.code);
        let explanation = rule.explanation.trim();
        assert!(explanation.contains("**Fix:**"), "{}", rule.code);
        let first = explanation.split("\n\n").next().unwrap().trim();
        assert!(first.ends_with('.'), "{}: {first}", rule.code);
        assert!(!rule.help.is_empty() && !rule.help.ends_with('.'));
    }
}
