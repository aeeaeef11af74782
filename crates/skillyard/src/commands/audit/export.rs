//! `skillyard audit export`.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use skillyard_audit::{AuditEntry, CSV_HEADER, LogLines, csv, read};

use crate::commands::audit::EventFilterArgs;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::text::counted;
use crate::text::json::escaped;
use crate::text::sanitize::visible;

/// Write events to a file or to stdout
///
/// Lines of JSON stay as they are in the log, hashes included; CSV is for a spreadsheet.
///
/// Examples:
///   skillyard audit export > audit.jsonl
///   skillyard audit export --format csv --since 2026-11-01 --output november.csv
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AuditExportArgs {
    #[command(flatten)]
    which: EventFilterArgs,
    /// The form
    #[arg(long, default_value = "jsonl")]
    format: ExportFormat,
    /// The file to make; it may not be there yet
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ExportFormat {
    /// The lines of the log
    Jsonl,
    /// A table
    Csv,
}

pub(super) fn run(context: &Context, args: &AuditExportArgs) -> Outcome {
    let filter = args.which.filter(context)?;
    let reading = read(&context.environment.logs_folder(), &filter)?;
    let mut bytes = Vec::new();
    if args.format == ExportFormat::Csv {
        bytes.extend_from_slice(CSV_HEADER.as_bytes());
    }
    for line in &reading.lines {
        match args.format {
            ExportFormat::Jsonl => {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
            ExportFormat::Csv => {
                let entry = AuditEntry::parse(line);
                bytes.extend(entry.iter().flat_map(|entry| csv(entry).into_bytes()));
            }
        }
    }
    let status = completeness(context, &reading);
    let Some(file) = &args.output else {
        to_stdout(context, args.format, &bytes)?;
        return Ok(status);
    };
    write(file, &bytes)?;
    let path = file.to_string_lossy();
    if context.printer.is_json() {
        context.printer.json(&json!({
            "file": path,
            "events": reading.lines.len(),
            "unreadable": reading.unreadable,
        }))?;
    } else {
        context.printer.note(&format!(
            "{} written to `{}`",
            counted(reading.lines.len(), "event"),
            visible(&path)
        ));
    }
    Ok(status)
}

/// Says what is not in it; whoever keeps only the export would never know.
fn completeness(context: &Context, reading: &LogLines) -> ExitStatus {
    if reading.unreadable == 0 {
        return ExitStatus::Success;
    }
    context.printer.note(&format!(
        "warning: {} could not be read, and so not put into it; find out more with `skillyard audit verify`",
        counted(reading.unreadable, "line")
    ));
    ExitStatus::Negative
}

fn to_stdout(context: &Context, format: ExportFormat, bytes: &[u8]) -> Result<(), CommandError> {
    // In a pipe the bytes are the answer; a terminal would obey them.
    if context.printer.is_terminal() {
        let text = String::from_utf8_lossy(bytes);
        match format {
            ExportFormat::Jsonl => context.printer.data(&escaped(&text))?,
            ExportFormat::Csv => context.printer.data(&visible(&text.replace('\r', "")))?,
        }
    } else {
        context.printer.raw(bytes)?;
    }
    Ok(())
}

/// Makes a file that only its owner may read.
fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let mut file = match file {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(CommandError::InTheWay(path.to_owned()));
        }
        Err(source) => {
            return Err(CommandError::Write {
                path: path.to_owned(),
                source,
            });
        }
    };
    file.write_all(bytes).map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}
