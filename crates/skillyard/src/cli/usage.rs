//! What is wrong with the arguments, told as every other failure is.
//!
//! clap knows what was expected; its own words, quotes and layout are not ours.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::{command_of, option_of};
use crate::environment::Environment;
use crate::error::ExitStatus;
use crate::error_report::{ErrorMessage, failed, tell};
use crate::global_args::GlobalArgs;
use crate::printer::Printer;
use crate::redactor::Redactor;
use crate::text::sanitize::{is_deceptive, visible};

/// Shows help, the version, or what is wrong with the arguments.
///
/// The arguments were not understood, so what they say about the output is looked up in them.
pub(crate) fn usage(
    error: &clap::Error,
    arguments: &[OsString],
    environment: &Environment,
    redactor: Redactor,
) -> ExitStatus {
    let printer = Printer::new(&GlobalArgs::guessed(arguments), environment, redactor);
    let wrong = Wrong(error);
    if !error.use_stderr() {
        return match printer.data(&wrong.page(arguments)) {
            Ok(()) => ExitStatus::Success,
            Err(error) => failed(&printer, &error.into()),
        };
    }
    let told = ErrorMessage {
        message: wrong.message(),
        causes: wrong.causes(),
        hint: wrong.hint(),
    };
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !printer.is_json() {
        printer.people(wrong.page(arguments).trim_end());
    } else {
        tell(&printer, told);
    }
    ExitStatus::Code(2)
}

/// Arguments that were not understood.
struct Wrong<'a>(&'a clap::Error);

impl Wrong<'_> {
    /// A page as clap lays it out.
    fn page(&self, arguments: &[OsString]) -> String {
        let is_harmless = |each: &OsString| !each.to_string_lossy().contains(is_deceptive);
        let rendered = self.0.render();
        if arguments.iter().all(is_harmless) {
            return rendered.ansi().to_string();
        }
        // The colours of clap cannot be told from what was quoted.
        visible(&rendered.to_string()).into_owned()
    }

    fn message(&self) -> String {
        let argument = self.quoted(ContextKind::InvalidArg);
        let value = self.words(ContextKind::InvalidValue).pop();
        let value = value.filter(|value| !value.is_empty());
        match (self.0.kind(), argument, value) {
            (ErrorKind::UnknownArgument, Some(argument), _) => {
                format!("{argument} was not expected")
            }
            (ErrorKind::InvalidSubcommand, ..) => {
                let name = self.quoted(ContextKind::InvalidSubcommand);
                format!("there is no command {}", name.unwrap_or_default())
            }
            (
                ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
                ..,
            ) => "a command is missing".into(),
            (ErrorKind::MissingRequiredArgument, Some(argument), _) => {
                let many = self.words(ContextKind::InvalidArg).len() > 1;
                format!("{argument} {} missing", if many { "are" } else { "is" })
            }
            (ErrorKind::InvalidValue, Some(argument), None) => format!("{argument} needs a value"),
            (ErrorKind::InvalidValue | ErrorKind::ValueValidation, Some(argument), Some(value)) => {
                format!("`{value}` is no value of {argument}")
            }
            (ErrorKind::TooManyValues, Some(argument), Some(value)) => {
                format!("`{value}` is a value too many for {argument}")
            }
            (ErrorKind::ArgumentConflict, Some(argument), _) => {
                match self.quoted(ContextKind::PriorArg) {
                    Some(other) if other != argument => {
                        format!("{argument} cannot be used with {other}")
                    }
                    _ => format!("{argument} cannot be used twice"),
                }
            }
            _ => self.said(),
        }
    }

    /// What clap says of kinds that hardly ever happen.
    fn said(&self) -> String {
        let text = self.0.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let first = text.split("\n\n").next().unwrap_or_default();
        let lines: Vec<&str> = first.lines().map(str::trim).collect();
        lines.join(" ")
    }

    fn causes(&self) -> Vec<String> {
        let source = std::error::Error::source(self.0);
        source.map(ToString::to_string).into_iter().collect()
    }

    fn hint(&self) -> Option<String> {
        let near = [
            ContextKind::SuggestedSubcommand,
            ContextKind::SuggestedArg,
            ContextKind::SuggestedValue,
        ];
        let near = near.into_iter().find_map(|kind| self.words(kind).pop());
        let elsewhere = self.elsewhere().or_else(|| self.option_elsewhere());
        let near = elsewhere.map(str::to_owned).or(near);
        let near = near.map(|near| format!("Did you mean `{near}`?"));
        let near = near.or_else(|| self.as_value());
        let values = self.words(ContextKind::ValidValue);
        let values = (!values.is_empty()).then(|| format!("Use one of {}", values.join(", ")));
        let parts: Vec<String> = near.into_iter().chain(values).collect();
        if !parts.is_empty() {
            return Some(parts.join(" "));
        }
        let usage = self.usage()?;
        let command: Vec<&str> = usage
            .split(' ')
            .take_while(|word| !word.starts_with(['[', '<', '-']))
            .collect();
        let command = command.join(" ");
        Some(format!("Use it as `{usage}`; `{command} --help` says more"))
    }

    /// How to give a value that looks like an option, where a value could stand.
    fn as_value(&self) -> Option<String> {
        let argument = self.words(ContextKind::InvalidArg).pop()?;
        let Some(ContextValue::StyledStrs(said)) = self.0.get(ContextKind::Suggested) else {
            return None;
        };
        let mut said = said.iter().map(ToString::to_string);
        let is_possible = said.any(|text| text.contains("as a value"));
        is_possible
            .then(|| format!("To give `{argument}` as a value, write `--` before all values"))
    }

    /// The command that other tools call by the word that was given, which may be like another one.
    fn elsewhere(&self) -> Option<&'static str> {
        let given = self.words(ContextKind::InvalidSubcommand).pop()?;
        // Groups of commands have words of their own.
        let is_first = self.usage()?.starts_with("skillyard [");
        is_first.then(|| command_of(&given)).flatten()
    }

    /// The option that does what another command calls by the one that was given.
    fn option_elsewhere(&self) -> Option<&'static str> {
        let given = self.words(ContextKind::InvalidArg).pop()?;
        let usage = self.usage()?;
        option_of(usage.split(' ').nth(1)?, &given)
    }

    fn usage(&self) -> Option<String> {
        let usage = self.words(ContextKind::Usage).pop()?;
        let usage = usage.strip_prefix("Usage:").unwrap_or(&usage);
        Some(usage.trim().lines().next()?.trim().to_owned())
    }

    /// What clap knows of something, in backticks.
    fn quoted(&self, kind: ContextKind) -> Option<String> {
        let words = self.words(kind);
        (!words.is_empty()).then(|| format!("`{}`", words.join("`, `")))
    }

    /// What clap knows of something.
    fn words(&self, kind: ContextKind) -> Vec<String> {
        match self.0.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
            _ => Vec::new(),
        }
    }
}
