//! Continuous integration that runs untrusted input.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::file::Language;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A workflow runs with the project's secrets on untrusted input.
    ///
    /// `pull_request_target` with a checkout of the pull request's head, actions that follow
    /// a branch beside secrets, and titles or branch names put into a script give anyone who
    /// opens a pull request the project's tokens.
    ///
    /// **Fix:** use `pull_request`, pin actions to a commit, pass texts as variables.
    "scan-workflow", High,
    "use `pull_request`, pin actions to a commit, and pass texts as variables",
    skill: check
}

static TARGET: Pattern = Pattern::new(r"\bpull_request_target\b|\bworkflow_run\s*:");
static HEAD: Pattern = Pattern::new(r"github\.event\.pull_request\.head|github\.head_ref");
static LOOSE: Pattern = Pattern::new(r"\buses\s*:\s*[\w./-]+@(?:main|master|latest|dev|head)\b");
static EVERYTHING: Pattern = Pattern::new(
    r"tojson\s*\(\s*secrets\s*\)|\bpermissions\s*:\s*write-all|\bsecrets\s*:\s*inherit\b.*@(?:main|master)",
);
static COMMENT: Pattern = Pattern::new(r"\bissue_comment\b");
static CHECKOUT: Pattern =
    Pattern::new(r"refs/pull/|gh\s+pr\s+checkout|pull_request\.head|issue\.number");
static ARTIFACT: Pattern = Pattern::new(r"download-artifact|artifacts/");
static SECRETS: Pattern = Pattern::new(r"\$\{\{\s*(?:secrets\.|github\.token)");
static RUN: Pattern = Pattern::new(r"\brun\s*:");
static TEXT: Pattern = Pattern::new(
    r"\$\{\{\s*(?:github\.(?:event\.(?:issue|pull_request|comment|review|discussion|head_commit|commits|pages)[\w.\[\]*]*\.(?:title|body|message|ref|label|name|email|default_branch)|head_ref)|steps\.[\w-]+\.outputs\.\w*(?:head_ref|branch|title|body|comment)\w*|inputs\.\w*(?:title|body|command|cmd|script)\w*)\s*\}\}",
);

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let is_workflow = file.path.contains(".github/workflows/");
        if !file.folded.text.contains("uses:") && !file.folded.text.contains("run:") {
            continue;
        }
        let is_whole = file.folded.text.contains("runs-on:");
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for (at, unit) in file.units.iter().enumerate() {
            // A workflow that was pasted without a fence comes out as prose.
            let is_pasted = matches!(unit.kind, UnitKind::Prose | UnitKind::Heading) && is_whole;
            let is_value = matches!(unit.kind, UnitKind::Code | UnitKind::Data);
            let is_value = is_value && unit.language == Language::Data;
            if !is_pasted && !is_value {
                continue;
            }
            let same = |last: &Vec<usize>| {
                let before = last.last().and_then(|before| file.units.get(*before));
                before.is_some_and(|before| {
                    before.block == unit.block || (is_pasted && before.kind != UnitKind::Code)
                })
            };
            match blocks.last_mut().filter(|last| same(last)) {
                Some(last) => last.push(at),
                None => blocks.push(vec![at]),
            }
        }
        for block in blocks {
            let find = |pattern: &Pattern| {
                block.iter().find_map(|at| {
                    let ctx = UnitContext::new(skill, index, *at);
                    pattern.find(ctx.text).map(|range| (ctx, range))
                })
            };
            let found = match (find(&TARGET), find(&HEAD), find(&LOOSE), find(&SECRETS)) {
                (Some(_), Some(head), ..) => Some((
                    head,
                    Severity::High,
                    "a stranger's branch runs with the project's secrets",
                )),
                (Some(_), _, Some(loose), Some(_)) => Some((
                    loose,
                    Severity::High,
                    "an action that can change any day gets the project's secrets",
                )),
                _ if find(&EVERYTHING).is_some() => find(&EVERYTHING).map(|all| {
                    (
                        all,
                        Severity::High,
                        "a workflow gets all secrets or all rights",
                    )
                }),
                _ if find(&COMMENT).is_some() && find(&CHECKOUT).is_some() => {
                    find(&CHECKOUT).map(|head| {
                        (
                            head,
                            Severity::High,
                            "a comment starts a stranger's branch with the project's secrets",
                        )
                    })
                }
                (Some(_), ..) if find(&ARTIFACT).is_some() => find(&ARTIFACT).map(|file| {
                    (
                        file,
                        Severity::Medium,
                        "what a stranger's run made is used with the project's secrets",
                    )
                }),
                _ => find(&TEXT).filter(|_| find(&RUN).is_some()).map(|text| {
                    (
                        text,
                        Severity::High,
                        "a stranger's text is put into a script",
                    )
                }),
            };
            if let Some(((ctx, range), severity, message)) = found {
                // In a document it is an example that will be copied.
                let severity = if is_workflow || !skill.about_security {
                    severity
                } else {
                    Severity::Low
                };
                findings.add(&RULE, &ctx, range, severity.in_any_context(), message);
            }
        }
    }
}
