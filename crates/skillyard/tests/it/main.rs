//! The binary as its users meet it: one file per command, each run in a folder of its own.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "snapshots are long, and a test that cannot go on stops where it is"
)]

mod agent;
mod agent_commands;
mod agent_folders;
mod agent_folders_orphaned;
mod agent_folders_shared;
mod agent_folders_trust;
mod agent_runs;
mod audit;
mod chat;
mod chat_cards;
mod chat_changes;
mod chat_context;
mod chat_failed_turns;
mod chat_flood;
mod chat_moved_sessions;
mod chat_pipe;
mod chat_question;
mod chat_replay;
mod chat_revoked_skills;
mod chat_secrets;
mod chat_signals;
mod chat_suspended;
mod cli;
mod completions;
mod config;
mod damaged_machine;
mod dangling_links;
mod deep_folders;
mod doctor;
mod doctor_misdelivered;
mod doctor_records;
mod editor_signals;
mod enable;
mod eval;
mod explain;
mod explain_skill;
mod export;
mod find;
mod guard;
mod guard_paths;
mod hints;
mod hints_scopes;
mod install_aliases;
mod install_attacks;
mod install_audit;
mod install_concurrent_edits;
mod install_crash;
mod install_edits;
mod install_findings;
mod install_git;
mod install_ignored;
mod install_ignored_files;
mod install_limits;
mod install_links;
mod install_local;
mod install_local_or_remote;
mod install_lock;
mod install_many;
mod install_many_sources;
mod install_merged_lock;
mod install_mounts;
mod install_moved;
mod install_names;
mod install_network;
mod install_orphans;
mod install_other_registry;
mod install_other_tools;
mod install_owners;
mod install_paths;
mod install_problem_names;
mod install_recovery;
mod install_registry;
mod install_requires;
mod install_same_bytes;
mod install_scopes;
mod install_secrets;
mod install_settings;
mod install_shadowed;
mod install_shared_lock;
mod install_signals;
mod install_skipped;
mod install_sources;
mod install_staging;
mod install_stale;
mod install_store;
mod install_tags;
mod install_unavailable;
mod install_unloadable;
mod install_unreadable;
mod install_user_files;
mod install_validation;
mod install_version_conflicts;
mod install_versions;
mod install_without_git;
mod invisible_characters;
mod json_output;
mod linked_file;
mod list;
mod list_installed;
mod lock_nested_paths;
mod lock_provenance_claims;
mod lock_scope;
mod machine;
mod mcp;
mod mcp_batches;
mod mcp_client;
mod mcp_gateway;
mod mcp_gateway_results;
mod mcp_published_skills;
mod mcp_shutdown;
mod mcp_unresponsive;
mod mcp_untrusted_checkout;
mod misspelled;
mod nested_skills;
mod new;
mod parallel_sources;
mod passphrase;
mod plain_questions;
mod project;
mod prompt;
mod prompt_catalog;
mod proxies;
mod question_exit_codes;
mod question_signals;
mod read;
mod read_only;
mod read_resource;
mod readme;
mod registry;
mod registry_accounts;
mod registry_attacks;
mod registry_cluster;
mod registry_crash;
mod registry_encrypted;
mod registry_log_key;
mod registry_login;
mod registry_lost_responses;
mod registry_maintenance;
mod registry_mirror;
mod registry_mirror_reset;
mod registry_mirrors_and_backups;
mod registry_names;
mod registry_offline;
mod remove_agents;
mod requirements;
mod review_lists_scripts;
mod run;
mod scan;
mod scan_baseline;
mod scripted_model;
mod search_without_cache;
mod seeds;
mod serve;
mod serve_chat;
mod serve_connection_limits;
mod serve_install_plan;
mod serve_live_changes;
mod serve_locked;
mod serve_mcp;
mod serve_pages;
mod serve_shutdown;
mod servers;
mod sessions_many;
mod sessions_shared;
mod shadowed_by_untrusted;
mod show;
mod signing;
mod tampered_installed;
mod trust;
mod trust_skill;
mod unhashable;
mod unprivileged_user;
mod unusable_skills;
mod update_commits;
mod validate;

/// The writers of hostile archives, which the crate that reads archives has.
#[allow(dead_code, reason = "only some of the writers are needed here")]
#[path = "../../../skillyard-format/tests/archives/support.rs"]
mod support;
mod tampering;

/// Its attacks, each with the reason it is refused for.
#[path = "../../../skillyard-format/tests/archives/name_attacks.rs"]
mod name_attacks;
#[path = "../../../skillyard-format/tests/archives/stream_attacks.rs"]
mod stream_attacks;
#[path = "../../../skillyard-format/tests/archives/tar_attacks.rs"]
mod tar_attacks;
mod terminal;
#[path = "../../../skillyard-format/tests/archives/zip_attacks.rs"]
mod zip_attacks;

