//! Which skills of a source are meant.

use skillyard_format::nearest::nearest;
use skillyard_format::render::one_line;
use skillyard_install::material::{Declined, Offer};

use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::printer::Printer;
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
            Self::Named(names) => names
                .iter()
                .map(|name| named(name, &offers, place))
                .collect(),
            Self::Only | Self::Ask if offers.len() == 1 => Ok(offers),
            Self::Ask if printer.can_ask() => ask(place, &offers),
            Self::Only | Self::Ask => Err(InstallFailure::Several {
                place: place.to_owned(),
                count: offers.len(),
                names: offers.into_iter().map(|offer| offer.name).collect(),
            }
            .into()),
        }
    }
}

/// The skill of a name, which may also be the name of its folder.
fn named(name: &str, offers: &[Offer], place: &str) -> Result<Offer, CommandError> {
    let folder = |offer: &&Offer| offer.path.rsplit('/').next() == Some(name);
    let found = offers.iter().find(|offer| offer.name == name);
    let found = found.or_else(|| offers.iter().find(folder));
    found.cloned().ok_or_else(|| {
        let names = offers.iter().map(|offer| offer.name.as_str());
        InstallFailure::NotOffered {
            place: place.to_owned(),
            name: name.to_owned(),
            nearest: nearest(name, names.clone()).map(str::to_owned),
            names: names.map(str::to_owned).collect(),
        }
        .into()
    })
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
    let chosen = question.interact().map_err(CommandError::unanswered)?;
    Ok(chosen
        .into_iter()
        .filter_map(|at| offers.get(at).cloned())
        .collect())
}
