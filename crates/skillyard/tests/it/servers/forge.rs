//! Servers that speak as GitHub and GitLab do, about one repository.

use std::collections::HashMap;

use serde_json::json;

use super::http::{Asked, Reply, Server};
use super::repository::Repository;

/// What a forge knows: commits by every name they have, and their archives.
#[derive(Clone)]
struct Known {
    commits: HashMap<String, String>,
    tags: Vec<(String, String)>,
    archives: HashMap<String, Vec<u8>>,
    /// Archives of folders, by commit and path.
    parts: HashMap<(String, String), Vec<u8>>,
}

impl Known {
    fn of(repository: &Repository<'_>) -> Self {
        let listing = repository.git(&["for-each-ref", "--format=%(refname)"]);
        let mut known = Self {
            commits: HashMap::new(),
            tags: Vec::new(),
            archives: HashMap::new(),
            parts: HashMap::new(),
        };
        for name in listing.lines() {
            let commit = repository.git(&["rev-parse", &format!("{name}^{{commit}}")]);
            let short = name.splitn(3, '/').nth(2).unwrap_or_default();
            if name.starts_with("refs/tags/") {
                known.tags.push((short.to_owned(), commit.clone()));
            }
            let names = [short, &commit[..7], &commit[..12], &commit];
            for each in names {
                known.commits.insert(each.to_owned(), commit.clone());
            }
            let prefix = format!("acme-skills-{}", &commit[..7]);
            let archive = repository.archive(&prefix, &commit, None);
            known.archives.insert(commit, archive);
        }
        known
    }

    /// With the archives of single folders, which GitLab gives out.
    fn with_parts(mut self, repository: &Repository<'_>) -> Self {
        for commit in self.archives.keys() {
            let folders = repository.git(&["ls-tree", "-r", "-d", "--name-only", commit]);
            for folder in folders.lines() {
                let archive = repository.archive("acme-skills-part", commit, Some(folder));
                let key = (commit.clone(), folder.to_owned());
                self.parts.insert(key, archive);
            }
        }
        self
    }

    fn archive(&self, commit: &str) -> Reply {
        Self::given(self.archives.get(commit))
    }

    fn given(archive: Option<&Vec<u8>>) -> Reply {
        match archive {
            Some(archive) => {
                Reply::ok(archive.clone()).header("Content-Type", "application/x-gzip")
            }
            None => Reply::status(404),
        }
    }
}

/// `acme/skills` as GitHub shows it.
pub(crate) fn github(repository: &Repository<'_>) -> Server {
    let known = Known::of(repository);
    Server::start(move |asked| github_answer(&known, asked))
}

fn github_answer(known: &Known, asked: &Asked) -> Reply {
    let Some(rest) = asked.path().strip_prefix("/repos/acme/skills") else {
        return Reply::status(404);
    };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => Reply::json(&json!({ "default_branch": "main" })),
        ["commits", revision] => match known.commits.get(revision) {
            Some(commit) => Reply::ok(commit.clone()),
            None => Reply::status(422),
        },
        ["tags"] => {
            let tags = known.tags.iter();
            let tags = tags.map(|(name, sha)| json!({ "name": name, "commit": { "sha": sha } }));
            Reply::json(&tags.collect())
        }
        ["tarball", commit] => known.archive(commit),
        _ => Reply::status(404),
    }
}

/// `acme/skills` as GitLab shows it.
pub(crate) fn gitlab(repository: &Repository<'_>) -> Server {
    let known = Known::of(repository).with_parts(repository);
    Server::start(move |asked| gitlab_answer(&known, asked))
}

fn gitlab_answer(known: &Known, asked: &Asked) -> Reply {
    let Some(rest) = asked.path().strip_prefix("/api/v4/projects/acme%2Fskills") else {
        return Reply::status(404);
    };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => Reply::json(&json!({ "default_branch": "main" })),
        ["repository", "commits", revision] => match known.commits.get(revision) {
            Some(commit) => Reply::json(&json!({ "id": commit })),
            None => Reply::status(404),
        },
        ["repository", "tags"] => {
            let tags = known.tags.iter();
            let tags = tags.map(|(name, id)| json!({ "name": name, "commit": { "id": id } }));
            Reply::json(&tags.collect())
        }
        ["repository", "archive.tar.gz"] => {
            let query = asked.target.split_once('?').map_or("", |(_, query)| query);
            let query: HashMap<_, _> = url::form_urlencoded::parse(query.as_bytes()).collect();
            let commit = query["sha"].to_string();
            match query.get("path") {
                None => known.archive(&commit),
                Some(path) => Known::given(known.parts.get(&(commit, path.to_string()))),
            }
        }
        _ => Reply::status(404),
    }
}
