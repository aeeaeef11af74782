//! The skills that skills need, found one after the other until nothing is missing.
//!
//! A reference in a skill is a stranger's word. `./x` and `../x` mean a folder of the same
//! source; a path of this machine is believed only from a skill of this machine.

mod circle;
mod error;

use std::collections::{BTreeMap, VecDeque};

use circle::circle;
pub use error::DependencyError;

use crate::candidate::Candidate;
use crate::origin::OriginKind;
use crate::reference::{Context, Reference};

/// Most skills that may be needed by one another.
const MOST: usize = 1_000;

/// A way to the skills that others name.
pub trait Supplier {
    /// Why a skill cannot be had.
    type Error: std::error::Error + Send + Sync + 'static;
    /// The one skill that `reference`, written in `by`, means.
    fn supply(&mut self, reference: &str, by: &Candidate) -> Result<Candidate, Self::Error>;
    /// Whether `candidate` is a version that `reference` allows.
    fn fits(&self, reference: &str, candidate: &Candidate) -> bool;
}

/// A skill among all that are needed.
#[derive(Debug, Clone)]
pub struct Needed {
    /// The skill.
    pub candidate: Candidate,
    /// The names of the skills it needs.
    pub requires: Vec<String>,
    /// Whether it is only there for others.
    pub dependency: bool,
}

/// All skills that `roots` need, and they themselves, sorted by name.
pub fn resolve<S: Supplier>(
    roots: Vec<Candidate>,
    supplier: &mut S,
) -> Result<Vec<Needed>, DependencyError<S::Error>> {
    let mut found: BTreeMap<String, (Needed, String)> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for candidate in roots {
        let chain = format!("`{}`", candidate.name);
        queue.push_back(candidate.name.clone());
        let needed = Needed {
            candidate,
            requires: Vec::new(),
            dependency: false,
        };
        if let Some((other, _)) = found.get(&needed.candidate.name)
            && other.candidate.tree.digest() != needed.candidate.tree.digest()
        {
            return Err(DependencyError::Conflict {
                name: needed.candidate.name.clone(),
                first: "you ask for it".into(),
                first_source: described(&other.candidate),
                second: "and".into(),
                second_source: described(&needed.candidate),
            });
        }
        found.insert(needed.candidate.name.clone(), (needed, chain));
    }
    while let Some(name) = queue.pop_front() {
        let Some((needed, chain)) = found.get(&name).cloned() else {
            continue;
        };
        for reference in &needed.candidate.requires {
            let next = supplied(reference, &needed.candidate, &chain, supplier)?;
            let next_name = next.name.clone();
            if let Some((own, _)) = found.get_mut(&name)
                && !own.requires.contains(&next_name)
            {
                own.requires.push(next_name.clone());
            }
            match found.get_mut(&next_name) {
                None => {
                    let chain = format!("{chain} → `{next_name}`");
                    let next = Needed {
                        candidate: next,
                        requires: Vec::new(),
                        dependency: true,
                    };
                    found.insert(next_name.clone(), (next, chain));
                    queue.push_back(next_name);
                }
                Some((other, other_chain)) => {
                    if other.candidate.tree.digest() != next.tree.digest()
                        && !supplier.fits(reference, &other.candidate)
                    {
                        let second = format!("{chain} → `{next_name}`");
                        return Err(DependencyError::Conflict {
                            name: next_name,
                            first: other_chain.clone(),
                            first_source: described(&other.candidate),
                            second,
                            second_source: described(&next),
                        });
                    }
                }
            }
            if found.len() > MOST {
                return Err(DependencyError::TooMany(MOST));
            }
        }
    }
    if let Some(circle) = circle(&found) {
        return Err(DependencyError::Circle(circle));
    }
    Ok(found.into_values().map(|(needed, _)| needed).collect())
}

fn supplied<S: Supplier>(
    reference: &str,
    by: &Candidate,
    chain: &str,
    supplier: &mut S,
) -> Result<Candidate, DependencyError<S::Error>> {
    if by.origin.kind != OriginKind::LocalFolder && names_machine(reference) {
        return Err(DependencyError::Local {
            chain: chain.to_owned(),
            reference: reference.to_owned(),
        });
    }
    supplier
        .supply(reference, by)
        .map_err(|source| DependencyError::Fetch {
            chain: chain.to_owned(),
            reference: reference.to_owned(),
            source,
        })
}

