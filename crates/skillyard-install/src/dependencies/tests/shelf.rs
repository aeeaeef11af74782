//! A shelf of skills in several versions, and what is resolved from it.

use semver::Version;

use crate::candidate::{Candidate, CandidateSource};
use crate::dependencies::{Asker, KnownRequests, Needed, RequestedSkill, Supplier, resolve};
use crate::lockfile::Lockfile;
use crate::origin::{Origin, OriginKind};
use crate::reference::Requirement;
use crate::tree::{Tree, TreeFile};

/// Skills by `name@version`, and a tag behind a space; the second is what they require.
#[derive(Debug, Clone)]
pub(super) struct Shelf(pub(super) Vec<(String, String)>);

fn candidate(name: &str, needs: &str, version: &str, requested: Option<&str>) -> Candidate {
    let text = format!(
        "---\nname: {name}\ndescription: d {version}\nmetadata:\n  skillyard.requires-skills: {needs:?}\n---\n"
    );
    let file = TreeFile {
        path: "SKILL.md".into(),
        executable: false,
        bytes: text.into_bytes(),
    };
    let found = CandidateSource {
        source: format!("github:a/{name}"),
        requested: requested.map(str::to_owned),
        path: String::new(),
        folder: None,
        origin: Origin {
            kind: OriginKind::Git,
            url: "u".into(),
            commit: None,
            version: Some(version.into()),
        },
    };
    Candidate::new(Tree::new(vec![file]).unwrap(), found).unwrap()
}

impl Shelf {
    pub(super) fn new(skills: &[(&str, &str)]) -> Self {
        let owned = |(id, needs): &(&str, &str)| ((*id).to_owned(), (*needs).to_owned());
        Self(skills.iter().map(owned).collect())
    }

    fn newest(&self, name: &str, requested: Option<&str>) -> Result<Candidate, std::io::Error> {
        let mut of_name = self.0.iter().filter_map(|(each, needs)| {
            let (own, version) = each.split_once('@').unwrap_or((each, "1.0.0"));
            let (version, tag) = version.split_once(' ').unwrap_or((version, ""));
            (own == name).then(|| (Version::parse(version).unwrap(), (tag, needs)))
        });
        let text = requested.unwrap_or("latest");
        let found = match text.parse::<Requirement>() {
            Ok(requirement) => requirement.select(of_name),
            Err(_) => of_name.find(|(_, (tag, _))| *tag == text),
        };
        let found = found.ok_or_else(|| std::io::Error::other("not on the shelf"))?;
        let (version, (_, needs)) = found;
        Ok(candidate(name, needs, &version.to_string(), requested))
    }

    pub(super) fn root(&self, reference: &str) -> RequestedSkill {
        let (name, requested) = split(reference);
        RequestedSkill {
            candidate: self.newest(name, requested).unwrap(),
            asker: Some(Asker::User),
        }
    }
}

fn split(reference: &str) -> (&str, Option<&str>) {
    let parts = reference.split_once('@');
    parts.map_or((reference, None), |(name, requested)| {
        (name, Some(requested))
    })
}

impl Supplier for Shelf {
    type Error = std::io::Error;

    fn supply(&mut self, reference: &str, _: &Candidate) -> Result<Candidate, Self::Error> {
        let (name, requested) = split(reference);
        self.newest(name, requested)
    }

    fn at(&mut self, candidate: &Candidate, requested: &str) -> Result<Candidate, Self::Error> {
        self.newest(&candidate.name, Some(requested))
    }
}

pub(super) fn told(needed: &[Needed]) -> Vec<String> {
    let line = |each: &Needed| {
        let requires: Vec<String> = each.requires.iter().map(ToString::to_string).collect();
        let version = each.candidate.origin.version.as_deref().unwrap_or_default();
        let kind = if each.dependency { " for others" } else { "" };
        let line = format!(
            "{} {version}{kind} {}",
            each.candidate.name,
            requires.join(" ")
        );
        line.trim_end().to_owned()
    };
    needed.iter().map(line).collect()
}

/// What the first skill of a shelf needs.
pub(super) fn resolved(shelf: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let (first, _) = shelf[0];
    beside(&Lockfile::default(), shelf, &[first])
}

/// What some skills of a shelf need where others are installed.
pub(super) fn beside(
    lock: &Lockfile,
    shelf: &[(&str, &str)],
    roots: &[&str],
) -> Result<Vec<String>, String> {
    let mut shelf = Shelf::new(shelf);
    let roots: Vec<RequestedSkill> = roots.iter().map(|root| shelf.root(root)).collect();
    let needed = resolve(&roots, &KnownRequests::new(lock), &mut shelf);
    let needed = needed.map_err(|error| error.to_string())?;
    Ok(told(&needed))
}

/// A lock with what some skills of a shelf need.
pub(super) fn locked(shelf: &[(&str, &str)], roots: &[&str]) -> Lockfile {
    let mut shelf = Shelf::new(shelf);
    let roots: Vec<RequestedSkill> = roots.iter().map(|root| shelf.root(root)).collect();
    let empty = Lockfile::default();
    let needed = resolve(&roots, &KnownRequests::new(&empty), &mut shelf).unwrap();
    let mut lock = Lockfile::default();
    put(&mut lock, needed);
    lock
}

/// Puts what was resolved into a lock.
pub(super) fn put(lock: &mut Lockfile, needed: Vec<Needed>) {
    for each in needed {
        let mut entry = each.candidate.locked(vec![".agents/skills".into()]);
        entry.requires = each.requires;
        let before = lock.get(&entry.name);
        entry.dependency = each.dependency && before.is_none_or(|before| before.dependency);
        lock.put(entry);
    }
}
