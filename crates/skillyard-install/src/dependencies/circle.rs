//! Skills that need each other in a circle.

use std::collections::BTreeMap;

use super::round::Link;

/// The names of the first circle, which ends where it begins.
pub(super) fn circle(found: &BTreeMap<String, Link>) -> Option<Vec<String>> {
    let mut done: Vec<&str> = Vec::new();
    found.keys().find_map(|start| {
        let mut path = Vec::new();
        walk(start, found, &mut path, &mut done)
    })
}

fn walk<'a>(
    name: &'a str,
    found: &'a BTreeMap<String, Link>,
    path: &mut Vec<&'a str>,
    done: &mut Vec<&'a str>,
) -> Option<Vec<String>> {
    if let Some(at) = path.iter().position(|each| *each == name) {
        let names = path[at..].iter().copied().chain([name]);
        return Some(names.map(str::to_owned).collect());
    }
    if done.contains(&name) {
        return None;
    }
    path.push(name);
    let link = found.get(name)?;
    let circle = link
        .needed
        .requires
        .iter()
        .find_map(|next| walk(&next.name, found, path, done));
    path.pop();
    done.push(name);
    circle
}