/// Whether a reference leads to a path of this machine, and not to a neighbour in its source.
fn names_machine(reference: &str) -> bool {
    let is_neighbour = reference.starts_with("./") || reference.starts_with("../");
    match Reference::parse(reference, &Context::default()) {
        Ok(Reference::Local(_)) => !is_neighbour,
        Ok(Reference::Git(git)) => !is_neighbour && git.remote.is_local(),
        _ => false,
    }
}

fn described(candidate: &Candidate) -> String {
    let revision = candidate
        .origin
        .version
        .as_ref()
        .or(candidate.origin.commit.as_ref());
    match revision {
        Some(revision) => format!("`{}` ({})", candidate.source, short(revision)),
        None => format!("`{}`", candidate.source),
    }
}

/// A commit as people write it.
fn short(revision: &str) -> &str {
    revision
        .get(..12)
        .filter(|_| revision.len() >= 40)
        .unwrap_or(revision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Found;
    use crate::origin::Origin;
    use crate::tree::{Tree, TreeFile};

    /// Skills by name; `needs` is what they require.
    struct Shelf(Vec<(&'static str, &'static str)>);

    fn candidate(name: &str, needs: &str, version: &str) -> Candidate {
        let text = format!(
            "---\nname: {name}\ndescription: d {version}\nmetadata:\n  skillyard.requires-skills: {needs:?}\n---\n"
        );
        let file = TreeFile {
            path: "SKILL.md".into(),
            executable: false,
            bytes: text.into_bytes(),
        };
        let found = Found {
            source: format!("github:a/{name}"),
            requested: None,
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

    impl Supplier for Shelf {
        type Error = std::io::Error;

        fn supply(&mut self, reference: &str, _: &Candidate) -> Result<Candidate, Self::Error> {
            let (name, version) = reference.split_once('@').unwrap_or((reference, "1"));
            let (_, needs) = self
                .0
                .iter()
                .find(|(each, _)| *each == name)
                .ok_or_else(|| std::io::Error::other("not on the shelf"))?;
            Ok(candidate(name, needs, version))
        }

        fn fits(&self, reference: &str, candidate: &Candidate) -> bool {
            let version = reference
                .split_once('@')
                .map_or("1", |(_, version)| version);
            candidate.origin.version.as_deref() == Some(version)
        }
    }

    fn resolved(shelf: &[(&'static str, &'static str)]) -> Result<Vec<String>, String> {
        let mut shelf = Shelf(shelf.to_vec());
        let (name, needs) = shelf.0[0];
        let needed = resolve(vec![candidate(name, needs, "1")], &mut shelf);
        let needed = needed.map_err(|error| error.to_string())?;
        let line = |each: Needed| {
            format!(
                "{} {} {}",
                each.candidate.name,
                each.dependency,
                each.requires.join(",")
            )
        };
        Ok(needed.into_iter().map(line).collect())
    }

    #[test]
    fn needs_of_needs_are_found_once() {
        let shelf = [("a", "b c"), ("b", "d"), ("c", "d"), ("d", "")];
        assert_eq!(
            resolved(&shelf).unwrap(),
            ["a false b,c", "b true d", "c true d", "d true "]
        );
    }

    #[test]
    fn what_does_not_go_together_is_explained() {
        for (shelf, reason) in [
            (vec![("a", "b"), ("b", "a")], "`a` → `b` → `a`"),
            (vec![("a", "a")], "`a` → `a`"),
            (
                vec![("a", "b c@1"), ("b", "c@2"), ("c", "")],
                "`c` is needed from two sources",
            ),
            (vec![("a", "b")], "`a` needs `b`, which cannot be had"),
            (vec![("a", "/etc/x")], "may not name `/etc/x`"),
            (vec![("a", "file:///etc/x")], "may not name"),
        ] {
            let error = resolved(&shelf).unwrap_err();
            assert!(error.contains(reason), "{error} does not say {reason}");
        }
    }
}
