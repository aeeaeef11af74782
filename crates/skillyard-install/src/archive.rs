//! Skills in an archive: read in two passes, straight into memory, never onto the disk.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use skillyard_format::package::archive::{
    Archive, ArchiveError, ArchivePath, EntryProblem, Junk, Mode, Remark, Rules, Shape, Sink,
};

use crate::fetch;
use crate::material::{Material, MaterialError, SkillOffer, SkillOffers, linked_in, misspelled_in};
use crate::origin::Origin;
use crate::source_path::{around, is_below, is_passed_over, last_part};
use crate::tree::{Tree, TreeError, TreeFile, TreeLimits};

/// What an archive is expected to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// One skill.
    Skill,
    /// A whole repository, as git hosts serve it.
    Repository,
}

impl From<&fetch::ArchiveShape> for Expected {
    fn from(shape: &fetch::ArchiveShape) -> Self {
        match shape {
            fetch::ArchiveShape::Skill | fetch::ArchiveShape::SkillAtRoot => Self::Skill,
            fetch::ArchiveShape::Repository { .. } => Self::Repository,
        }
    }
}

/// An archive that passed the first pass.
#[derive(Debug)]
pub struct ArchiveMaterial {
    archive: Archive<BufReader<File>>,
    rules: Rules,
    shape: Shape,
    origin: Origin,
    limits: TreeLimits,
}

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: String,
        /// Why it failed.
        source: io::Error,
    },
    /// It is damaged, dangerous or not an archive of skills.
    #[error("the archive `{place}` cannot be used")]
    Archive {
        /// Where it is from.
        place: String,
        /// What is wrong with it.
        source: ArchiveError,
    },
    /// The folder in it has another name than the skill.
    #[error("the folder in the archive is `{folder}`, and the skill in it is called `{name}`")]
    FolderName {
        /// The folder.
        folder: String,
        /// The skill.
        name: String,
    },
    /// Its files cannot be taken together.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl ArchiveMaterial {
    /// Judges the archive in `file`.
    pub fn open(
        file: &Path,
        expected: Expected,
        origin: Origin,
        limits: TreeLimits,
    ) -> Result<Self, UnpackError> {
        let reader = File::open(file).map_err(|source| UnpackError::Read {
            path: file.display().to_string(),
            source,
        })?;
        let rules = match expected {
            Expected::Skill => Rules {
                limits: limits.of_archive(),
                ..Rules::skill()
            },
            Expected::Repository => Rules::repository(),
        };
        let archive = Archive::open(BufReader::with_capacity(1 << 16, reader), rules.clone());
        let archive = archive.map_err(unusable(&origin))?;
        let shape = match expected {
            Expected::Skill => archive.listing().skill_shape(),
            Expected::Repository => archive.listing().repository_shape(),
        };
        let shape = shape.map_err(unusable(&origin))?;
        Ok(Self {
            archive,
            rules,
            shape,
            origin,
            limits,
        })
    }

    /// The folders that have a `SKILL.md`; what is nested in a skill belongs to it.
    fn folders(&self, below: &str) -> BTreeSet<String> {
        if !matches!(self.shape, Shape::Repository { .. }) {
            return BTreeSet::from([String::new()]);
        }
        let paths = self.archive.listing().files().map(|(path, ..)| path);
        let inner = paths.filter_map(|path| self.shape.relative(path));
        let all: BTreeSet<String> = inner
            .filter(|path| matches!(path.file_name(), "SKILL.md" | "skill.md"))
            .map(|path| folder_of(path.as_str()).to_owned())
            .filter(|folder| is_below(folder, below) && !is_passed_over(folder))
            .collect();
        // A stranger decides how many there are, so each is compared with those around it only.
        let outermost = |folder: &&String| !around(folder).any(|outer| all.contains(outer));
        all.iter().filter(outermost).cloned().collect()
    }

    /// The files that `wants` names by their path within the skill or repository.
    fn take(&mut self, wants: impl Fn(&str) -> bool) -> Result<Vec<TreeFile>, UnpackError> {
        let shape = self.shape.clone();
        let mut basket = Basket {
            shape: &shape,
            files: Vec::new(),
        };
        let mut wanted = |path: &ArchivePath| {
            shape
                .relative(path)
                .is_some_and(|path| wants(path.as_str()))
        };
        let delivered = self.archive.deliver(&mut wanted, &mut basket);
        delivered.map_err(unusable(&self.origin))?;
        Ok(basket.files)
    }

    fn read_offers(&mut self, below: &str) -> Result<SkillOffers, UnpackError> {
        let folders = self.folders(below);
        let is_skill_file = |path: &str| {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            matches!(file, "SKILL.md" | "skill.md") && folders.contains(folder)
        };
        let mut files = self.take(is_skill_file)?;
        // `SKILL.md` sorts before `skill.md`, and the first of a folder counts.
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut offers = SkillOffers::default();
        if folders.is_empty() {
            let files = self.archive.listing().files();
            let inner = files.filter_map(|(path, ..)| self.shape.relative(path));
            let inner: Vec<ArchivePath> = inner.collect();
            offers.declined = misspelled_in(inner.iter().map(ArchivePath::as_str), below);
        }
        if let Shape::Repository { root } = &self.shape {
            let blemishes = self.archive.listing().blemishes.iter();
            let links = blemishes.filter(|each| each.problem == EntryProblem::Symlink);
            let links = links.filter_map(|each| each.name.strip_prefix(root)?.strip_prefix('/'));
            let skills = folders.iter().map(String::as_str).collect();
            offers.declined.extend(linked_in(links, below, &skills));
        }
        let mut last = None;
        for file in &files {
            let folder = folder_of(&file.path);
            if last.replace(folder) == Some(folder) {
                continue;
            }
            let name = match &self.shape {
                Shape::Folder { name } => Some(name.as_str()),
                _ => last_part(folder),
            };
            offers.add(match &self.shape {
                Shape::Repository { .. } => SkillOffer::read_named(folder, name, &file.bytes),
                _ => SkillOffer::read(folder, name, &file.bytes),
            });
        }
        if let (Shape::Folder { name: folder }, Some(offer)) = (&self.shape, offers.skills.first())
            && *folder != offer.name
        {
            return Err(UnpackError::FolderName {
                folder: folder.clone(),
                name: offer.name.clone(),
            });
        }
        offers.sort();
        Ok(offers)
    }

    fn read_trees(&mut self, paths: &[String]) -> Result<Vec<Tree>, UnpackError> {
        let root = match &self.shape {
            Shape::Repository { root } => root.clone(),
            Shape::Flat | Shape::Folder { .. } => String::new(),
        };
        for path in paths {
            let folder = [root.as_str(), path].join("/");
            let listing = self.archive.listing();
            let checked = listing.check_folder(folder.trim_matches('/'), &self.rules.limits);
            checked.map_err(unusable(&self.origin))?;
            self.check_size(path)?;
        }
        let wanted: HashSet<&str> = paths.iter().map(String::as_str).collect();
        let files = self.take(|path| around(path).any(|folder| wanted.contains(folder)))?;
        let mut own: HashMap<&str, Vec<TreeFile>> = HashMap::new();
        for file in &files {
            for folder in around(&file.path).filter(|folder| wanted.contains(folder)) {
                own.entry(folder).or_default().push(TreeFile {
                    path: file.path[folder.len()..].trim_start_matches('/').to_owned(),
                    ..file.clone()
                });
            }
        }
        let mut left_out = self.left_out(&wanted);
        let tree = |folder: &String| {
            let tree = Tree::new(own.get(folder.as_str()).cloned().unwrap_or_default())?;
            Ok(tree.beside(left_out.remove(folder).unwrap_or_default()))
        };
        paths.iter().map(tree).collect()
    }

    /// What was dropped of these folders. That git's own is not delivered surprises nobody.
    fn left_out(&self, wanted: &HashSet<&str>) -> HashMap<String, Vec<String>> {
        let mut all: HashMap<String, Vec<String>> = HashMap::new();
        for note in &self.archive.listing().notes {
            let (Remark::Dropped(junk), Some(path)) =
                (note.remark, self.shape.relative(&note.path))
            else {
                continue;
            };
            let end = match (junk, path.file_name()) {
                (Junk::Git, _) => continue,
                (_, "__MACOSX" | "__pycache__" | "node_modules") => "/",
                _ => "",
            };
            for folder in around(path.as_str()).filter(|folder| wanted.contains(folder)) {
                let below = path.as_str()[folder.len()..].trim_start_matches('/');
                let own = all.entry(folder.to_owned()).or_default();
                own.push(format!("{below}{end}"));
            }
        }
        all
    }

    /// Whether a skill is small enough, before any of it is read.
    fn check_size(&self, folder: &str) -> Result<(), TreeError> {
        let (mut files, mut bytes) = (0, 0);
        for (path, size, _) in self.archive.listing().files() {
            let inner = self.shape.relative(path);
            if inner.is_some_and(|path| is_below(path.as_str(), folder)) {
                files += 1;
                bytes += size;
            }
        }
        if files > self.limits.files {
            return Err(TreeError::Files(self.limits.files));
        }
        if bytes > self.limits.bytes {
            return Err(TreeError::Bytes(self.limits.bytes));
        }
        Ok(())
    }
}

