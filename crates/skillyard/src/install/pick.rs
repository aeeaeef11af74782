//! Which skills of a source are meant.

use std::path::Path;

use skillyard_format::text::{nearest, one_line};
use skillyard_install::material::{Declined, SkillOffer};

use crate::error;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::printer::Printer;
use crate::question::{self, Item};
use crate::scope::whole;
use crate::text::counted;
use crate::text::sanitize::{shortened, visible};

/// How skills are chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pick {
    /// The one that is there.
    Only,
    /// The one that is there; of several the user chooses.
    Ask,
    /// Those with these names.
    Named(Vec<String>),
    /// All of them.
    All,
    /// All but those with these names.
    AllBut(Vec<String>),
}

/// Where the skills are that are chosen from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PickSource<'a> {
    /// As people are told.
    pub(crate) shown: &'a str,
    /// The folder of this machine that it is.
    pub(crate) folder: Option<&'a Path>,
    /// The folder within it that was asked for; empty for all of it.
    pub(crate) below: &'a str,
}

impl PickSource<'_> {
    /// Whether a path leads to a folder of the source: from its beginning, from what was asked for, as
    /// people are told, or from here.
    fn is_folder(&self, word: &str, folder: &str) -> bool {
        let word = word.trim_end_matches('/');
        let inner = word.strip_prefix("./").unwrap_or(word);
        let is_below = |start: &str, path: &str| {
            let rest = folder_below(folder, start);
            rest == Some(path)
        };
        let shown = folder_below(word, self.shown.trim_end_matches('/'));
        inner == folder
            || is_below(self.below, inner)
            || shown.is_some_and(|path| path == folder || is_below(self.below, path))
            || self.folder.is_some_and(|root| {
                Path::new(word).exists() && whole(Path::new(word)) == whole(root).join(folder)
            })
    }
}

/// What of a path lies below another one.
fn folder_below<'p>(path: &'p str, start: &str) -> Option<&'p str> {
    match start {
        "" => Some(path),
        start => path.strip_prefix(start)?.strip_prefix('/'),
    }
}

impl Pick {
    /// The same without a name that is not there; nothing where no name is left.
    pub(crate) fn without(&self, name: &str) -> Option<Self> {
        let others = |names: &[String]| -> Vec<String> {
            let others = names.iter().filter(|each| *each != name);
            others.cloned().collect()
        };
        match self {
            Self::Named(names) => Some(others(names))
                .filter(|names| !names.is_empty())
                .map(Self::Named),
            Self::AllBut(names) => Some(Self::AllBut(others(names))),
            Self::Only | Self::Ask | Self::All => None,
        }
    }

    /// Whether a name was said.
    pub(crate) fn says(&self, name: &str) -> bool {
        match self {
            Self::Named(names) | Self::AllBut(names) => names.iter().any(|each| each == name),
            Self::Only | Self::Ask | Self::All => false,
        }
    }

    /// Chooses, and says why nothing could be chosen.
    pub(crate) fn choose(
        &self,
        printer: &Printer,
        source: &PickSource<'_>,
        offers: Vec<SkillOffer>,
        declined: &[Declined],
    ) -> Result<Vec<SkillOffer>, CommandError> {
        let place = source.shown;
        if offers.is_empty() {
            if let Self::Named(names) = self {
                let mut reasons = names.iter();
                let reason = reasons.find_map(|name| why(name, declined, source));
                if let Some(reason) = reason {
                    return Err(reason.into());
                }
            }
            let opening = declined.first();
            let opening = opening.and_then(|each| self::opening(each, source));
            let reason = declined.first().map(|each| match each.path.as_str() {
                "" => each.reason.clone(),
                path => format!("`{path}`: {}", each.reason),
            });
            return Err(match reason {
                Some(reason) => InstallFailure::NoneLoadable {
                    place: place.to_owned(),
                    reason,
                    opening,
                },
                None => InstallFailure::NothingOffered(place.to_owned()),
            }
            .into());
        }
        match self {
            Self::All => {
                tell_declined(printer, source, declined.iter());
                Ok(offers)
            }
            Self::AllBut(names) => {
                let kept = all_but(names, offers, declined, source)?;
                let is_wanted = |each: &&Declined| {
                    let mut names = names.iter();
                    !names.any(|name| is_meant(name, each, source))
                };
                tell_declined(printer, source, declined.iter().filter(is_wanted));
                Ok(kept)
            }
            Self::Named(names) => names
                .iter()
                .map(|name| named(name, &offers, declined, source))
                .collect(),
            Self::Only | Self::Ask if offers.len() == 1 => Ok(offers),
            Self::Ask if printer.can_ask() => ask(printer, place, &offers),
            Self::Only | Self::Ask => Err(InstallFailure::Several {
                place: place.to_owned(),
                count: offers.len(),
                names: names(&offers),
            }
            .into()),
        }
    }
}

/// The skill of a name, which may also be the path or the name of its folder.
fn named(
    name: &str,
    offers: &[SkillOffer],
    declined: &[Declined],
    source: &PickSource<'_>,
) -> Result<SkillOffer, CommandError> {
    let meant = meant(name, offers, source);
    let meant = meant.map_err(|absent| why(name, declined, source).unwrap_or(absent))?;
    match &meant[..] {
        [one] => Ok((*one).clone()),
        several => Err(InstallFailure::SameName {
            place: source.shown.to_owned(),
            name: name.to_owned(),
            paths: several.iter().map(|offer| shown(offer)).collect(),
        }
        .into()),
    }
}

