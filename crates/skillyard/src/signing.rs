//! Keys, policy and pins on disk, and the files of a skill as a signature sees them.

pub(crate) mod former;
pub(crate) mod keyring;
pub(crate) mod passphrase;
pub(crate) mod policy;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use skillyard_catalog::resource::{DigestLimits, SkillRoot, file_digests_without};
use skillyard_install::origin::OriginKind;
use skillyard_install::reference::Reference;
use skillyard_install::tree::Ignored;
use skillyard_install::tree::{Tree as Installed, Undelivered};
use skillyard_trust::signature::{MAX_BYTES, Moment, Pin, SIGNATURE_FILE, Tree};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::error::CommandError;
use crate::files::private::{lock, write_private};
use crate::files::read_owned_text;

/// Who gives the name of a skill its meaning: its name in a registry, or its place in a repository.
/// Whoever has the bytes can put them into a folder or behind another address, which says nothing.
pub(crate) fn publisher(kind: OriginKind, source: &str) -> Option<&str> {
    let is_published = matches!(kind, OriginKind::Registry | OriginKind::Git);
    (is_published && !Reference::is_local(source)).then_some(source)
}

/// Reads the files that a skill is delivered with, and notes what lies there besides. Where no
/// executable bits are kept, what was installed there has them.
pub(crate) fn read_tree(
    folder: &Path,
    behind: Option<&Installed>,
    ignored: Ignored,
) -> Result<Tree, CommandError> {
    let root = SkillRoot::open(folder).map_err(CommandError::Resource)?;
    // Nobody gets the skill with such files, so they cannot be signed either.
    let undelivered = Undelivered::of(folder, ignored);
    let is_left_out = |path: &str| undelivered.has(path);
    let found = file_digests_without(&root, &DigestLimits::HERE, &is_left_out);
    let found = found.map_err(CommandError::Resource)?;
    let mut tree = Tree::default();
    for path in &found.litter {
        tree.add_litter(path);
    }
    for mut file in found.files {
        if let Some(behind) = behind.and_then(|behind| behind.get(&file.path)) {
            file.executable = behind.executable;
        }
        if file.path.eq_ignore_ascii_case("SKILL.md") || file.path == SIGNATURE_FILE {
            let content = read_limited(&folder.join(&file.path))?;
            tree.add(&file.path, file.executable, &content);
        } else {
            tree.add_digest(&file.path, file.executable, file.digest);
        }
    }
    for path in found.unnamed {
        tree.add_nameless(&path);
    }
    for path in found.others {
        tree.add_irregular(&path);
    }
    Ok(tree)
}

/// Reads one byte more than is ever looked at, so that too long can be told from long.
fn read_limited(path: &Path) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|source| CommandError::Read {
            path: path.to_owned(),
            source,
        })?;
    Ok(bytes)
}

/// The present, as fine as two commands in a row need it to tell which came first.
pub(crate) fn now() -> Moment {
    let now = Timestamp::now();
    Moment(Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Pins {
    pin: Vec<Pin>,
}

/// Everything that is remembered.
pub(crate) fn read_pins(file: &Path) -> Result<Vec<Pin>, CommandError> {
    let pins: Result<Pins, _> = toml::from_str(&read_owned_text(file)?);
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
    let mut pins = read_pins(file)?;
    if pins.contains(&pin) {
        return Ok(());
    }
    pin.put_into(&mut pins);
    write(file, pins)
}

/// Forgets a skill; tells whether anything was remembered of it.
pub(crate) fn forget(file: &Path, skill: &str) -> Result<bool, CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let mut pins = read_pins(file)?;
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
