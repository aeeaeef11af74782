//! What is resolved, compared with all there is: every set of versions of small shelves.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use semver::Version;

use super::shelf::{Shelf, put, told};
use crate::dependencies::{Asker, KnownRequests, Needed, RequestedSkill, resolve, resolve_each};
use crate::lockfile::{Locked, Lockfile};
use crate::reference::Requirement;

const NAMES: [&str; 5] = ["aaa", "bbb", "ccc", "ddd", "eee"];
const VERSIONS: [&str; 5] = ["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0"];
const RANGES: [&str; 8] = ["", "", "@>=1", "@^1", "@^2", "@<2", "@~1.1", "@=1.1.0"];

/// What a skill needs: names and ranges.
type Needs = BTreeMap<usize, &'static str>;
/// The versions of each skill with what they need.
type Versions = Vec<BTreeMap<Version, Needs>>;
/// Which version of which skill is taken.
type Set<'a> = BTreeMap<usize, (&'a Version, &'a Needs)>;

fn shelves() -> impl Strategy<Value = (Versions, Vec<(usize, &'static str)>)> {
    let range = || prop::sample::select(&RANGES[..]);
    let needs = move || prop::collection::btree_map(0..NAMES.len(), range(), 0..=2);
    let version = || {
        let texts = prop::sample::select(&VERSIONS[..]);
        texts.prop_map(|text| Version::parse(text).unwrap())
    };
    let skill = move || prop::collection::btree_map(version(), needs(), 1..=4);
    let skills = prop::collection::vec(skill(), NAMES.len());
    let roots = prop::collection::btree_map(0..NAMES.len(), range(), 1..=3);
    (skills, roots, any::<bool>()).prop_map(|(mut skills, roots, is_tame)| {
        if is_tame {
            tame(&mut skills);
        }
        let has = |(at, range): &(usize, &str)| skills[*at].keys().any(|each| fits(range, each));
        let roots = roots.into_iter().filter(has).collect();
        (skills, roots)
    })
}

/// Leaves out circles, and what cannot be had at all.
fn tame(skills: &mut Versions) {
    let all = skills.clone();
    for (at, versions) in skills.iter_mut().enumerate() {
        for needs in versions.values_mut() {
            let is_there =
                |next: usize, range: &str| all[next].keys().any(|each| fits(range, each));
            needs.retain(|next, range| *next > at && is_there(*next, range));
        }
    }
}

fn fits(range: &str, version: &Version) -> bool {
    let range = range.trim_start_matches('@');
    range.is_empty() || range.parse::<Requirement>().unwrap().matches(version)
}

fn shelf(skills: &Versions) -> Shelf {
    let mut shelf = Vec::new();
    for (name, versions) in NAMES.iter().zip(skills) {
        for (version, needs) in versions {
            let needs = needs
                .iter()
                .map(|(at, range)| format!("{}{range}", NAMES[*at]));
            let needs: Vec<String> = needs.collect();
            shelf.push((format!("{name}@{version}"), needs.join(" ")));
        }
    }
    Shelf(shelf)
}

/// Everything that is requested of a skill in a set.
fn requested<'a>(set: &'a Set<'a>, roots: &'a [(usize, &str)], at: usize) -> Vec<&'a str> {
    let needs = set
        .values()
        .filter_map(|(_, needs)| needs.get(&at).copied());
    let asked = roots.iter().filter(|(root, _)| *root == at);
    needs.chain(asked.map(|(_, range)| *range)).collect()
}

/// Whether all in a set is needed, goes together, and nothing needs itself.
fn is_sound(set: &Set<'_>, roots: &[(usize, &str)]) -> bool {
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    let mut queue: Vec<usize> = roots.iter().map(|(at, _)| *at).collect();
    while let Some(at) = queue.pop() {
        let Some((_, needs)) = set.get(&at) else {
            return false;
        };
        if reached.insert(at) {
            queue.extend(needs.keys());
        }
    }
    let fit = |(at, (version, _)): (&usize, &(&Version, &Needs))| {
        let requested = requested(set, roots, *at);
        requested.iter().all(|range| fits(range, version))
    };
    reached.len() == set.len() && set.iter().all(fit) && !has_circle(set)
}

fn has_circle(set: &Set<'_>) -> bool {
    let mut left: BTreeSet<usize> = set.keys().copied().collect();
    loop {
        let is_free = |at: &usize| set[at].1.keys().all(|next| !left.contains(next));
        let Some(free) = left.iter().copied().find(is_free) else {
            return !left.is_empty();
        };
        left.remove(&free);
    }
}

/// The newest version of a skill that all in a set would take, and how many are newer than it is.
fn behind<'a>(
    skills: &'a Versions,
    set: &Set<'_>,
    roots: &[(usize, &str)],
    at: usize,
) -> (Option<&'a Version>, usize) {
    let requested = requested(set, roots, at);
    let newer = skills[at]
        .keys()
        .filter(|each| *each > set[&at].0 && requested.iter().all(|range| fits(range, each)));
    (newer.clone().max(), newer.count())
}

/// All sets of versions that could be taken.
fn sound<'a>(skills: &'a Versions, roots: &[(usize, &str)]) -> Vec<Set<'a>> {
    let mut sets: Vec<Set<'_>> = vec![Set::new()];
    for (at, versions) in skills.iter().enumerate() {
        let more = sets.iter().flat_map(|set| {
            versions.iter().map(move |(version, needs)| {
                let mut set = set.clone();
                set.insert(at, (version, needs));
                set
            })
        });
        let more: Vec<Set<'_>> = more.collect();
        sets.extend(more);
    }
    sets.retain(|set| is_sound(set, roots));
    sets
}