/// The skills that a word means, of which there must be one.
fn meant<'o>(
    word: &str,
    offers: &'o [SkillOffer],
    source: &PickSource<'_>,
) -> Result<Vec<&'o SkillOffer>, InstallFailure> {
    let ways: [&dyn Fn(&&SkillOffer) -> bool; 3] = [
        &|offer| word.contains('/') && source.is_folder(word, &offer.path),
        &|offer| offer.name == word,
        &|offer| offer.path.rsplit('/').next() == Some(word),
    ];
    let found = ways.into_iter().find_map(|way| {
        let found: Vec<&SkillOffer> = offers.iter().filter(way).collect();
        (!found.is_empty()).then_some(found)
    });
    found.ok_or_else(|| InstallFailure::NotOffered {
        place: source.shown.to_owned(),
        name: word.to_owned(),
        nearest: nearest(word, offers.iter().map(|offer| &*offer.name)).map(str::to_owned),
        names: names(offers),
    })
}

/// All skills but those of these names, each of which must be there, sound or not.
fn all_but(
    words: &[String],
    offers: Vec<SkillOffer>,
    declined: &[Declined],
    source: &PickSource<'_>,
) -> Result<Vec<SkillOffer>, CommandError> {
    let mut left_out = Vec::new();
    for word in words {
        // Of all that are called so none is wanted, nor is one that cannot be loaded.
        match meant(word, &offers, source) {
            Ok(meant) => left_out.extend(meant.iter().map(|offer| offer.path.clone())),
            Err(_) if why(word, declined, source).is_some() => {}
            Err(absent) => return Err(absent.into()),
        }
    }
    let kept = offers.into_iter();
    Ok(kept
        .filter(|offer| !left_out.contains(&offer.path))
        .collect())
}

/// A word that means this skill alone: its name, or its folder where others are called so.
pub(crate) fn word_for(offer: &SkillOffer, offers: &[SkillOffer]) -> String {
    let same = offers.iter().filter(|each| each.name == offer.name);
    if same.count() > 1 {
        shown(offer)
    } else {
        offer.name.clone()
    }
}

/// The path of a skill's folder, which no name is like.
fn shown(offer: &SkillOffer) -> String {
    let path = &offer.path;
    if path.contains('/') {
        path.clone()
    } else {
        format!("./{path}")
    }
}

/// What skills are called, each name once.
fn names(offers: &[SkillOffer]) -> Vec<String> {
    let mut names: Vec<String> = offers.iter().map(|offer| offer.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn ask(
    printer: &Printer,
    place: &str,
    offers: &[SkillOffer],
) -> Result<Vec<SkillOffer>, CommandError> {
    let item = |offer: &SkillOffer| Item {
        label: offer.name.clone(),
        about: shortened(&visible(&one_line(&offer.description)), 80).into_owned(),
    };
    let items: Vec<Item> = offers.iter().map(item).collect();
    let question = format!("Which skills of {place} are to be installed?");
    let chosen = question::several(printer, &question, &items);
    let chosen = chosen.map_err(CommandError::unanswered)?;
    Ok(chosen
        .into_iter()
        .filter_map(|at| offers.get(at).cloned())
        .collect())
}

/// Most that are named.
const MAX_NAMED: usize = 20;

/// Warns of what does not come along although all of a source is wanted.
fn tell_declined<'d>(
    printer: &Printer,
    source: &PickSource<'_>,
    declined: impl Iterator<Item = &'d Declined>,
) {
    let place = source.shown;
    let mut declined = declined;
    for each in declined.by_ref().take(MAX_NAMED) {
        let path = if each.path.is_empty() {
            "SKILL.md"
        } else {
            &each.path
        };
        // Names of a stranger's folders begin no line.
        let (path, reason) = (one_line(path), one_line(&each.reason));
        let remedy = opening(each, source).map(|hint| format!(" ({hint})"));
        let remedy = remedy.unwrap_or_default();
        printer.warn(&format!(
            "`{path}` of `{place}` is left out, because it cannot be loaded: {reason}{remedy}"
        ));
    }
    let more = declined.count();
    if more > 0 {
        let more = counted(more, "more skill");
        printer.warn(&format!(
            "{more} of `{place}` cannot be loaded; `-v` names all of them"
        ));
    }
}

/// Whether a word means something that cannot be loaded.
fn is_meant(word: &str, each: &Declined, source: &PickSource<'_>) -> bool {
    each.path.rsplit('/').next() == Some(word)
        || word.contains('/') && source.is_folder(word, &each.path)
}

/// Why the skill that a word means cannot be had, if it is there and cannot be loaded.
fn why(word: &str, declined: &[Declined], source: &PickSource<'_>) -> Option<InstallFailure> {
    let each = declined.iter().find(|each| is_meant(word, each, source))?;
    Some(InstallFailure::NotLoadable {
        place: source.shown.to_owned(),
        name: word.to_owned(),
        reason: each.reason.clone(),
        opening: opening(each, source),
    })
}

/// What opens it, where it is in a folder of this machine and closed to the user.
fn opening(each: &Declined, source: &PickSource<'_>) -> Option<String> {
    error::remedy(&source.folder?.join(&each.path).join("SKILL.md"))
}
