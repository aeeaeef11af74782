//! Skills that no agent of this machine had before, written down when a chat or a server gets them.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::source::SourceKind;
use skillyard_format::Digest;

use crate::context::Context;
use crate::error::CommandError;
use crate::permission::Permissions;
use crate::redactor::without_userinfo;

/// Tells of those that are new. What cannot be written down now is told the next time.
pub(crate) fn tell<'a>(context: &Context, skills: impl Iterator<Item = &'a CatalogSkill>) {
    let file = seen(context);
    let known = fs::read_to_string(&file).unwrap_or_default();
    let known: HashSet<&str> = known.lines().collect();
    // What comes with the program is nothing that was found.
    let found = skills.filter(|skill| skill.kind != SourceKind::Builtin);
    let found = found.map(|skill| (mark(skill), skill));
    let new: Vec<(String, &CatalogSkill)> =
        found.filter(|(mark, _)| !known.contains(&**mark)).collect();
    if new.is_empty() || record(context, &new).is_err() {
        return;
    }
    let marks: Vec<&str> = new.iter().map(|(mark, _)| &**mark).collect();
    let lines = marks.join("\n") + "\n";
    let options = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(file);
    let _ = options.and_then(|mut file| file.write_all(lines.as_bytes()));
}

/// Where it stands which ones are known.
fn seen(context: &Context) -> PathBuf {
    context.environment.skillyard_home.join("seen")
}

/// What a skill is known by: its name and where it lies.
fn mark(skill: &CatalogSkill) -> String {
    let place = skill.record.folder.as_os_str().as_encoded_bytes();
    let known_by = [skill.record.name.as_bytes(), place].join(&0);
    Digest::of(&known_by).to_hex()[..32].to_owned()
}

fn record(context: &Context, new: &[(String, &CatalogSkill)]) -> Result<(), CommandError> {
    let permissions = Permissions::load(context)?;
    let events = new.iter().map(|(_, skill)| {
        let provenance = permissions.provenance(skill);
        let tier = permissions.verdict(&provenance).tier;
        let event = Event::new(EventKind::SkillDiscovered)
            .skill(&*skill.record.name)
            .source(skill.kind.as_str())
            .tier(tier.as_str())
            .detail("folder", skill.record.folder.display().to_string());
        match &provenance.url {
            Some(url) => event.origin(without_userinfo(url)),
            None => event,
        }
    });
    let events: Vec<Event> = events.collect();
    Ok(context.recorder()?.record_all(&events)?)
}