/// Whether nothing in a set is older than in another one.
fn is_as_new(set: &Set<'_>, other: &Set<'_>) -> bool {
    let mut versions = set.iter().map(|(at, (version, _))| (at, version));
    versions.all(|(at, version)| other.get(at).is_none_or(|(other, _)| version >= other))
}

/// How many steps back a set is, and how many of them are of those that are asked for.
fn steps(skills: &Versions, set: &Set<'_>, roots: &[(usize, &str)]) -> (usize, usize) {
    let behind = |at: &usize| behind(skills, set, roots, *at).1;
    let asked = roots.iter().map(|(at, _)| at);
    (set.keys().map(behind).sum(), asked.map(behind).sum())
}

/// What was taken, as a set.
fn taken<'a>(skills: &'a Versions, needed: &[Needed]) -> Set<'a> {
    let version = |each: &Needed| {
        let at = NAMES
            .iter()
            .position(|name| *name == each.candidate.name)
            .unwrap();
        let version = each.candidate.origin.version.as_deref().unwrap();
        let found = skills[at].get_key_value(&Version::parse(version).unwrap());
        (at, found.unwrap())
    };
    needed.iter().map(version).collect()
}

fn asked(shelf: &Shelf, roots: &[(usize, &str)]) -> Vec<RequestedSkill> {
    let roots = roots.iter();
    roots
        .map(|(at, range)| shelf.root(&format!("{}{range}", NAMES[*at])))
        .collect()
}

/// Whether what is installed goes together, as far as it is wanted.
fn goes_together(lock: &Lockfile) -> bool {
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    let roots = lock.skills().iter().filter(|entry| !entry.dependency);
    let mut queue: Vec<&str> = roots.map(|entry| &entry.name[..]).collect();
    while let Some(name) = queue.pop() {
        if wanted.insert(name) {
            let entry = lock.get(name).into_iter();
            queue.extend(entry.flat_map(Locked::needs));
        }
    }
    let gaps = lock.gaps();
    gaps.iter().all(|gap| !wanted.contains(gap.name()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_fewest_steps_back_are_taken((skills, roots) in shelves()) {
        let mut shelf = shelf(&skills);
        let nothing = Lockfile::default();
        let asked = asked(&shelf, &roots);
        let resolved = resolve(&asked, &KnownRequests::new(&nothing), &mut shelf);
        let sound = sound(&skills, &roots);
        let needed = match resolved {
            Ok(needed) => needed,
            Err(error) => {
                let text = error.to_string();
                // Circles, and what nobody has, are explained.
                let is_explained = text.contains("in a circle") || text.contains("which cannot be had");
                prop_assert!(sound.is_empty() || is_explained, "{} with {:?}", text, sound);
                return Ok(());
            }
        };
        let set = taken(&skills, &needed);
        prop_assert!(is_sound(&set, &roots), "{:?}", told(&needed));
        let taken = steps(&skills, &set, &roots);
        let better = sound.iter().find(|other| {
            steps(&skills, other, &roots) < taken && is_as_new(other, &set)
        });
        prop_assert!(better.is_none(), "{:?} in place of {:?}", better, told(&needed));
        for (at, each) in set.keys().zip(&needed) {
            let newest = behind(&skills, &set, &roots, *at).0.map(ToString::to_string);
            let held_back = each.held_back.as_ref().map(|it| it.newest.clone());
            prop_assert_eq!(held_back, newest, "{}", each.candidate.name);
        }
        // Once it is installed, nothing is better.
        let before = told(&needed);
        let mut lock = Lockfile::default();
        put(&mut lock, needed);
        let again = resolve(&asked, &KnownRequests::new(&lock), &mut shelf).unwrap();
        prop_assert_eq!(told(&again), before.clone());
        let again = resolve_each(asked, &KnownRequests::new(&lock), &mut shelf).unwrap();
        prop_assert!(again.failed.is_empty());
        prop_assert_eq!(told(&again.needed), before);
    }

    #[test]
    fn what_comes_later_goes_together_with_the_rest((skills, roots) in shelves()) {
        let mut shelf = shelf(&skills);
        let mut lock = Lockfile::default();
        for root in asked(&shelf, &roots) {
            let before = lock.clone();
            let mut known = KnownRequests::new(&before);
            for entry in before.skills().iter().filter(|entry| !entry.dependency) {
                let requested = entry.requested.clone();
                known.wish(&entry.name, entry.source.clone(), requested, Asker::User);
            }
            if let Ok(needed) = resolve(&[root], &known, &mut shelf) {
                put(&mut lock, needed);
            }
            prop_assert!(goes_together(&lock), "{:?}", lock.gaps());
        }
        // What is installed may be updated, and then is as it should be.
        let is_asked = |(at, _): &&(usize, &str)| {
            lock.get(NAMES[*at]).is_some_and(|entry| !entry.dependency)
        };
        let roots: Vec<_> = roots.iter().filter(is_asked).copied().collect();
        let asked = asked(&shelf, &roots);
        let first = resolve_each(asked.clone(), &KnownRequests::new(&lock), &mut shelf).unwrap();
        let before = told(&first.needed);
        put(&mut lock, first.needed);
        prop_assert!(goes_together(&lock), "{:?}", lock.gaps());
        let again = resolve_each(asked, &KnownRequests::new(&lock), &mut shelf).unwrap();
        prop_assert_eq!(told(&again.needed), before);
    }
}
