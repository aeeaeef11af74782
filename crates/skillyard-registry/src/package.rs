//! What is done with an upload before anything is stored: unpacked, checked, scanned, packed anew.
//!
//! What is served later is our own packing of the files, so that no trick in the uploaded archive
//! reaches anybody, and the same files always have the same digest.

use std::io::{self, Cursor, Read};

use bytes::Bytes;
use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};
use skillyard_format::diagnostic::Severity as Weight;
use skillyard_format::name::NameProblem;
use skillyard_format::package::TreeDigest;
use skillyard_format::package::archive::{
    Archive, ArchiveError, ArchivePath, Limits, Mode, Rules, Shape, Sink,
};
use skillyard_format::package::pack::{PackError, PackFile, PackFormat, pack};
use skillyard_format::{
    Digest, Document, Profile, QualifiedName, Skill, SkillName, Subject, rules,
};
use skillyard_trust::scan::{self, File, Severity};
use skillyard_trust::signature::{Invalid, Place, Policy, Tree, Verification, verify_skill};
use utoipa::ToSchema;

/// Findings from here on keep a skill out, as they keep it from being installed.
const REFUSED_FROM: Severity = Severity::High;

/// Most findings that are kept.
const MOST_FINDINGS: usize = 100;

/// A skill that may be published.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name, in the namespace that it goes to.
    pub name: QualifiedName,
    /// Its version.
    pub version: Version,
    /// The archive that is served.
    pub archive: Bytes,
    /// The digest of that archive.
    pub digest: Digest,
    /// The digest over the files.
    pub tree: Digest,
    /// Who signed it, as a pin keeps them.
    pub signer: Option<String>,
    /// The worst finding: `clean` without one.
    pub verdict: &'static str,
    /// What is told about it.
    pub facts: Facts,
}

/// What is told about a version besides its digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The description.
    pub description: String,
    /// The licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// What it needs around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The commands it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// References to the skills it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The digest of its files as a ZIP, for clients that read no other archives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zip: Option<Digest>,
    /// Its files.
    #[serde(default)]
    pub files: Vec<FileFact>,
    /// What the scanner found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingFact>,
}

impl Facts {
    /// Whether it brings scripts.
    pub fn has_scripts(&self) -> bool {
        let is_script = |file: &FileFact| file.executable || file.path.starts_with("scripts/");
        self.files.iter().any(is_script)
    }
}

/// One file, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileFact {
    /// Where it is.
    pub path: String,
    /// Its length.
    pub size: u64,
    /// Whether it is meant to be run.
    #[serde(default, skip_serializing_if = "is_no")]
    pub executable: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_no(flag: &bool) -> bool {
    !flag
}

/// One finding, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingFact {
    /// The rule.
    pub code: String,
    /// How bad it is.
    pub severity: String,
    /// The file.
    pub path: String,
    /// What was found.
    pub message: String,
}

/// Why an upload is not published.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The archive.
    #[error("the archive is refused: {0}")]
    Archive(#[from] ArchiveError),
    /// The archive could not be packed anew.
    #[error("the files cannot be packed: {0}")]
    Pack(#[from] PackError),
    /// The rules.
    #[error("the skill is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// The name.
    #[error("`{0}` is not a name for a skill: {1}")]
    Name(String, NameProblem),
    /// There is no version.
    #[error("the skill has no version; set `metadata.version`")]
    NoVersion,
    /// The version.
    #[error("`{0}` is not a semantic version such as `1.2.3`")]
    Version(String),
    /// The version has a build part.
    #[error("the version `{0}` has a part after `+`, which cannot be ordered; leave it out")]
    Build(String),
    /// The scanner.
    #[error("the scan found what keeps a skill out: {}", told(.0))]
    Findings(Vec<FindingFact>),
    /// The signature.
    #[error("its signature is not valid: {0}")]
    Signature(Invalid),
}

fn told(findings: &[FindingFact]) -> String {
    let told = |each: &FindingFact| format!("{} ({}, {})", each.message, each.code, each.path);
    findings
        .iter()
        .take(3)
        .map(told)
        .collect::<Vec<_>>()
        .join("; ")
}

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unpacked {
    pub(crate) path: String,
    pub(crate) executable: bool,
    pub(crate) bytes: Vec<u8>,
}

struct Files<'a> {
    shape: &'a Shape,
    files: Vec<Unpacked>,
}