impl Material for ArchiveMaterial {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn offers(&mut self, below: &str) -> Result<SkillOffers, MaterialError> {
        self.read_offers(below).map_err(MaterialError::new)
    }

    fn is_packed_in_part(&mut self) -> bool {
        let attributes = self.take(|path| last_part(path) == Some(".gitattributes"));
        let leaves_out = |file: &TreeFile| {
            let mut lines = file.bytes.split(|byte| *byte == b'\n');
            lines.any(|line| {
                let line = String::from_utf8_lossy(line);
                line.split_whitespace()
                    .skip(1)
                    .any(|word| word == "export-ignore")
            })
        };
        attributes.is_ok_and(|files| files.iter().any(leaves_out))
    }

    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        self.read_trees(paths).map_err(MaterialError::new)
    }
}

/// The folder that a file lies in.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Names the archive that something is wrong with.
fn unusable(origin: &Origin) -> impl FnOnce(ArchiveError) -> UnpackError {
    let place = origin.url.clone();
    |source| UnpackError::Archive { place, source }
}

/// Keeps what an archive delivers.
struct Basket<'a> {
    shape: &'a Shape,
    files: Vec<TreeFile>,
}

impl Sink for Basket<'_> {
    fn file(&mut self, path: &ArchivePath, mode: Mode, content: &mut dyn Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        if let Some(path) = self.shape.relative(path) {
            self.files.push(TreeFile {
                path: path.as_str().to_owned(),
                executable: mode == Mode::Executable,
                bytes,
            });
        }
        Ok(())
    }
}
