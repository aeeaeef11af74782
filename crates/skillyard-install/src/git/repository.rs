//! A remote repository of which only what is needed is here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::command::{Git, GitError, run};
use super::listing::{self, Entry, Kind};
use super::quarantine::{self, Contents};
use super::{objects, resolve, watch};
use crate::fetch::http::Header;
use crate::material::{Material, MaterialError, Offer, Offers, is_below, last_part};
use crate::origin::{Origin, OriginKind};
use crate::reference::{Remote, Revision};
use crate::tree::{Tree, TreeError, TreeFile, TreeLimits};

/// Where the fetched commit is kept.
const FETCHED: &str = "refs/skillyard/fetched";

/// What is asked of a repository.
#[derive(Debug, Clone)]
pub struct RepositoryRequest<'a> {
    /// Where it is.
    pub remote: &'a Remote,
    /// What proves who we are, to its host only.
    pub headers: &'a [Header],
    /// Which commit; without one, the newest of the default branch.
    pub revision: Option<&'a Revision>,
    /// The name that tags of the wanted skill may start with.
    pub tag_name: &'a str,
    /// How large a skill may be.
    pub limits: TreeLimits,
}

/// A commit of a repository, in a quarantine folder.
#[derive(Debug)]
pub struct Repository {
    git: Git,
    folder: PathBuf,
    limits: TreeLimits,
    origin: Origin,
    entries: Vec<Entry>,
    contents: HashMap<String, Vec<u8>>,
}

impl Repository {
    /// Fetches the commit that is wanted into `quarantine`, an empty folder.
    pub fn fetch(
        git: &Git,
        request: &RepositoryRequest<'_>,
        quarantine: &Path,
    ) -> Result<Self, GitError> {
        let folder = quarantine.join("git");
        let contents = quarantine::prepare(&folder, request).map_err(GitError::Run)?;
        let (revision, version) = revision(git, &folder, request)?;
        fetch_commit(git, &folder, request, contents, &revision)?;
        let commit = commit_of(git, &folder)?;
        let mut command = git.command(&folder);
        command.args(["ls-tree", "-r", "-z", "--full-tree", &commit]);
        let entries = listing::parse(&run(&mut command, "list the files")?)?;
        Ok(Self {
            git: git.clone(),
            folder,
            limits: request.limits,
            origin: Origin {
                kind: OriginKind::Git,
                url: request.remote.to_git(),
                commit: Some(commit),
                version,
            },
            entries,
            contents: HashMap::new(),
        })
    }

    /// Makes the contents of these objects available, with at most one more fetch.
    fn require(&mut self, objects: &[String]) -> Result<(), GitError> {
        for attempt in 0..2 {
            let missing: Vec<&str> = objects
                .iter()
                .map(String::as_str)
                .filter(|object| !self.contents.contains_key(*object))
                .collect();
            if missing.is_empty() {
                return Ok(());
            }
            if attempt == 1 {
                self.fetch_objects(&missing)?;
            }
            let found = objects::read(&self.git, &self.folder, &missing, self.limits.bytes)?;
            self.contents.extend(found);
        }
        if objects
            .iter()
            .all(|object| self.contents.contains_key(object))
        {
            return Ok(());
        }
        Err(GitError::Answer("objects that it had promised"))
    }

    fn fetch_objects(&self, objects: &[&str]) -> Result<(), GitError> {
        let mut command = self.git.command(&self.folder);
        Git::allow_files(&mut command);
        command.args([
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--filter=blob:none",
            "--stdin",
            "origin",
        ]);
        let mut input = objects.join("\n").into_bytes();
        input.push(b'\n');
        let what = "fetch the files";
        watch::fetch(&mut command, input, what, &self.folder, watch::DOWNLOAD)
    }

    fn skill(&self, path: &str) -> Result<Vec<&Entry>, GitError> {
        let entries: Vec<&Entry> = self
            .entries
            .iter()
            .filter(|each| is_below(&each.path, path))
            .collect();
        if entries.len() > self.limits.files {
            return Err(TreeError::Files(self.limits.files).into());
        }
        for entry in &entries {
            let kind = match entry.kind {
                Kind::Link => "a symbolic link",
                Kind::Submodule => "a submodule",
                Kind::Unreadable => return Err(TreeError::Name(entry.path.clone()).into()),
                Kind::File | Kind::Executable => continue,
            };
            return Err(GitError::NotAFile {
                path: entry.path.clone(),
                kind,
            });
        }
        Ok(entries)
    }

    fn tree(&self, path: &str) -> Result<Tree, GitError> {
        let mut files = Vec::new();
        let mut bytes = 0;
        for entry in self.skill(path)? {
            let content = self.contents.get(&entry.object);
            let content = content.ok_or(GitError::Answer("the content of a file"))?;
            bytes += content.len() as u64;
            if bytes > self.limits.bytes {
                return Err(TreeError::Bytes(self.limits.bytes).into());
            }
            let below = entry.path.strip_prefix(path).unwrap_or(&entry.path);
            files.push(TreeFile {
                path: below.trim_start_matches('/').to_owned(),
                executable: entry.kind == Kind::Executable,
                bytes: content.clone(),
            });
        }
        Ok(Tree::new(files)?)
    }