impl Sink for Files<'_> {
    fn file(&mut self, path: &ArchivePath, mode: Mode, content: &mut dyn Read) -> io::Result<()> {
        let Some(path) = self.shape.relative(path) else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        self.files.push(Unpacked {
            path: path.to_string(),
            executable: mode == Mode::Executable,
            bytes,
        });
        Ok(())
    }
}

/// Looks at an upload with all its content.
pub fn examine(upload: &[u8], now: Timestamp) -> Result<Package, Refusal> {
    let mut archive = Archive::open(Cursor::new(upload), Rules::skill())?;
    let shape = archive.listing().skill_shape()?;
    let mut sink = Files {
        shape: &shape,
        files: Vec::new(),
    };
    archive.deliver(&mut |_| true, &mut sink)?;
    let mut files = sink.files;
    files.sort_unstable_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));

    let (name, version, mut facts) = described(&files, &shape)?;
    let (verdict, findings, grave) = scanned(&files);
    if !grave.is_empty() {
        return Err(Refusal::Findings(grave));
    }
    facts.findings = findings;
    let signer = signer(&files, now)?;

    let archive = packed(&files, PackFormat::TarGz)?;
    facts.zip = Some(Digest::of(&packed(&files, PackFormat::ZipStored)?));
    Ok(Package {
        name: name.into(),
        version,
        digest: Digest::of(&archive),
        archive: archive.into(),
        tree: tree(&files),
        signer,
        verdict,
        facts,
    })
}

/// One file of an archive that we packed.
pub(crate) fn file(archive: &[u8], wanted: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
    let found = unpacked(archive, |path| path == wanted)?;
    Ok(found.into_iter().next().map(|file| file.bytes))
}

/// The digest over the files of an archive that we packed.
pub(crate) fn tree_of(archive: &[u8]) -> Result<Digest, ArchiveError> {
    let mut found = unpacked(archive, |_| true)?;
    found.sort_unstable_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    Ok(tree(&found))
}

/// A version that another registry examined and packed: the same, and refused for nothing but
/// what cannot be read. Whether it is believed follows from that registry's log.
pub(crate) fn inspect(archive: Bytes, now: Timestamp) -> Result<Package, Refusal> {
    let mut files = unpacked(&archive, |_| true)?;
    files.sort_unstable_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    let (name, version, mut facts) = described(&files, &Shape::Flat)?;
    let (verdict, findings, _) = scanned(&files);
    facts.findings = findings;
    facts.zip = Some(Digest::of(&packed(&files, PackFormat::ZipStored)?));
    Ok(Package {
        name: name.into(),
        version,
        digest: Digest::of(&archive),
        archive,
        tree: tree(&files),
        signer: signer(&files, now)?,
        verdict,
        facts,
    })
}

/// The files of an archive that we packed as a ZIP, the same bytes whenever it is asked for.
pub(crate) fn zipped(archive: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(packed(
        &unpacked(archive, |_| true)?,
        PackFormat::ZipStored,
    )?)
}

fn packed(files: &[Unpacked], format: PackFormat) -> Result<Vec<u8>, PackError> {
    let files: Vec<PackFile<'_>> = files
        .iter()
        .map(|file| PackFile {
            path: &file.path,
            mode: if file.executable {
                Mode::Executable
            } else {
                Mode::Plain
            },
            content: &file.bytes,
        })
        .collect();
    pack(&files, format, &Limits::skill())
}

