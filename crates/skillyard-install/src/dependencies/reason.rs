//! Why a skill is not taken in its newest version: what would be wrong if it were, and all else were
//! as it was found.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Supplier;
use super::circle::{Needs, circle};
use super::demand::{Demand, Requester};
use super::error::DependencyError;
use super::resolver::{Resolver, version_of};
use super::taking::unfit;
use super::way::{PartialSolution, VersionChoice};
use crate::candidate::Candidate;
use crate::lockfile::reference;

/// The skills that would have to be otherwise.
#[derive(Default)]
struct MovedSkills {
    candidates: BTreeMap<String, Candidate>,
    /// What they would need then.
    needs: BTreeMap<String, Vec<Candidate>>,
    queue: VecDeque<String>,
}

impl MovedSkills {
    fn add(&mut self, candidate: Candidate) {
        let name = candidate.name.clone();
        self.queue.push_back(name.clone());
        self.candidates.insert(name, candidate);
    }

    /// What they would want of a skill.
    fn wants(&self, name: &str) -> impl Iterator<Item = Demand> {
        self.needs.iter().flat_map(move |(by, needs)| {
            let needs = needs.iter().filter(move |next| next.name == name);
            needs.map(|next| Demand::of(Requester::Skill(by.clone()), next))
        })
    }

    /// Whom each skill would need.
    fn needs<'a, E>(&'a self, way: &'a PartialSolution<'_, E>) -> Needs<'a> {
        let mut all = way.needs();
        for (name, needs) in &self.needs {
            let names = needs.iter().map(|next| next.name.as_str());
            all.insert(name, names.collect());
        }
        all
    }

    /// The skills that would still be there.
    fn there<'a, E>(&'a self, way: &'a PartialSolution<'_, E>) -> BTreeSet<&'a str> {
        let needs = self.needs(way);
        let mut there = BTreeSet::new();
        let mut queue: Vec<&str> = way
            .asked
            .iter()
            .map(|root| &root.candidate.name[..])
            .collect();
        while let Some(name) = queue.pop() {
            if there.insert(name) {
                queue.extend(needs.get(name).into_iter().flatten());
            }
        }
        there
    }
}

impl<S: Supplier> Resolver<'_, S> {
    /// What is wrong with the newest version of a skill that all would take who want it.
    pub(super) fn reason(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        choice: &VersionChoice,
        newest: &str,
    ) -> String {
        let demands = self.demands(way, &choice.base);
        let found = if version_of(&choice.base).is_some_and(|each| each.to_string() == newest) {
            Ok(choice.base.clone())
        } else {
            self.highest(&choice.base, &demands.iter().collect::<Vec<_>>())
        };
        let mut in_the_way = None;
        let mut moved = MovedSkills::default();
        if let Ok(found) = found {
            moved.add(found);
        }
        while let Some(name) = moved.queue.pop_front() {
            let Some(by) = moved.candidates.get(&name).cloned() else {
                continue;
            };
            let mut needs = Vec::new();
            for text in &by.requires {
                match self.answers.supplied(text, &by, || format!("`{name}`")) {
                    Ok(next) => needs.push(next),
                    Err(error) => return error.to_string(),
                }
            }
            moved.needs.insert(name.clone(), needs.clone());
            for next in &needs {
                match self.wrong(way, &mut moved, &name, next) {
                    Ok(None) => {}
                    Ok(Some(text)) => in_the_way = in_the_way.or(Some(text)),
                    Err(error) => return error.to_string(),
                }
            }
        }
        if let Some(circle) = circle(&moved.needs(way)) {
            return DependencyError::<S::Error>::Circle(circle).to_string();
        }
        in_the_way.unwrap_or_else(|| "other skills would have to be older for it".to_owned())
    }

    /// What is wrong with it that a skill needs another one. Where that would have to be otherwise,
    /// this is how it is.
    fn wrong(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        moved: &mut MovedSkills,
        name: &str,
        next: &Candidate,
    ) -> Result<Option<String>, DependencyError<S::Error>> {
        let demand = Demand::of(Requester::Skill(name.to_owned()), next);
        if let Some(held) = self.known.held(&next.name) {
            let error = unfit(held, next, &demand, || format!("`{name}`"));
            return error.map_or(Ok(None), Err);
        }
        let there = moved.candidates.get(&next.name);
        let there = there.or_else(|| way.taken.get(&next.name).map(|taken| &taken.candidate));
        let is_there = |there: &Candidate| {
            let is_same = there.tree.digest() == next.tree.digest();
            is_same || there.source == next.source && demand.allows(there)
        };
        if there.is_some_and(is_there) {
            return Ok(None);
        }
        let text = there.map(|there| {
            let wanted = reference(&next.name, next.requested.as_deref());
            let version = version_of(there).map(|each| each.to_string());
            let taken = version.unwrap_or_else(|| there.source.clone());
            format!(
                "`{name}` needs `{wanted}`, and {taken} is taken of `{}`",
                next.name
            )
        });
        let is_new = !moved.candidates.contains_key(&next.name);
        let mut demands = self.demands(way, next);
        // What others want counts as they would be, and as far as they would be there.
        let there = moved.there(way);
        demands.retain(|each| match &each.who {
            Requester::Skill(by) if moved.candidates.contains_key(by) => false,
            Requester::Skill(by) => there.contains(&by[..]) || !way.taken.contains_key(by),
            Requester::Asker(_) => true,
        });
        let wants = moved.wants(&next.name);
        demands.extend(wants.filter(|each| each.source == next.source));
        if demands.iter().all(|each| each.allows(next)) {
            if is_new {
                moved.add(next.clone());
            }
            return Ok(text);
        }
        match self.highest(next, &demands.iter().collect::<Vec<_>>()) {
            Ok(found) if is_new => moved.add(found),
            Ok(_) => {}
            Err(_) => return Err(self.disagreement(next, &demands).0),
        }
        Ok(text)
    }
}
