//! `pins.toml`: who signed which skill before, and how new it was.

use std::path::Path;

use serde::Deserialize;
use skillyard_trust::signature::Pin;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::believed::text;
use crate::config::private_file::{lock, write_private};
use crate::error::CommandError;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Pins {
    pin: Vec<Pin>,
}

/// Everything that is remembered.
pub(crate) fn read(file: &Path) -> Result<Vec<Pin>, CommandError> {
    let pins: Result<Pins, _> = toml::from_str(&text(file)?);
    Ok(pins
        .map_err(|error| CommandError::Config {
            path: file.to_owned(),
            message: error.to_string().trim().to_owned(),
        })?
        .pin)
}

/// Remembers a skill in place of what was remembered of it before.
pub(crate) fn remember(file: &Path, pin: Pin) -> Result<(), CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let mut pins = read(file)?;
    if pins.contains(&pin) {
        return Ok(());
    }
    pin.put_into(&mut pins);
    write(file, pins)
}

/// Forgets a skill; tells whether anything was remembered of it.
pub(crate) fn forget(file: &Path, skill: &str) -> Result<bool, CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let mut pins = read(file)?;
    let before = pins.len();
    pins.retain(|each| each.skill != skill);
    if pins.len() == before {
        return Ok(false);
    }
    write(file, pins)?;
    Ok(true)
}

fn write(file: &Path, mut pins: Vec<Pin>) -> Result<(), CommandError> {
    pins.sort_unstable_by(|a, b| (&a.skill, &a.publisher).cmp(&(&b.skill, &b.publisher)));
    let mut tables = ArrayOfTables::new();
    for pin in pins {
        let mut table = Table::new();
        table.insert("skill", value(pin.skill));
        if let Some(publisher) = pin.publisher {
            table.insert("publisher", value(publisher));
        }
        table.insert("signer", value(pin.signer));
        if let Some(version) = pin.version {
            table.insert("version", value(version));
        }
        table.insert("digest", value(pin.digest.to_string()));
        if let Some(signed) = pin.signed {
            table.insert("signed", value(signed.to_string()));
        }
        table.insert("seen", value(pin.seen.to_string()));
        tables.push(table);
    }
    let mut document = DocumentMut::new();
    document.insert("pin", Item::ArrayOfTables(tables));
    write_private(file, document.to_string().as_bytes())
}
