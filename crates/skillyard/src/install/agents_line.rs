//! The line `agents = […]` of skills.toml, as hints write it: whole, because it is copied.

use skillyard_catalog::agents::Agent;
use skillyard_install::manifest::Manifest;
use skillyard_install::target;

use crate::error::install::agents_line;
use crate::scope::ScopeContext;

/// The line with one more agent.
pub(crate) fn with(place: &ScopeContext, agent: &Agent) -> String {
    // What cannot be read is told elsewhere.
    let manifest = place.manifest().ok().flatten();
    let named = manifest.as_ref().map_or(&[][..], Manifest::agents);
    let lock = place.lock().unwrap_or_default();
    let targets = lock.skills().iter().flat_map(|entry| &entry.targets);
    agents_line(&target::agents_with(
        named,
        targets.map(|each| &**each),
        agent,
    ))
}
