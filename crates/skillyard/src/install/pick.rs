//! Which skills of a source are meant.

use skillyard_format::nearest::nearest;
use skillyard_format::render::one_line;
use skillyard_install::material::{Declined, Offer};

use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::printer::Printer;
use crate::question;
use crate::sanitize::{shortened, visible};

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

impl Pick {
    /// Chooses, and says why nothing could be chosen.
    pub(crate) fn choose(
        &self,
        printer: &Printer,
        place: &str,
        offers: Vec<Offer>,
        declined: &[Declined],
    ) -> Result<Vec<Offer>, CommandError> {
        if offers.is_empty() {
            let reason = declined.first().map(|each| match each.path.as_str() {
                "" => each.reason.clone(),
                path => format!("`{path}`: {}", each.reason),
            });
            return Err(match reason {
                Some(reason) => InstallFailure::NoneLoadable {
                    place: place.to_owned(),
                    reason,
                },
                None => InstallFailure::NothingOffered(place.to_owned()),
            }
            .into());
        }
        match self {
            Self::All => Ok(offers),
            Self::AllBut(names) => all_but(names, offers, place),
            Self::Named(names) => names
                .iter()
                .map(|name| named(name, &offers, place))
                .collect(),
            Self::Only | Self::Ask if offers.len() == 1 => Ok(offers),
            Self::Ask if printer.can_ask() => ask(place, &offers),
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
fn named(name: &str, offers: &[Offer], place: &str) -> Result<Offer, CommandError> {
    let ways: [&dyn Fn(&&Offer) -> bool; 3] = [
        &|offer| name.contains('/') && shown(offer) == name,
        &|offer| offer.name == name,
        &|offer| offer.path.rsplit('/').next() == Some(name),
    ];
    let found = ways.into_iter().find_map(|way| {
        let found: Vec<&Offer> = offers.iter().filter(way).collect();
        (!found.is_empty()).then_some(found)
    });
    match found.as_deref() {
        Some([one]) => Ok((*one).clone()),
        Some(several) => Err(InstallFailure::SameName {
            place: place.to_owned(),
            name: name.to_owned(),
            paths: several.iter().map(|offer| shown(offer)).collect(),
        }
        .into()),
        None => Err(InstallFailure::NotOffered {
            place: place.to_owned(),
            name: name.to_owned(),
            nearest: nearest(name, offers.iter().map(|offer| &*offer.name)).map(str::to_owned),
            names: names(offers),
        }
        .into()),
    }
}

/// All skills but those of these names, each of which must be there.
fn all_but(names: &[String], offers: Vec<Offer>, place: &str) -> Result<Vec<Offer>, CommandError> {
    let mut left_out = Vec::new();
    for name in names {
        match named(name, &offers, place) {
            Ok(offer) => left_out.push(offer.path),
            // Of all that are called so none is wanted.
            Err(CommandError::Install(InstallFailure::SameName { .. })) => {
                let of_name = offers.iter().filter(|offer| offer.name == *name);
                left_out.extend(of_name.map(|offer| offer.path.clone()));
            }
            Err(error) => return Err(error),
        }
    }
    let kept = offers.into_iter();
    Ok(kept
        .filter(|offer| !left_out.contains(&offer.path))
        .collect())
}

/// The path of a skill's folder, which no name is like.
fn shown(offer: &Offer) -> String {
    let path = &offer.path;
    if path.contains('/') {
        path.clone()
    } else {
        format!("./{path}")
    }
}

/// What skills are called, each name once.
fn names(offers: &[Offer]) -> Vec<String> {
    let mut names: Vec<String> = offers.iter().map(|offer| offer.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn ask(place: &str, offers: &[Offer]) -> Result<Vec<Offer>, CommandError> {
    let mut question = cliclack::multiselect(format!(
        "Which skills of {}? (space chooses, enter installs)",
        visible(place)
    ));
    for (at, offer) in offers.iter().enumerate() {
        let description = one_line(&offer.description);
        let description = shortened(&visible(&description), 80).into_owned();
        question = question.item(at, visible(&offer.name), description);
    }
    let chosen = question::ask(|| question.interact()).map_err(CommandError::unanswered)?;
    Ok(chosen
        .into_iter()
        .filter_map(|at| offers.get(at).cloned())
        .collect())
}
