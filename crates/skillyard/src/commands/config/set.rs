//! `skillyard config set`.

use std::io::Read as _;
use std::slice;

use serde_json::json;

use super::{forget, record, tell_of_forgotten};
use crate::commands::config::ConfigFileArgs;
use crate::config::address::check_registry;
use crate::config::edit::KeyChange;
use crate::config::layer::{Setting, known, misplaced};
use crate::config::value::ConfigValue;
use crate::config::{denied_tools, loosened};
use crate::context::Context;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::{LayerKind, SettingOrigin};
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::text::sanitize::visible;

/// Give a key a value
///
/// The value is checked first; the rest of the file stays as it is. Several values make a list.
/// `-` reads the value from stdin, which keeps a secret out of the shell's history.
///
/// Examples:
///   skillyard config set registry.url https://skills.example.com
///   skillyard config set skills.deny 'draft-*' 'test-*'
///   skillyard config set sources.internal.auth 'bearer:${INTERNAL_TOKEN}'
///   pass show github | skillyard config set hosts.github.token -
///   skillyard config set --project discovery.max_depth 3
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
pub(super) struct ConfigSetArgs {
    /// The key
    key: String,
    /// The value, or the values of a list
    #[arg(required = true)]
    values: Vec<String>,
    #[command(flatten)]
    which: ConfigFileArgs,
}

/// The longest value that is read from stdin.
const MAX_BYTES: u64 = 1 << 16;

pub(super) fn run(context: &Context, args: &ConfigSetArgs) -> Outcome {
    let wrong = |problem| CommandError::Setting(ConfigError::here(problem));
    let (key, entry) = known(&args.key).map_err(wrong)?;
    let target = args.which.target(context)?;
    let layer = args.which.layer().unwrap_or(LayerKind::User);
    if let Some(problem) = misplaced(entry, &key, layer) {
        return Err(wrong(problem));
    }
    let values = match args.values.as_slice() {
        [only] if only == "-" => vec![from_stdin()?],
        values => values.to_vec(),
    };
    let value = entry.kind.read_words(&values).map_err(|problem| {
        wrong(ConfigProblem::Value {
            key: key.clone(),
            problem,
        })
    })?;
    // One that is in a file already is told when it is asked.
    if let ("registry.url", ConfigValue::Address(address)) = (key.as_str(), &value)
        && address.template().variables().next().is_none()
    {
        check_registry(&address.written()).map_err(|problem| {
            wrong(ConfigProblem::Value {
                key: key.clone(),
                problem,
            })
        })?;
    }
    let setting = Setting {
        key,
        entry,
        value,
        origin: SettingOrigin::Flag,
    };
    target.refuse_locked(&setting.key)?;
    if let Some(problem) = denied_tools::problem(&setting) {
        return Err(wrong(problem));
    }
    allowed(context, &setting, layer).map_err(wrong)?;
    context.ready_to_record()?;
    let config = context.readable_config()?;
    let is_set = |key: &str| key == setting.key;
    let left = config.logins_left_by(is_set, slice::from_ref(&setting), layer);
    forget(context, &left, &target)?;
    let change = target.set(&setting.key, &setting.value)?;
    if change != KeyChange::None {
        record(context, "set", &setting.key, &target)?;
    }
    let status = report(context, &setting, change, &target.path.to_string_lossy())?;
    tell_of_forgotten(context, &left);
    Ok(status)
}

/// What stronger powers have to say about it. A configuration that cannot be read has no say:
/// setting a value may be what mends it.
fn allowed(context: &Context, setting: &Setting, layer: LayerKind) -> Result<(), ConfigProblem> {
    let Ok(config) = context.config() else {
        return Ok(());
    };
    if let Some(problem) = config.lifted_by(setting, layer) {
        return Err(problem);
    }
    if layer == LayerKind::Project {
        let weaker = config.below_project(&setting.key);
        if let Some(problem) = loosened(setting, weaker) {
            return Err(problem);
        }
    }
    Ok(())
}

fn from_stdin() -> Result<String, CommandError> {
    let mut text = String::new();
    std::io::stdin().take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn report(context: &Context, setting: &Setting, change: KeyChange, file: &str) -> Outcome {
    let file = visible(file);
    if context.printer.is_json() {
        context.printer.json(&json!({
            "key": setting.key,
            "value": setting.value.to_json(),
            "file": file,
            "changed": change != KeyChange::None,
        }))?;
        return Ok(ExitStatus::Success);
    }
    let shown = format!("{} = {}", setting.key, visible(&setting.value.to_string()));
    match change {
        KeyChange::None => context.printer.note(&format!(
            "Nothing to do: `{}` has this value already",
            setting.key
        )),
        KeyChange::Added => context.printer.data(&format!(" + {shown}\n"))?,
        KeyChange::Changed => context.printer.data(&format!(" ~ {shown}\n"))?,
    }
    if change != KeyChange::None {
        context.printer.note(&format!("Written to `{file}`"));
        if setting.value.holds_secret() {
            context
                .printer
                .note("The secret itself is in the file; `${VARIABLE}` would keep it out");
        }
    }
    // A stronger layer may still say something else.
    if let Ok(config) = context.config()
        && let Some(winner) = config.get(&setting.key)
        && winner.origin.layer() > LayerKind::Project
    {
        context.printer.note(&format!(
            "It does not count now: {} sets it too",
            winner.origin.described()
        ));
    }
    Ok(ExitStatus::Success)
}