/// PostgreSQL and a server of the S3 protocol, which the registry's own tests start.
#[allow(clippy::print_stderr, reason = "a test that is left out says so")]
#[allow(dead_code, reason = "only the tests of the registry stop a database")]
#[path = "../../../skillyard-registry/tests/it/programs.rs"]
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A description that breaks no rule.
const DESCRIPTION: &str = "Fills PDF forms. Use when a task involves PDF files.";

/// A temporary folder, and the binary run in it with a clean environment.
struct TestContext {
    folder: TempDir,
}

impl TestContext {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("home")).expect("a home folder");
        fs::create_dir(folder.path().join("work")).expect("a working folder");
        Self { folder }
    }

    /// The folder that commands run in.
    fn root(&self) -> PathBuf {
        let root = self
            .folder
            .path()
            .canonicalize()
            .expect("the folder exists");
        root.join("work")
    }

    /// Writes a file below the root, with its folders.
    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a path below the root")).expect("folders");
        fs::write(path, bytes).expect("a file");
        self
    }

    /// Writes a valid skill.
    fn write_skill(&self, folder: &str) -> &Self {
        let name = Path::new(folder)
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a folder with a name");
        let text =
            format!("---\nname: {name}\ndescription: {DESCRIPTION}\n---\n\n# {name}\n\nDo it.\n");
        self.write(&format!("{folder}/SKILL.md"), text)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).expect("a file")
    }

    /// Every file and folder below the root, sorted.
    fn tree(&self) -> Vec<String> {
        fn list(root: &Path, folder: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let below = path.strip_prefix(root).expect("below the root").display();
                if path.is_dir() {
                    found.push(format!("{below}/"));
                    list(root, &path, found);
                } else {
                    found.push(below.to_string());
                }
            }
        }
        let mut found = Vec::new();
        list(&self.root(), &self.root(), &mut found);
        found.sort();
        found
    }

    /// The binary, to be given arguments.
    fn skillyard(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_skillyard"))
    }

    /// A program in a clean environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tests start the binary here and nowhere else"
    )]
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.folder.path().join("home"))
            // Whoever runs the tests is in no snapshot.
            .env("USER", "ada")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary and tells all that came of it.
    fn run(&self, arguments: &[&str]) -> String {
        self.shown(self.skillyard().args(arguments))
    }

    /// What a command did, with times and places left out.
    fn shown(&self, command: &mut Command) -> String {
        let output = output(command);
        let text = format!(
            "success: {}\nexit code: {}\n----- stdout -----\n{}\n----- stderr -----\n{}",
            output.status.success(),
            output
                .status
                .code()
                .map_or("none".into(), |code| code.to_string()),
            text(&output.stdout).trim_end(),
            text(&output.stderr).trim_end(),
        );
        self.normalised(&text)
    }

    /// `text` with the temporary folder as `[DIR]` and times as `[TIME]`.
    fn normalised(&self, text: &str) -> String {
        let root = self.root();
        let text = text.replace(&*root.to_string_lossy(), "[DIR]");
        without_times(&text)
    }

    /// Runs the binary and reads its stdout as JSON.
    fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let output = output(self.skillyard().args(arguments));
        serde_json::from_slice(&output.stdout).expect("stdout is JSON")
    }

    /// Runs the binary for its exit code.
    fn code(&self, arguments: &[&str]) -> Option<i32> {
        output(self.skillyard().args(arguments)).status.code()
    }
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

/// `text` with every duration, such as `3ms`, `1.2s` and `under 1ms`, as `[TIME]`.
fn without_times(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let words = words.iter().map(|word| {
            let end = word
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(0);
            match word[end..].trim_end_matches([':', ',']) {
                "ms" | "s" if end > 0 => {
                    format!("[TIME]{}", &word[end..].trim_start_matches(['m', 's']))
                }
                _ => (*word).to_owned(),
            }
        });
        words
            .collect::<Vec<_>>()
            .join(" ")
            .replace("under [TIME]", "[TIME]")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn times_are_left_out() {
    assert_eq!(
        without_times("in 3ms: x\nin 1.2s, under 1ms.\ntakes 5 items"),
        "in [TIME]: x\nin [TIME], under 1ms.\ntakes 5 items"
    );
    assert_eq!(
        without_times("Checked 1 skill in under 1ms: x"),
        "Checked 1 skill in [TIME]: x"
    );
}
