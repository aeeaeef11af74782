//! `skillyard audit verify`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillyard_audit::{CopiedFile, Fault, Hash, Verdict, verify_copied_folder, verify_copy};

use crate::context::Context;
use crate::error::{AuditUsage, CommandError, ExitStatus, Outcome};
use crate::text::sanitize::visible;

/// Check that nobody changed the log
///
/// Walks every line of every file. The exit code is 1 when something was removed, changed, swapped
/// or cut off, and the first such place is named. Note the last number and hash elsewhere and give
/// them to `--expect` later: that shows also whether the log was replaced as a whole.
///
/// A file is one that `audit export` wrote, of everything or of a time, or a copy of a file of the
/// log; a folder has copies of several. They are judged by themselves: their lines must be as they
/// were written, with none missing between them.
///
/// Examples:
///   skillyard audit verify
///   skillyard audit verify --expect "$(cat noted)"   noted is 1042:9f86d081…
///   skillyard audit verify november.jsonl
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AuditVerifyArgs {
    /// An export or a copy instead of the log; a folder of copies
    #[arg(value_name = "FILE")]
    export: Option<PathBuf>,
    /// An event that must be in the log: its number and hash
    #[arg(long, value_name = "SEQ:HASH")]
    expect: Option<String>,
}

pub(super) fn run(context: &Context, args: &AuditVerifyArgs) -> Outcome {
    let expected = args.expect.as_deref().map(expected).transpose()?;
    let verdict = match &args.export {
        None => skillyard_audit::verify(&context.environment.logs_folder(), expected)?,
        Some(folder) if folder.is_dir() => copied(context, folder, expected)?,
        Some(file) => {
            let lines = fs::read(file).map_err(|source| CommandError::Read {
                path: file.clone(),
                source,
            })?;
            verify_copy(&file.to_string_lossy(), &lines, expected)
        }
    };
    let status = if verdict.fault.is_none() {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    };
    if context.printer.is_json() {
        let last = verdict
            .last
            .map(|(seq, hash)| json!({ "seq": seq, "hash": hash.to_hex() }));
        let copies = verdict.copies.iter();
        let copies = copies.map(|each| json!({ "file": each.file, "of": each.of }));
        context.printer.json(&json!({
            "intact": verdict.fault.is_none(),
            "events": verdict.events,
            "files": verdict.files,
            "first_seq": verdict.first_seq,
            "last": last,
            "unfinished_bytes": verdict.unfinished_bytes,
            "copies": copies.collect::<Vec<_>>(),
            "beside": verdict.beside,
            "later": verdict.later,
            "fault": verdict.fault.as_ref().map(as_json),
        }))?;
        return Ok(status);
    }
    context.printer.data(&format!(
        "{}\n",
        visible(&described(&verdict, args.export.is_some()))
    ))?;
    Ok(status)
}

/// A folder of copies, or that of the log, which is the log.
fn copied(
    context: &Context,
    folder: &Path,
    expected: Option<(u64, Hash)>,
) -> Result<Verdict, CommandError> {
    let log = context.environment.logs_folder();
    if let (Ok(folder), Ok(log)) = (folder.canonicalize(), log.canonicalize())
        && folder == log
    {
        return Ok(skillyard_audit::verify(&log, expected)?);
    }
    let verdict = verify_copied_folder(folder, expected)?;
    if verdict.files == 0 {
        return Err(AuditUsage::NoCopies(folder.to_owned()).into());
    }
    Ok(verdict)
}

/// A fault for programs.
pub(super) fn as_json(fault: &Fault) -> Value {
    json!({
        "file": fault.file,
        "line": fault.line,
        "kind": fault.kind.as_str(),
        "message": fault.kind.to_string(),
    })
}

fn expected(text: &str) -> Result<(u64, Hash), CommandError> {
    let parts = text
        .split_once(':')
        .and_then(|(seq, hash)| Some((seq.parse().ok()?, Hash::from_hex(hash.as_bytes())?)));
    parts.ok_or_else(|| AuditUsage::Expected(text.to_owned()).into())
}

fn described(verdict: &Verdict, is_export: bool) -> String {
    let count = |count: u64, word: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {word}{plural}")
    };
    let around = around(verdict);
    if let Some(fault) = &verdict.fault {
        return format!("✗ {fault}{around}");
    }
    let Some((seq, hash)) = verdict.last else {
        let nothing = if is_export {
            "no event is in it"
        } else {
            "nothing was recorded yet"
        };
        return format!("✓ {nothing}{around}");
    };
    let mut text = format!(
        "✓ intact: {} in {}, the last is {seq}:{hash}",
        count(verdict.events, "event"),
        count(verdict.files as u64, "file")
    );
    let first = verdict.first_seq;
    if is_export {
        let _ = write!(
            text,
            "\n  events before {first} and behind {seq}, if there are any, are not in it"
        );
    } else if first > 1 {
        let _ = write!(
            text,
            "\n  events before {first} were given up with their files"
        );
    }
    if verdict.later > 0 {
        let later = count(verdict.later, "later event");
        let _ = write!(text, "\n  its `audit.head` knows of {later}");
    }
    if verdict.unfinished_bytes > 0 {
        text.push_str(if is_export {
            "\n  the last line is not whole: it was copied while it was written"
        } else {
            "\n  the last line was never finished; the next event heals that"
        });
    }
    text + &around
}

/// What lies beside the log and is no part of it.
fn around(verdict: &Verdict) -> String {
    let mut text = String::new();
    for CopiedFile { file, of } in &verdict.copies {
        let _ = write!(
            text,
            "\n  `{file}` is a copy of `{of}`, and no part of the log"
        );
    }
    for file in &verdict.beside {
        let _ = write!(
            text,
            "\n  `{file}` is no part of the log; `audit verify FILE` checks a copy by itself"
        );
    }
    text
}
