//! Scripts that the skill does not speak of.

use skillyard_format::script::is_script;

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::facts::Fact;

rule! {
    /// A script that reaches the network or secrets is named nowhere in the skill.
    ///
    /// A review of the instructions does not find it, and an injected line elsewhere may
    /// start it.
    ///
    /// **Fix:** say in `SKILL.md` what the script does, or remove it.
    "scan-unmentioned-script", Low,
    "say in `SKILL.md` what the script does, or remove it",
    skill: check
}

/// Most scripts that are looked for in the other files.
const MAX_SCRIPTS: usize = 20;

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    let mut last = None;
    let mut asked = 0;
    for seen in skill
        .executed(Fact::Sends)
        .chain(skill.executed(Fact::SecretFile))
    {
        let file = &skill.files[seen.file];
        if file.is_document
            || last == Some(seen.file)
            || !(is_script(file.path, file.executable, file.bytes)
                || file.path.contains("/scripts/"))
        {
            continue;
        }
        last = Some(seen.file);
        asked += 1;
        if asked > MAX_SCRIPTS {
            return;
        }
        let name = file.name().to_ascii_lowercase();
        let stem = name
            .rsplit_once('.')
            .map_or(name.as_str(), |(stem, _)| stem);
        let others = skill
            .files
            .iter()
            .filter(|other| other.path != file.path && other.is_text);
        if others
            .take(200)
            .any(|other| other.folded.text.contains(stem))
        {
            continue;
        }
        findings.add_span(
            &RULE,
            seen.file,
            None,
            Severity::Low,
            "nothing in the skill names this script, which reaches out",
        );
    }
}