/// Some files of an archive that we packed.
pub(crate) fn unpacked(
    archive: &[u8],
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Unpacked>, ArchiveError> {
    let mut archive = Archive::open(Cursor::new(archive), Rules::skill())?;
    let mut sink = Files {
        shape: &Shape::Flat,
        files: Vec::new(),
    };
    archive.deliver(&mut |path| wanted(path.as_str()), &mut sink)?;
    Ok(sink.files)
}

/// The digest over files in their order.
fn tree(files: &[Unpacked]) -> Digest {
    let mut tree = TreeDigest::default();
    for file in files {
        tree.add(&file.path, file.executable, Digest::of(&file.bytes));
    }
    tree.finish()
}

fn described(files: &[Unpacked], shape: &Shape) -> Result<(SkillName, Version, Facts), Refusal> {
    let is_skill_file = |file: &&Unpacked| file.path.eq_ignore_ascii_case("SKILL.md");
    let bytes = files.iter().find(is_skill_file).map(|file| &*file.bytes);
    let document = Document::parse(bytes.unwrap_or_default());
    let directory = match shape {
        Shape::Folder { name } => Some(name.as_str()),
        _ => None,
    };
    let found = rules::check(&Subject::new(&document, directory), Profile::Spec);
    let errors = found
        .into_iter()
        .filter(|each| each.severity == Weight::Error);
    let mut errors: Vec<String> = errors
        .map(|each| format!("{} ({})", each.message, each.code))
        .collect();
    let skill = Skill::from_document(&document, None);
    let Some(skill) = skill.filter(|_| errors.is_empty()) else {
        if errors.is_empty() {
            errors.push("it has no name or no description".to_owned());
        }
        return Err(Refusal::Invalid(errors));
    };
    let name = SkillName::new(&skill.name);
    let name = name.map_err(|problem| Refusal::Name(skill.name.to_string(), problem))?;
    let text = skill.version().ok_or(Refusal::NoVersion)?;
    let version = Version::parse(text).map_err(|_| Refusal::Version(text.to_owned()))?;
    if !version.build.is_empty() {
        return Err(Refusal::Build(text.to_owned()));
    }
    let mut tags = skill.metadata_words("tags");
    tags.extend(skill.metadata_words("keywords"));
    tags.truncate(20);
    let facts = Facts {
        description: skill.description.to_string(),
        license: skill.license().map(str::to_owned),
        compatibility: skill.compatibility().map(str::to_owned),
        tags,
        requires: skill.requires(),
        skills: skill.requires_skills(),
        zip: None,
        files: files
            .iter()
            .map(|file| FileFact {
                path: file.path.clone(),
                size: file.bytes.len() as u64,
                executable: file.executable,
            })
            .collect(),
        findings: Vec::new(),
    };
    Ok((name, version, facts))
}

/// The verdict, what was found, and what of it keeps a skill out.
fn scanned(files: &[Unpacked]) -> (&'static str, Vec<FindingFact>, Vec<FindingFact>) {
    let files: Vec<File<'_>> = files
        .iter()
        .map(|file| File {
            path: &file.path,
            bytes: &file.bytes,
            executable: file.executable,
        })
        .collect();
    let report = scan::scan(&files);
    let told = |each: &scan::Finding| FindingFact {
        code: each.code.to_owned(),
        severity: each.severity.to_string(),
        path: each.path.clone(),
        message: each.message.clone(),
    };
    let grave = report
        .findings
        .iter()
        .filter(|each| each.severity >= REFUSED_FROM);
    let grave: Vec<FindingFact> = grave.map(told).collect();
    let verdict = report.summary().worst.map_or("clean", Severity::name);
    let findings = report
        .findings
        .iter()
        .take(MOST_FINDINGS)
        .map(told)
        .collect();
    (verdict, findings, grave)
}

/// Who signed the files. Whether they are believed is for each client to say; a signature that
/// does not fit the files is refused here, because it is worse than none.
fn signer(files: &[Unpacked], now: Timestamp) -> Result<Option<String>, Refusal> {
    let mut tree = Tree::default();
    for file in files {
        tree.add(&file.path, file.executable, &file.bytes);
    }
    match verify_skill(&tree, &Place::default(), &Policy::default(), now) {
        // Without facts it names a key that is not in it: nothing was proven.
        Verification::Unsigned | Verification::Untrusted { facts: None, .. } => Ok(None),
        Verification::Trusted { signer, .. }
        | Verification::Untrusted {
            signer,
            facts: Some(_),
            ..
        } => Ok(signer.pin()),
        Verification::Invalid(invalid) => Err(Refusal::Signature(invalid)),
    }
}
