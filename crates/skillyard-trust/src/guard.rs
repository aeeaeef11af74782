//! The tool guard: may this tool be called with this input while these skills are active?
//!
//! One rule puts the skills together: a call is allowed when at least one active skill that
//! declares `allowed-tools` allows all of it, or when none declares one; `disallowed-tools` of any
//! active skill denies, and nothing widens what a policy denies. In doubt the answer is no. Lists
//! do not hold up what only reads skills, and about a script of a skill its own list decides.

mod command;
mod deferred_exec;
mod deny;
mod lint;
mod opened_files;
mod options;
mod path;
mod pattern;
mod programs;
mod request;
mod rule;
mod search_exclusions;
mod shell;
mod skill;
mod tool;
mod wrapper;

pub use lint::{PatternWarning, lint_pattern};
pub use request::{
    ActiveSkill, DenyLayer, GuardDecision, GuardEnvironment, GuardInput, GuardRequest,
    GuardVerdict, ToolList,
};
pub use search_exclusions::SearchExclusions;

use rule::{Refusal, Rules};

/// How long the name of a tool may be.
const MAX_TOOL_NAME: usize = 256;

/// Decides about one call.
///
/// A search is judged by its folder; the caller must leave out the files of [`SearchExclusions`].
pub fn check(
    request: &GuardRequest,
    skills: &[ActiveSkill],
    policy: &[DenyLayer],
    world: &dyn GuardEnvironment,
) -> GuardDecision {
    let mut decision = decide(request, skills, policy, world);
    let is_allowed = decision.verdict == GuardVerdict::Allowed;
    let searches = tool::searches(tool::usual(&request.tool));
    if is_allowed && searches && !SearchExclusions::of(skills, policy).is_empty() {
        let caution = "files that are denied must be left out of what it finds";
        decision.caution = Some(caution.to_owned());
    }
    decision
}

fn decide(
    request: &GuardRequest,
    skills: &[ActiveSkill],
    policy: &[DenyLayer],
    world: &dyn GuardEnvironment,
) -> GuardDecision {
    if let Some(denied) = denied_by_name(request) {
        return denied;
    }
    let call = deny::DeniedCall::of(request, skills);
    if let Some(denied) =
        denied_by_policy(&call, policy, world).or_else(|| denied_by_skill(&call, skills, world))
    {
        return denied;
    }
    if let Some(decided) = skill::decided(request, skills, world) {
        return decided;
    }
    let declaring: Vec<&ActiveSkill> = skills
        .iter()
        .filter(|skill| !matches!(skill.allowed, ToolList::Absent))
        .collect();
    if declaring.is_empty() {
        return GuardDecision {
            verdict: GuardVerdict::Allowed,
            skill: None,
            pattern: None,
            reason: "no active skill declares `allowed-tools`".into(),
            caution: None,
        };
    }
    let mut refusals = Vec::new();
    for skill in &declaring {
        match Rules::of(skill).allow(request, world) {
            Ok(allowed) => return allowed.decision(&skill.name, request),
            Err(refusal) => refusals.push((skill, refusal)),
        }
    }
    // The skill that knows the tool has more to say than one that does not.
    let at = refusals
        .iter()
        .position(|(_, refusal)| refusal.pattern.is_some())
        .unwrap_or_default();
    let (skill, refusal) = refusals.swap_remove(at);
    denied(Some(skill.name.clone()), refusal)
}

fn denied(skill: Option<String>, refusal: Refusal) -> GuardDecision {
    GuardDecision {
        verdict: GuardVerdict::Denied,
        skill,
        pattern: refusal.pattern,
        reason: refusal.reason,
        caution: None,
    }
}

fn denied_by_name(request: &GuardRequest) -> Option<GuardDecision> {
    let name = &request.tool;
    let is_odd = |c: char| c.is_control() || c.is_whitespace();
    if !name.is_empty() && name.len() <= MAX_TOOL_NAME && !name.contains(is_odd) {
        return None;
    }
    let reason = "the name of the tool is empty, too long or has blanks";
    Some(denied(None, Refusal::new(reason)))
}

fn denied_by_policy(
    call: &deny::DeniedCall<'_>,
    policy: &[DenyLayer],
    world: &dyn GuardEnvironment,
) -> Option<GuardDecision> {
    policy.iter().find_map(|layer| {
        let refusal = deny::denies(&layer.tools, None, call, world)?;
        Some(denied(Some(format!("policy:{}", layer.name)), refusal))
    })
}

fn denied_by_skill(
    call: &deny::DeniedCall<'_>,
    skills: &[ActiveSkill],
    world: &dyn GuardEnvironment,
) -> Option<GuardDecision> {
    skills.iter().find_map(|skill| {
        let refusal = match &skill.disallowed {
            ToolList::Absent => None,
            ToolList::Unreadable => Some(Refusal::new(
                "its `disallowed-tools` cannot be read, so nothing is allowed",
            )),
            ToolList::Declared(tools) => deny::denies(tools, skill.folder.as_deref(), call, world),
        };
        Some(denied(Some(skill.name.clone()), refusal?))
    })
}
