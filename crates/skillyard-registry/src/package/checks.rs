//! What the files of a skill say: who it is, what the scanner finds in it, and who signed it.

use jiff::Timestamp;
use semver::Version;
use skillyard_format::diagnostic::Severity as Weight;
use skillyard_format::package::archive::Shape;
use skillyard_format::script::is_script;
use skillyard_format::text::one_line;
use skillyard_format::yaml::Node;
use skillyard_format::{Document, Profile, Skill, SkillName, Subject, rules};
use skillyard_scan::{File, Finding, Severity, scan};
use skillyard_trust::signature::{Policy, SkillContext, Tree, Verification, verify_skill};

use super::Refusal;
use super::facts::{Facts, FileFact, FindingFact};
use super::files::Unpacked;

/// Findings from here on keep a skill out, as they keep it from being installed.
const REFUSED_FROM: Severity = Severity::High;

/// Most findings that are kept.
const MAX_FINDINGS: usize = 100;

/// Most characters of an author's name that are kept.
const LONGEST_AUTHOR: usize = 100;

/// Most characters of what says when to use a skill that are kept, as many as a description has.
const LONGEST_WHEN: usize = 1024;

/// The name, the version and the facts.
pub(super) fn described(
    files: &[Unpacked],
    shape: &Shape,
) -> Result<(SkillName, Version, Facts), Refusal> {
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
    let name = name.map_err(|problem| Refusal::Name(skill.name.clone(), problem))?;
    let text = skill.version().ok_or(Refusal::NoVersion)?;
    let shown = || text.chars().take(64).collect();
    let version = Version::parse(text).map_err(|_| Refusal::Version(shown()))?;
    if !version.build.is_empty() {
        return Err(Refusal::Build(shown()));
    }
    let mut tags = skill.metadata_words("tags");
    tags.extend(skill.metadata_words("keywords"));
    tags.truncate(20);
    let facts = Facts {
        description: skill.description.clone(),
        when_to_use: skill.when_to_use().and_then(cut),
        author: skill.metadata("author").and_then(stated),
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
                script: is_script(&file.path, file.executable, &file.bytes),
            })
            .collect(),
        findings: Vec::new(),
    };
    Ok((name, version, facts))
}

/// As much of a text as a description may have.
fn cut(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(LONGEST_WHEN).collect();
    (!text.is_empty()).then_some(text)
}

/// A name that somebody wrote, on one line and not without end.
fn stated(node: &Node) -> Option<String> {
    let name = one_line(node.as_str()?.trim()).into_owned();
    let name: String = name.chars().take(LONGEST_AUTHOR).collect();
    (!name.is_empty()).then_some(name)
}

/// The verdict, what was found, and what of it keeps a skill out.
pub(super) fn scanned(files: &[Unpacked]) -> (&'static str, Vec<FindingFact>, Vec<FindingFact>) {
    let files: Vec<File<'_>> = files
        .iter()
        .map(|file| File {
            path: &file.path,
            bytes: &file.bytes,
            executable: file.executable,
        })
        .collect();
    let report = scan(&files);
    let told = |each: &Finding| FindingFact {
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
        .take(MAX_FINDINGS)
        .map(told)
        .collect();
    (verdict, findings, grave)
}

/// Who signed the files. Whether they are believed is for each client to say; a signature that
/// does not fit the files is refused here, because it is worse than none.
pub(super) fn signer(files: &[Unpacked], now: Timestamp) -> Result<Option<String>, Refusal> {
    let mut tree = Tree::default();
    for file in files {
        tree.add(&file.path, file.executable, &file.bytes);
    }
    match verify_skill(&tree, &SkillContext::default(), &Policy::default(), now) {
        Verification::Trusted { signer, facts, .. }
        | Verification::Untrusted {
            signer,
            facts: Some(facts),
            ..
        } if facts.uncovered.is_empty() => Ok(signer.pin()),
        // Without facts it names a key that is not in it: nothing was proven. What it leaves out
        // nobody signed.
        Verification::Unsigned | Verification::Trusted { .. } | Verification::Untrusted { .. } => {
            Ok(None)
        }
        Verification::Invalid(invalid) => Err(Refusal::Signature(invalid)),
    }
}
