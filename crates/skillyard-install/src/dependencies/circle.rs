//! Skills that need each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

/// Names, and the names that each of them needs.
pub(super) type Needs<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// The names of the first circle, which ends where it begins.
pub(super) fn circle(needs: &Needs<'_>) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    needs.keys().find_map(|start| {
        let mut path = Vec::new();
        walk(start, needs, &mut path, &mut done)
    })
}

fn walk<'a>(
    name: &'a str,
    needs: &Needs<'a>,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<String>> {
    if let Some(at) = path.iter().position(|each| *each == name) {
        let names = path[at..].iter().copied().chain([name]);
        return Some(names.map(str::to_owned).collect());
    }
    if done.contains(name) {
        return None;
    }
    path.push(name);
    let next = needs.get(name).into_iter().flatten();
    let circle = next
        .into_iter()
        .find_map(|next| walk(next, needs, path, done));
    path.pop();
    done.insert(name);
    circle
}