    fn load_all(&mut self, paths: &[String]) -> Result<Vec<Tree>, GitError> {
        let mut objects = Vec::new();
        for path in paths {
            objects.extend(self.skill(path)?.iter().map(|entry| entry.object.clone()));
        }
        self.require(&objects)?;
        paths.iter().map(|path| self.tree(path)).collect()
    }
}

impl Material for Repository {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn offers(&mut self, below: &str) -> Result<Offers, MaterialError> {
        if !self
            .entries
            .iter()
            .any(|entry| is_below(&entry.path, below))
        {
            return Err(MaterialError::new(GitError::NoFolder {
                path: below.to_owned(),
                commit: self.origin.commit.clone().unwrap_or_default(),
            }));
        }
        let folders: Vec<(String, String)> = listing::skill_folders(&self.entries, below)
            .into_iter()
            .map(|(folder, entry)| (folder.to_owned(), entry.object.clone()))
            .collect();
        let objects: Vec<String> = folders.iter().map(|(_, object)| object.clone()).collect();
        self.require(&objects).map_err(MaterialError::new)?;
        let mut offers = Offers::default();
        let own_name = self
            .origin
            .url
            .trim_end_matches('/')
            .trim_end_matches(".git");
        for (folder, object) in &folders {
            let name = last_part(folder).or_else(|| last_part(own_name));
            let bytes = self.contents.get(object).map(Vec::as_slice);
            offers.add(Offer::read(folder, name, bytes.unwrap_or_default()));
        }
        offers.sort();
        Ok(offers)
    }

    fn expect(&mut self, paths: &[String]) {
        let skills = paths.iter().filter_map(|path| self.skill(path).ok());
        let objects = skills.flatten().map(|entry| entry.object.clone());
        let objects: Vec<String> = objects.collect();
        // What cannot be had is said when it is asked for.
        let _ = self.require(&objects);
    }

    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        self.load_all(paths).map_err(MaterialError::new)
    }
}

/// What to fetch, and the version it has.
fn revision(
    git: &Git,
    folder: &Path,
    request: &RepositoryRequest<'_>,
) -> Result<(String, Option<String>), GitError> {
    match request.revision {
        None => Ok(("HEAD".into(), None)),
        Some(Revision::Name(name)) => Ok((name.clone(), None)),
        Some(revision @ Revision::Commit(hash)) if revision.is_full_commit() => {
            Ok((hash.clone(), None))
        }
        Some(Revision::Commit(start)) => {
            // Apart from the rest: git would not fetch again what it has here without its trees.
            let history = folder.with_file_name("history");
            quarantine::prepare(&history, request).map_err(GitError::Run)?;
            let hash = resolve::whole_hash(git, &history, &request.remote.to_git(), start)?;
            let _ = std::fs::remove_dir_all(&history);
            Ok((hash, None))
        }
        Some(Revision::Requirement(requirement)) => {
            let refs = resolve::remote_refs(git, folder)?;
            resolve::tag(&refs, requirement, request.tag_name).ok_or_else(|| GitError::NoVersion {
                url: request.remote.to_git(),
                wanted: requirement.to_string(),
                newest: resolve::newest(&refs, request.tag_name),
            })
        }
    }
}

fn fetch_commit(
    git: &Git,
    folder: &Path,
    request: &RepositoryRequest<'_>,
    contents: Contents,
    revision: &str,
) -> Result<(), GitError> {
    let mut command = git.command(folder);
    Git::allow_files(&mut command);
    command.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"]);
    if contents == Contents::Fetched {
        command.args(["--depth=1", "--filter=blob:none"]);
    }
    command.args(["--", "origin"]);
    command.arg(format!("+{revision}:{FETCHED}"));
    let what = "fetch the repository";
    let fetched = watch::fetch(&mut command, Vec::new(), what, folder, watch::DOWNLOAD);
    let Err(error) = fetched else {
        return Ok(());
    };
    let unknown = matches!(&error, GitError::Failed { message, .. }
        if message.contains("couldn't find remote ref") || message.contains("not our ref"));
    if !unknown {
        return Err(error);
    }
    let refs = resolve::remote_refs(git, folder).unwrap_or_default();
    Err(GitError::NoRevision {
        url: request.remote.to_git(),
        wanted: revision.to_owned(),
        nearest: resolve::nearest(&refs, revision),
    })
}

/// The commit that was fetched, also when it was an annotated tag.
fn commit_of(git: &Git, folder: &Path) -> Result<String, GitError> {
    let mut command = git.command(folder);
    command.args(["rev-parse", "--verify", "--end-of-options"]);
    command.arg(format!("{FETCHED}^{{commit}}"));
    let hash = run(&mut command, "find the commit")?;
    Ok(String::from_utf8_lossy(&hash).trim().to_owned())
}
