//! The rules: one file each, with a code, the worst severity it gives, its documentation
//! and its check.
//!
//! The doc comment inside `rule!` is what `skillyard explain CODE` prints.

use serde::Deserialize;
use skillyard_format::Span;

use crate::finding::{Finding, Severity};
use crate::findings::{Findings, Rule};
use crate::skill::{PreparedSkill, UnitContext};

/// Declares a file's rule: documentation, code, worst severity, help, and what is asked.
///
/// A rule about units names the words without which it cannot apply; a rule about the
/// skill is asked once.
macro_rules! rule {
    ($(#[doc = $line:literal])+ $code:literal, $severity:ident, $help:literal, keywords: $keywords:expr, $check:path) => {
        rule!(@ [$($line)+] [$(#[doc = $line])+] $code, $severity, $help, $crate::findings::Check::Unit { keywords: $keywords, run: $check });
    };
    ($(#[doc = $line:literal])+ $code:literal, $severity:ident, $help:literal, skill: $check:path) => {
        rule!(@ [$($line)+] [$(#[doc = $line])+] $code, $severity, $help, $crate::findings::Check::Skill($check));
    };
    (@ [$($line:literal)+] [$($documentation:tt)+] $code:literal, $severity:ident, $help:literal, $ask:expr) => {
        $($documentation)+
        pub(super) static RULE: $crate::findings::Rule = $crate::findings::Rule {
            code: $code,
            severity: $crate::Severity::$severity,
            explanation: concat!($($line, "\n"),+),
            help: $help,
            check: $ask,
        };
    };
}

mod addressed_reviewer;
mod agent_config;
mod allowed_tools;
mod archive_password;
mod auto_run;
mod binary_file;
mod concealment;
mod container_host;
mod content_manipulation;
mod credential_read;
mod credential_request;
mod decode_execute;
mod decoded_flow;
mod delayed_trigger;
mod destructive;
mod dns_exfiltration;
mod download_execute;
mod dynamic_code;
mod encoded_order;
mod encoded_payload;
mod environment_harvest;
mod environment_injection;
mod exfiltration;
mod fake_prerequisite;
mod false_authority;
mod file_name;
mod hardcoded_secret;
mod hidden_comment;
mod hidden_text;
mod install_hook;
mod instruction_override;
mod link_exfiltration;
mod look_alike_host;
mod mcp_server;
mod metadata_service;
mod miner;
mod name_squatting;
mod network_tampering;
mod null_bytes;
mod obfuscated_code;
mod open_door;
mod package_from_url;
mod package_name;
mod package_source;
mod paste_site;
mod path_escape;
mod persistence;
mod persuaded_user;
mod pipe_to_shell;
mod planted_output;
mod planted_result;
mod privilege;
mod ransom;
mod raw_address;
mod remote_instructions;
mod resource_abuse;
mod reverse_shell;
mod secret_bundle;
mod secret_flow;
mod security_disabled;
mod send_instruction;
mod standing_order;
mod surveillance;
mod system_tool;
mod tool_poisoning;
mod undeclared_network;
mod unmentioned_script;
mod unsafe_advice;
mod wallet_theft;
mod weakened_oversight;
mod workflow;

/// Every rule, by what it is about.
pub static ALL: &[&Rule] = &[
    &fake_prerequisite::RULE,
    &archive_password::RULE,
    &persuaded_user::RULE,
    &paste_site::RULE,
    &pipe_to_shell::RULE,
    &download_execute::RULE,
    &decode_execute::RULE,
    &decoded_flow::RULE,
    &encoded_payload::RULE,
    &raw_address::RULE,
    &package_from_url::RULE,
    &package_name::RULE,
    &package_source::RULE,
    &install_hook::RULE,
    &auto_run::RULE,
    &system_tool::RULE,
    &exfiltration::RULE,
    &secret_flow::RULE,
    &secret_bundle::RULE,
    &environment_harvest::RULE,
    &credential_read::RULE,
    &dns_exfiltration::RULE,
    &link_exfiltration::RULE,
    &metadata_service::RULE,
    &surveillance::RULE,
    &send_instruction::RULE,
    &credential_request::RULE,
    &wallet_theft::RULE,
    &instruction_override::RULE,
    &concealment::RULE,
    &tool_poisoning::RULE,
    &remote_instructions::RULE,
    &encoded_order::RULE,
    &addressed_reviewer::RULE,
    &standing_order::RULE,
    &content_manipulation::RULE,
    &planted_output::RULE,
    &planted_result::RULE,
    &false_authority::RULE,
    &unsafe_advice::RULE,
    &hidden_text::RULE,
    &hidden_comment::RULE,
    &look_alike_host::RULE,
    &obfuscated_code::RULE,
    &reverse_shell::RULE,
    &miner::RULE,
    &persistence::RULE,
    &agent_config::RULE,
    &mcp_server::RULE,
    &open_door::RULE,
    &path_escape::RULE,
    &delayed_trigger::RULE,
    &environment_injection::RULE,
    &network_tampering::RULE,
    &security_disabled::RULE,
    &weakened_oversight::RULE,
    &privilege::RULE,
    &container_host::RULE,
    &destructive::RULE,
    &ransom::RULE,
    &resource_abuse::RULE,
    &dynamic_code::RULE,
    &workflow::RULE,
    &hardcoded_secret::RULE,
    &binary_file::RULE,
    &null_bytes::RULE,
    &file_name::RULE,
    &allowed_tools::RULE,
    &undeclared_network::RULE,
    &unmentioned_script::RULE,
    &name_squatting::RULE,
];

/// The rule with this code.
pub fn find(code: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.code == code)
}

/// A finding as it is written.
#[derive(Deserialize)]
struct StoredFinding {
    code: String,
    severity: Severity,
    path: String,
    span: Option<Span>,
    line: usize,
    message: String,
    evidence: String,
}

impl Finding {
    /// Reads findings that were written as JSON; nothing if they are not those of this scanner.
    pub fn read_all(json: &str) -> Option<Vec<Self>> {
        let written: Vec<StoredFinding> = serde_json::from_str(json).ok()?;
        let read = |each: StoredFinding| {
            let rule = find(&each.code)?;
            Some(Self {
                code: rule.code,
                severity: each.severity,
                path: each.path,
                span: each.span,
                line: each.line,
                message: each.message,
                evidence: each.evidence,
                help: rule.help,
                statement: None,
            })
        };
        written.into_iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::{Check, Rule};

    /// Each of the names holds a word by which a rule is asked about a unit.
    pub(super) fn assert_keyword_in_each<'a>(rule: &Rule, names: impl Iterator<Item = &'a str>) {
        let Check::Unit { keywords, .. } = rule.check else {
            panic!("no rule about units");
        };
        for name in names {
            let name = name.to_ascii_lowercase();
            assert!(keywords.iter().any(|word| name.contains(word)), "{name}");
        }
    }
}
