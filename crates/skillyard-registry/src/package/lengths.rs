//! How long what a skill says of itself may be.
//!
//! A version stands in addresses and in names of files, and the rest in every answer that lists
//! the skill: one that is too long for them could be neither fetched nor withdrawn, and would
//! keep others from reading what stands beside it.

use super::{Facts, Refusal};

/// The most characters of a version.
const VERSION: usize = 64;
/// The most characters of a tag.
const TAG: usize = 64;
/// The most characters of a licence, of a command, and of a reference to a skill.
const TEXT: usize = 500;
/// The most commands, and the most references to skills.
const NEEDS: usize = 100;

/// Refuses what is too long.
pub(super) fn check(version: &str, facts: &Facts) -> Result<(), Refusal> {
    let one = std::slice::from_ref::<String>;
    let license = facts.license.as_ref().map(one).unwrap_or_default();
    bounded("version", &[version], VERSION)?;
    bounded("licence", license, TEXT)?;
    bounded("tag", &facts.tags, TAG)?;
    for (each, what, needs) in [
        ("needed command", "needed commands", &facts.requires),
        ("needed skill", "needed skills", &facts.skills),
    ] {
        bounded(each, needs, TEXT)?;
        if needs.len() > NEEDS {
            let count = needs.len();
            return Err(Refusal::TooMany {
                what,
                count,
                most: NEEDS,
            });
        }
    }
    Ok(())
}

fn bounded(what: &'static str, texts: &[impl AsRef<str>], most: usize) -> Result<(), Refusal> {
    for text in texts {
        let length = text.as_ref().chars().count();
        if length > most {
            return Err(Refusal::TooLong { what, length, most });
        }
    }
    Ok(())
}

/// Leaves out what is too long, of a skill that another registry took.
pub(super) fn cut(facts: &mut Facts) {
    let fits = |most: usize| move |text: &String| text.chars().count() <= most;
    facts.license = facts.license.take().filter(fits(TEXT));
    facts.tags.retain(fits(TAG));
    for needs in [&mut facts.requires, &mut facts.skills] {
        needs.retain(fits(TEXT));
        needs.truncate(NEEDS);
    }
}
