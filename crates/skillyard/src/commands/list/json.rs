//! `skillyard list --json`.
//!
//! Written by hand: a list of ten thousand skills is as good as all the work of the command
//! when its index is fresh, and this takes a sixth of the instructions that a serializer does.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde_json::json;
use skillyard_catalog::walk::Stamp;
use skillyard_catalog::{Catalog, CatalogSkill, Status};

use crate::commands::list::{stand_in, unmet};
use crate::environment::Environment;
use crate::install::revoked::Revoked;
use crate::text::json;
use crate::text::json::push_string;

/// How much is put together before it is written.
const PIECE: usize = 1 << 16;

/// Writes the catalog on one line, with what is locked here and is in no folder, because it is revoked.
pub(crate) fn write(
    catalog: &Catalog,
    revoked: &[Revoked],
    environment: &Environment,
    mut out: impl Write,
) -> io::Result<()> {
    let mut piece = Vec::with_capacity(PIECE + PIECE / 4);
    piece.extend_from_slice(b"{\"skills\":[");
    let stand_ins = catalog.fallbacks_for_untrusted();
    for (at, skill) in catalog.skills.iter().enumerate() {
        if at > 0 {
            piece.push(b',');
        }
        let stand_in = stand_in(skill, &stand_ins);
        push_skill(&mut piece, skill, stand_in, environment)?;
        if piece.len() >= PIECE {
            out.write_all(&piece)?;
            piece.clear();
        }
    }
    let shadowed = catalog.shadowed.iter().map(|each| {
        let record = &each.skill.record;
        json!({
            "name": record.name,
            "description": record.description,
            "source": each.skill.kind.as_str(),
            "path": record.folder.to_string_lossy(),
            "winner": each.winner.to_string_lossy(),
        })
    });
    piece.extend_from_slice(b"],\"shadowed\":");
    json::write_compact(&mut piece, &shadowed.collect::<Vec<_>>())?;
    let skipped = catalog.skipped.iter().map(|each| {
        json!({
            "path": each.path.to_string_lossy(),
            "reason": each.reason,
        })
    });
    piece.extend_from_slice(b",\"skipped\":");
    json::write_compact(&mut piece, &skipped.collect::<Vec<_>>())?;
    piece.extend_from_slice(b",\"revoked\":");
    json::write_compact(&mut piece, &revoked)?;
    piece.extend_from_slice(b"}\n");
    out.write_all(&piece)
}

fn push_skill(
    out: &mut Vec<u8>,
    skill: &CatalogSkill,
    stand_in: Option<&CatalogSkill>,
    environment: &Environment,
) -> io::Result<()> {
    let record = &skill.record;
    // These two words are ours, and hold nothing to escape.
    let (source, status) = (skill.kind.as_str(), skill.status.as_str());
    let mut object = Object { out };
    object.raw("{\"id\":\"", source);
    // The name follows, and its opening quote becomes the slash.
    let slash = object.out.len();
    object.text("", &record.name)?;
    object.out[slash] = b'/';
    let name = slash + 1..object.out.len();
    object.raw(",\"name\":\"", "");
    object.out.extend_from_within(name);
    object.text(",\"description\":", &record.description)?;
    object.raw(",\"source\":\"", source);
    match record.folder.to_str() {
        Some(path) => object.text("\",\"path\":", path)?,
        None => object.text("\",\"path\":", &record.folder.to_string_lossy())?,
    }
    object.text(",\"file\":", &record.file_name)?;
    object.raw(",\"status\":\"", status);
    object.raw("\"", "");
    match &skill.status {
        Status::Enabled | Status::Untrusted | Status::Altered => {}
        Status::Disabled { reason }
        | Status::HeldBack { reason }
        | Status::Revoked { reason }
        | Status::Unhashable { reason } => {
            object.text(",\"reason\":", reason)?;
        }
        Status::Unavailable { missing } => object.value(",\"missing\":", missing)?,
    }
    if let Some(other) = stand_in {
        object.text(",\"stand_in\":", &other.record.folder.to_string_lossy())?;
    }
    object.time(",\"modified\":", &record.stamp)?;
    let word = |value: bool| if value { "true" } else { "false" };
    object.raw(",\"model_invocable\":", word(record.model_invocable));
    object.raw(",\"user_invocable\":", word(record.user_invocable));
    match &*record.problems {
        [] => object.raw(",\"problems\":[]", ""),
        problems => object.value(",\"problems\":", &problems)?,
    }
    match &*unmet(skill, environment) {
        [] => {}
        unmet => object.value(",\"unmet\":", &unmet)?,
    }
    // The record holds them as JSON already.
    let fields: &str = match &*record.fields {
        "" => "null",
        fields => &json::escaped(fields),
    };
    object.raw(",\"fields\":", fields);
    object.raw("}", "");
    Ok(())
}

/// An object on its way out; keys come with what stands around them.
struct Object<'a> {
    out: &'a mut Vec<u8>,
}

impl Object<'_> {
    fn raw(&mut self, key: &str, json: &str) {
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(json.as_bytes());
    }

    fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.raw(key, "");
        push_string(self.out, text)
    }

    /// When a file was changed, if that is known: what is inside the binary is no file.
    fn time(&mut self, key: &str, stamp: &Stamp) -> io::Result<()> {
        let time = Timestamp::from_millisecond(stamp.modified.div_euclid(1_000_000));
        let Some(time) = time.ok().filter(|_| stamp.changed != 0) else {
            self.raw(key, "null");
            return Ok(());
        };
        self.raw(key, "\"");
        let printed = DateTimePrinter::new().print_timestamp(&time, &mut *self.out);
        printed.map_err(io::Error::other)?;
        self.raw("\"", "");
        Ok(())
    }

    fn value(&mut self, key: &str, value: &impl serde::Serialize) -> io::Result<()> {
        self.raw(key, "");
        json::write_compact(&mut *self.out, value)
    }
}
