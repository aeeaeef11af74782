//! Values that need quotes.

use super::{Report, Subject};
use crate::frontmatter::repair::RepairKind;
use crate::yaml::{YamlError, YamlProblem};

rule! {
    /// Text that YAML reads as something else must be in quotes.
    ///
    /// ```text
    /// description: Usage: run it        # invalid: a second `: `
    /// description: "Usage: run it"      # valid
    /// ```
    ///
    /// The same goes for text that starts with `*`, `&`, `!`, `@`, `` ` ``, `[`, `{`, `>` or `|`, and
    /// for text behind a quoted piece. This is the commonest mistake in real files.
    ///
    /// **Fix:** put the value in quotes; `--fix` does.
    "yaml-unquoted-text", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for repair in subject.repairs() {
        if let RepairKind::Unquoted { key, error } = &repair.kind {
            report
                .add(
                    &RULE,
                    repair.span,
                    format!("the value of `{key}` needs quotes: {}", reason(error)),
                )
                .help("put it in quotes")
                .fix(repair.edits.clone());
        }
    }
}

/// The parser's complaint in words about the text.
fn reason(error: &YamlError) -> String {
    let YamlProblem::Syntax(problem) = error.problem else {
        return match error.problem {
            YamlProblem::UndefinedAlias => "a leading `*` refers to an anchor".to_owned(),
            YamlProblem::UnknownTag => "a leading `!` names a type".to_owned(),
            other => other.to_string(),
        };
    };
    match problem {
        "mapping values are not allowed in this context" => "a `: ` inside starts another value",
        "did not find expected key" => "text goes on behind a quoted or bracketed piece",
        "could not find expected ':'" => "the lines that follow are not indented",
        "found character that cannot start any token" => "it starts with a reserved character",
        "did not find expected comment or line break" => "text stands behind `>` or `|`",
        "block sequence entries are not allowed in this context" => "a list starts on its own line",
        "did not find expected ',' or ']'" | "did not find expected ',' or '}'" => {
            "a bracket is not closed"
        }
        "did not find expected alphabetic or numeric character" => {
            "a leading `*` or `&` names an anchor"
        }
        "found unexpected end of stream" => "a quote is not closed",
        "found unknown escape character" => "a `\\` in double quotes starts an escape",
        other => other,
    }
    .to_owned()
}
