//! Flags that every command has.

use std::ffi::OsString;

use clap::{Args, ColorChoice};

/// Flags that every command has.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Say less: only data and errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Say more, such as what is wrong with a skill that is read
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet", help_heading = "Global options")]
    pub(crate) verbose: u8,
    /// Answer in JSON, errors included
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false,
        help_heading = "Global options"
    )]
    pub(crate) color: ColorChoice,
    /// Set a key of the configuration for this run (may be repeated)
    #[arg(
        long,
        global = true,
        value_name = "KEY=VALUE",
        help_heading = "Global options"
    )]
    pub(crate) config: Vec<String>,
}

impl GlobalArgs {
    /// What arguments that were not understood say about the output.
    pub(crate) fn guessed(arguments: &[OsString]) -> Self {
        let options = arguments.iter().skip(1).take_while(|each| *each != "--");
        let options: Vec<&str> = options.filter_map(|each| each.to_str()).collect();
        let color = options.iter().enumerate().find_map(|(at, option)| {
            let behind = option.strip_prefix("--color")?;
            let value = match behind.strip_prefix('=') {
                Some(value) => value,
                None if behind.is_empty() => options.get(at + 1)?,
                None => return None,
            };
            value.parse().ok()
        });
        Self {
            quiet: false,
            verbose: 0,
            json: options.contains(&"--json"),
            color: color.unwrap_or(ColorChoice::Auto),
            config: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_guessed_from_arguments_that_are_wrong() {
        let guessed = |text: &str| {
            let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            let global = GlobalArgs::guessed(&words);
            (global.json, global.color)
        };
        assert_eq!(guessed("skillyard lst --json"), (true, ColorChoice::Auto));
        assert_eq!(
            guessed("skillyard lst -- --json"),
            (false, ColorChoice::Auto)
        );
        assert_eq!(
            guessed("skillyard --color=never x"),
            (false, ColorChoice::Never)
        );
        assert_eq!(
            guessed("skillyard --color always"),
            (false, ColorChoice::Always)
        );
        assert_eq!(
            guessed("skillyard --colors always --color"),
            (false, ColorChoice::Auto)
        );
    }
}
