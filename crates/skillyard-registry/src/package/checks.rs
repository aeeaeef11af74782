//! Checks of an upload before it is published, also of the lengths of what a skill says of itself:
//! a version or text that is too long could neither be fetched nor listed.

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

use super::facts::{FileFact, FindingFact};
use super::files::Unpacked;
use super::{Facts, Refusal};

/// Findings from here on keep a skill out, as they keep it from being installed.
const REFUSED_FROM: Severity = Severity::High;

/// Most findings that are kept.
const MAX_FINDINGS: usize = 100;

/// Most characters of an author's name that are kept.
const MAX_AUTHOR_LENGTH: usize = 100;

/// Most characters of what says when to use a skill that are kept, as many as a description has.
const MAX_WHEN_LENGTH: usize = 1024;

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
    let text: String = text.trim().chars().take(MAX_WHEN_LENGTH).collect();
    (!text.is_empty()).then_some(text)
}

/// A name on one line, of limited length.
fn stated(node: &Node) -> Option<String> {
    let name = one_line(node.as_str()?.trim()).into_owned();
    let name: String = name.chars().take(MAX_AUTHOR_LENGTH).collect();
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

/// The most characters of a version.
const MAX_VERSION_LENGTH: usize = 64;
/// The most characters of a tag.
const MAX_TAG_LENGTH: usize = 64;
/// The most characters of a licence, of a command, and of a reference to a skill.
const MAX_TEXT_LENGTH: usize = 500;
/// The most commands, and the most references to skills.
const MAX_REQUIREMENTS: usize = 100;

/// Refuses what is too long.
pub(super) fn check_lengths(version: &str, facts: &Facts) -> Result<(), Refusal> {
    let one = std::slice::from_ref::<String>;
    let license = facts.license.as_ref().map(one).unwrap_or_default();
    bounded("version", &[version], MAX_VERSION_LENGTH)?;
    bounded("licence", license, MAX_TEXT_LENGTH)?;
    bounded("tag", &facts.tags, MAX_TAG_LENGTH)?;
    for (each, what, needs) in [
        ("needed command", "needed commands", &facts.requires),
        ("needed skill", "needed skills", &facts.skills),
    ] {
        bounded(each, needs, MAX_TEXT_LENGTH)?;
        if needs.len() > MAX_REQUIREMENTS {
            let count = needs.len();
            return Err(Refusal::TooMany {
                what,
                count,
                most: MAX_REQUIREMENTS,
            });
        }
    }
    Ok(())
}

fn bounded(what: &'static str, texts: &[impl AsRef<str>], most: usize) -> Result<(), Refusal> {
    for text in texts {
        let length = text.as_ref().chars().count();
        if length > most {
            return Err(Refusal::TooLong { what, length, most });
        }
    }
    Ok(())
}

/// Leaves out what is too long, of a skill that another registry took.
pub(super) fn cut_texts(facts: &mut Facts) {
    let fits = |most: usize| move |text: &String| text.chars().count() <= most;
    facts.license = facts.license.take().filter(fits(MAX_TEXT_LENGTH));
    facts.tags.retain(fits(MAX_TAG_LENGTH));
    for needs in [&mut facts.requires, &mut facts.skills] {
        needs.retain(fits(MAX_TEXT_LENGTH));
        needs.truncate(MAX_REQUIREMENTS);
    }
}
