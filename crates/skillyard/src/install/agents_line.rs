//! The line `agents = […]` of skills.toml, as hints write it: whole, because it is copied.

use skillyard_catalog::agents::Agent;
use skillyard_install::manifest::Manifest;
use skillyard_install::target;

use super::place::Place;

/// The line with one more agent.
pub(crate) fn with(place: &Place, agent: &Agent) -> String {
    // What cannot be read is told elsewhere.
    let manifest = place.manifest().ok().flatten();
    let named = manifest.as_ref().map_or(&[][..], Manifest::agents);
    let lock = place.lock().unwrap_or_default();
    let targets = lock.skills().iter().flat_map(|entry| &entry.targets);
    written(&target::agents_with(
        named,
        targets.map(|each| &**each),
        agent,
    ))
}

/// The line with these agents.
pub(crate) fn written(agents: &[String]) -> String {
    let names: Vec<String> = agents.iter().map(|name| format!("{name:?}")).collect();
    format!("agents = [{}]", names.join(", "))
}
