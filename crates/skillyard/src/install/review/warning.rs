//! The warning that is shown before a stranger's skill is installed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;

use skillyard_install::origin::OriginKind;
use skillyard_install::reference::Reference;
use skillyard_scan::Finding;
use skillyard_trust::tier::Scripts;

use super::{MAX_SHOWN_SKILLS, compatibility, pointers, prompt_tokens, scripts_of};
use crate::install::changes::short;
use crate::install::check::{Checked, described};
use crate::install::{findings, nested_skills, validation};
use crate::text::sanitize::visible;

/// Up to so many skills are shown one by one.
const MAX_SHOWN_FINDINGS: usize = 3;

/// What is said about skills of strangers.
pub(super) fn warning(checked: &[&Checked<'_>]) -> String {
    let mut text = String::from("⚠️  Security Warning\n────────────────────\n");
    for group in groups(checked) {
        about(&group, &mut text);
    }
    let is_signed = checked.iter().all(|each| each.signer().is_some());
    text.push_str(match checked {
        // A signature says who made it, and not that it is harmless.
        [_] if is_signed => "Somebody you trust signed this skill. It may still contain:\n",
        _ if is_signed => "Somebody you trust signed these skills. They may still contain:\n",
        [_] => "This skill is from an unverified source. It may contain:\n",
        _ => "These skills are from an unverified source. They may contain:\n",
    });
    text.push_str(
        "- Malicious scripts that execute on your system\n\
         - Code that accesses sensitive files or credentials\n\
         - Network calls to external services\n",
    );
    let stated = compatibility(checked);
    if !stated.is_empty() {
        let heading = "Compatibility, which nobody has checked:";
        listed(&mut text, heading, "", &stated);
    }
    let scripts: Vec<String> = checked
        .iter()
        .flat_map(|each| scripts(each, checked.len()))
        .collect();
    listed(
        &mut text,
        "The following scripts will be installed:",
        "No scripts will be installed.",
        &scripts,
    );
    let inner = nested_skills::lines(checked);
    if !inner.is_empty() {
        listed(&mut text, &nested_skills::heading(), "", &inner);
    }
    let pointers = pointers(checked);
    if !pointers.is_empty() {
        let heading = "Kept in git LFS, so that only pointers come in the place of:";
        listed(&mut text, heading, "", &pointers);
    }
    listed(
        &mut text,
        "The scanner found:",
        "The scanner found nothing.",
        &found(checked),
    );
    if let Some((heading, problems)) = validation::listed(checked) {
        listed(&mut text, &heading, "", &problems);
    }
    text.push_str(allowed(checked));
    text
}

/// One skill each, or those together that the same is to be said about where they are many.
fn groups<'c, 'a>(checked: &[&'c Checked<'a>]) -> Vec<Vec<&'c Checked<'a>>> {
    let mut groups: Vec<Vec<&Checked<'_>>> = Vec::new();
    let mut known: HashMap<[String; 3], usize> = HashMap::new();
    for each in checked {
        let at = if checked.len() <= MAX_SHOWN_FINDINGS {
            groups.len()
        } else {
            let tier = each.verdict.tier.as_str().to_owned();
            let key = [place(each, &each.candidate.origin.url), tier, signed(each)];
            *known.entry(key).or_insert(groups.len())
        };
        match groups.get_mut(at) {
            Some(group) => group.push(each),
            None => groups.push(vec![each]),
        }
    }
    groups
}

fn about(group: &[&Checked<'_>], text: &mut String) {
    let Some(first) = group.first() else {
        return;
    };
    let source = if group.len() == 1 {
        let _ = writeln!(text, "Skill: {}", visible(&first.candidate.name));
        place(first, &first.candidate.source)
    } else {
        let names = group
            .iter()
            .take(MAX_SHOWN_SKILLS)
            .map(|each| &*each.candidate.name);
        let names: Vec<&str> = names.collect();
        let _ = write!(
            text,
            "{} skills: {}",
            group.len(),
            visible(&names.join(", "))
        );
        if group.len() > MAX_SHOWN_SKILLS {
            let _ = write!(text, " … and {} more", group.len() - MAX_SHOWN_SKILLS);
        }
        text.push('\n');
        place(first, &first.candidate.origin.url)
    };
    let _ = writeln!(text, "Source: {}", visible(&source));
    let tier = first.verdict.tier.as_str().to_uppercase();
    let _ = writeln!(text, "Trust level: {tier}");
    let _ = writeln!(text, "Signed: {}", visible(&signed(first)));
    let tokens: usize = group.iter().map(|each| prompt_tokens(each.candidate)).sum();
    let prompt = match tokens {
        0 => "nothing: models are not told of it".to_owned(),
        tokens => format!("about {tokens} tokens in every prompt"),
    };
    let _ = writeln!(text, "Prompt: {prompt}\n");
}

/// An address, and what was taken from there: the commit, or the version and the registry.
fn place(checked: &Checked<'_>, address: &str) -> String {
    let origin = &checked.candidate.origin;
    // A registry's name may be a folder's, too.
    let is_source = address == checked.candidate.source && Reference::is_local(address);
    match (&origin.commit, &origin.version) {
        // What is taken from where it was installed came from further away.
        _ if is_source && origin.kind.is_remote() => {
            if let Some(from) = checked.candidate.address() {
                format!("{address}, which was installed from {from}")
            } else {
                let kind = origin.kind.describe();
                format!("{address}, which the lock of a project says is from {kind}")
            }
        }
        (Some(commit), _) => format!("{address} ({})", short(commit)),
        (None, Some(version)) if origin.kind == OriginKind::Registry && address != origin.url => {
            format!("{address} {version} of {}", origin.url)
        }
        _ => address.to_owned(),
    }
}

fn signed(checked: &Checked<'_>) -> String {
    match (checked.signer(), checked.verification.reason()) {
        (Some(signer), _) => format!("by {signer}, whom you trust"),
        (None, Some(reason)) => reason,
        (None, None) => "no".to_owned(),
    }
}

/// What Skillyard allows the scripts by the strictest verdict, and what it cannot control.
fn allowed(checked: &[&Checked<'_>]) -> &'static str {
    let has = |scripts: Scripts| checked.iter().any(|each| each.verdict.scripts == scripts);
    if has(Scripts::Blocked) {
        "\nScript execution is BLOCKED by default for untrusted sources.
That holds for Skillyard alone: a coding agent that reads the skill runs its scripts with the agent's own permissions.\n"
    } else if has(Scripts::SandboxedOffline) {
        "\nSkillyard runs these scripts only in the sandbox, without network, and only after you agreed.
A coding agent that reads the skill runs them with the agent's own permissions.\n"
    } else {
        "\nSkillyard runs these scripts only in the sandbox.
A coding agent that reads the skill runs them with the agent's own permissions.\n"
    }
}

fn listed(text: &mut String, heading: &str, none: &str, lines: &[String]) {
    if lines.is_empty() {
        let _ = writeln!(text, "\n{none}");
        return;
    }
    let _ = writeln!(text, "\n{heading}");
    for line in lines.iter().take(MAX_SHOWN_SKILLS) {
        let _ = writeln!(text, "  - {line}");
    }
    if lines.len() > MAX_SHOWN_SKILLS {
        let _ = writeln!(text, "  … and {} more", lines.len() - MAX_SHOWN_SKILLS);
    }
}

/// What the scanner found, and in which skill where there are several. The worst comes first: what
/// is harmless in many skills must not push it out of what is shown.
fn found(checked: &[&Checked<'_>]) -> Vec<String> {
    let each = checked.iter();
    let mut findings: Vec<(&Checked<'_>, &Finding)> = each
        .flat_map(|each| each.findings().iter().map(|finding| (*each, finding)))
        .collect();
    findings.sort_by_key(|(_, finding)| Reverse(finding.severity));
    let line = |(each, finding): (&Checked<'_>, &Finding)| match checked {
        [_] => visible(&described(finding)).into_owned(),
        _ => findings::line(each, finding),
    };
    findings.into_iter().map(line).collect()
}

/// The scripts of a skill with their sizes.
fn scripts(checked: &Checked<'_>, of: usize) -> Vec<String> {
    let candidate = checked.candidate;
    scripts_of(candidate)
        .map(|file| {
            let path = visible(&file.path);
            let size = size(file.bytes.len());
            match of {
                1 => format!("{path} ({size})"),
                _ => format!("{}/{path} ({size})", visible(&candidate.name)),
            }
        })
        .collect()
}

/// A size as people read it: `1.2 KB`.
fn size(bytes: usize) -> String {
    let tenths = (bytes * 10).div_ceil(1024);
    match tenths / 10 {
        0..1024 => format!("{}.{} KB", tenths / 10, tenths % 10),
        kilobytes => format!("{}.{} MB", kilobytes / 1024, kilobytes % 1024 * 10 / 1024),
    }
}
