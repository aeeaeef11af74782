//! Skills that need each other in a circle.

use std::collections::BTreeMap;

use super::Needed;

/// The first circle, as `a → b → a`.
pub(super) fn circle(found: &BTreeMap<String, (Needed, String)>) -> Option<String> {
    let mut done: Vec<&str> = Vec::new();
    found.keys().find_map(|start| {
        let mut path = Vec::new();
        walk(start, found, &mut path, &mut done)
    })
}

fn walk<'a>(
    name: &'a str,
    found: &'a BTreeMap<String, (Needed, String)>,
    path: &mut Vec<&'a str>,
    done: &mut Vec<&'a str>,
) -> Option<String> {
    if let Some(at) = path.iter().position(|each| *each == name) {
        let mut names: Vec<String> = path[at..].iter().map(|each| format!("`{each}`")).collect();
        names.push(format!("`{name}`"));
        return Some(names.join(" → "));
    }
    if done.contains(&name) {
        return None;
    }
    path.push(name);
    let (needed, _) = found.get(name)?;
    let circle = needed
        .requires
        .iter()
        .find_map(|next| walk(next, found, path, done));
    path.pop();
    done.push(name);
    circle
}
