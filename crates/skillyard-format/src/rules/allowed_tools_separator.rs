//! Commas in `allowed-tools`.

use super::allowed_tools_type::is_plain;
use super::{Report, Subject};
use crate::allowed_tools::{AllowedTools, Separator};
use crate::edit::Edit;

rule! {
    /// The tools of `allowed-tools` should be separated by spaces.
    ///
    /// Nine of ten real files use commas, which Skillyard reads as well; a client that splits
    /// at spaces sees a tool called `Read,`.
    ///
    /// **Fix:** write `Read Write`; `--fix` does.
    "allowed-tools-separator", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, text)) = subject.text("allowed-tools") else {
        return;
    };
    let tools = AllowedTools::parse(text);
    if tools.separator != Separator::Comma {
        return;
    }
    let form = tools.to_standard_form();
    let added = report
        .add(
            &RULE,
            entry.value.span,
            "the tools are separated by commas".into(),
        )
        .help(format!("write `allowed-tools: {form}`"));
    let source = entry.value.span.of(&subject.document.text);
    let one_line = !source.contains(['\n', '\r', '|', '>']);
    if one_line && is_plain(&form) && !tools.unbalanced && subject.repairs().is_empty() {
        added.fix([Edit::replace(entry.value.span, form)]);
    }
}
