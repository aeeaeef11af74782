//! The question about what is in the way of a skill: rename, replace or skip.

use skillyard_format::SkillName;
use skillyard_install::dependencies::Needed;
use skillyard_install::plan::{Conflict, ConflictPolicy, OnConflict};

use super::renaming::named;
use crate::error::CommandError;
use crate::error::install::obstacle;
use crate::printer::Printer;
use crate::question::{AnswerHint, text, warning, word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConflictAnswer {
    Rename,
    Replace,
    Skip,
}

/// Asks about the first skill that something is in the way of; returns its name and the new one, if
/// it got one.
pub(crate) fn ask(
    printer: &Printer,
    conflicts: &[Conflict],
    needed: &mut [Needed],
    settlement: &mut ConflictPolicy,
) -> Result<Option<(String, String)>, CommandError> {
    let Some(name) = conflicts.first().map(|each| each.name.clone()) else {
        return Ok(None);
    };
    for each in conflicts.iter().filter(|each| each.name == name) {
        warning(printer, &obstacle(each)).map_err(CommandError::unanswered)?;
    }
    let is_new = needed.iter().any(|each| each.candidate.name == name);
    match answer(printer, &name, is_new)? {
        ConflictAnswer::Replace => settlement.settle(&name, OnConflict::Replace),
        ConflictAnswer::Skip => settlement.settle(&name, OnConflict::Skip),
        ConflictAnswer::Rename => {
            let taken: Vec<String> = needed
                .iter()
                .map(|each| each.candidate.name.clone())
                .collect();
            let new = new_name(printer, &name, taken)?;
            rename(needed, &name, &new)?;
            return Ok(Some((name, new)));
        }
    }
    Ok(None)
}

/// What is to happen with a skill that something is in the way of. One that goes, because nobody needs
/// it any more, cannot come under another name.
fn answer(printer: &Printer, name: &str, is_new: bool) -> Result<ConflictAnswer, CommandError> {
    let (question, words) = if is_new {
        let question = "`rename` installs it under another name, `replace` loses what is there, `skip` keeps it";
        let rename = ("rename", ConflictAnswer::Rename);
        (
            question,
            vec![
                rename,
                ("replace", ConflictAnswer::Replace),
                ("skip", ConflictAnswer::Skip),
            ],
        )
    } else {
        let question = "nobody needs it any more; `remove` loses what is there, `skip` keeps it";
        (
            question,
            vec![
                ("remove", ConflictAnswer::Replace),
                ("skip", ConflictAnswer::Skip),
            ],
        )
    };
    let question = format!("What is to happen with `{name}`? {question}");
    word(printer, &question, &words).map_err(CommandError::unanswered)
}

fn new_name(printer: &Printer, name: &str, taken: Vec<String>) -> Result<String, CommandError> {
    let judge = move |text: &String| {
        if SkillName::new(text).is_err() {
            Err("a name has lowercase letters, digits and hyphens".to_owned())
        } else if taken.contains(text) {
            Err("another skill has this name already".to_owned())
        } else {
            Ok(())
        }
    };
    let proposed = format!("{name}-2");
    let shown = AnswerHint::Otherwise(&proposed);
    text(printer, "The new name", shown, judge).map_err(CommandError::unanswered)
}

/// Gives a skill another name, also where others need it.
pub(crate) fn rename(needed: &mut [Needed], from: &str, to: &str) -> Result<(), CommandError> {
    for each in needed {
        if each.candidate.name == from {
            each.candidate = named(each.candidate.clone(), to)?;
        }
        for required in &mut each.requires {
            if required.name == from {
                to.clone_into(&mut required.name);
            }
        }
    }
    Ok(())
}
