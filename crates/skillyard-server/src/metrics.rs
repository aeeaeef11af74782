//! Counters, in the text form of Prometheus.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use parking_lot::Mutex;
use skillyard_agent::provider::Usage;
use skillyard_audit::{Event, EventKind, Outcome};

/// The most skills and models that are counted by name.
const MAX_NAMES: usize = 10_000;

/// What was counted since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, &'static str, u16), u64>>,
    skills: Mutex<BTreeMap<String, Skill>>,
    models: Mutex<BTreeMap<String, Usage>>,
    turns: Mutex<BTreeMap<String, (u64, Duration)>>,
}

/// What was counted of a skill.
#[derive(Debug, Clone, Default)]
struct Skill {
    activations: u64,
    reads: u64,
    runs: u64,
    failures: [u64; KINDS.len()],
    denials: [u64; KINDS.len()],
    tokens: u64,
    timed: u64,
    time: Duration,
}

/// What can fail or be denied.
const KINDS: [&str; 4] = ["activation", "read", "script", "other"];

/// What is counted of a skill.
type Count = fn(&Skill) -> u64;
/// Counts of a skill by [`KINDS`].
type CountByKind = fn(&Skill) -> [u64; KINDS.len()];

impl Metrics {
    /// Counts a request by the part of the server it went to.
    pub(crate) fn request(&self, method: &Method, path: &str, status: StatusCode) {
        let part = match path {
            "/mcp" => "mcp",
            _ if path.starts_with("/api/") => "api",
            _ if path.starts_with("/assets/") => "assets",
            _ if path.starts_with("/registry") => "registry",
            "/healthz" | "/metrics" => "machine",
            _ => "web",
        };
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            _ => "other",
        };
        let mut requests = self.requests.lock();
        *requests.entry((part, method, status.as_u16())).or_default() += 1;
    }

    /// Counts what happened to a skill; what was denied did not happen, nor did a load that failed.
    pub(crate) fn event(&self, event: &Event) {
        let Some(name) = &event.skill else {
            return;
        };
        self.skill(name, |skill| {
            let kind = match event.kind {
                EventKind::SkillActivated => 0,
                EventKind::ResourceRead => 1,
                EventKind::ScriptExecuted => 2,
                _ => 3,
            };
            match (event.kind, event.outcome) {
                (EventKind::SkillActivated, Outcome::Ok) => skill.activations += 1,
                (EventKind::ResourceRead, Outcome::Ok) => skill.reads += 1,
                // A script that ended badly was run.
                (EventKind::ScriptExecuted, Outcome::Ok | Outcome::Failed) => skill.runs += 1,
                _ => {}
            }
            match event.outcome {
                Outcome::Ok => {}
                // A call that a skill only allowed is none of its own.
                Outcome::Failed if event.detail.contains_key("pattern") => {}
                Outcome::Failed => skill.failures[kind] += 1,
                Outcome::Denied => skill.denials[kind] += 1,
            }
        });
    }

    /// Counts how long a script of a skill took.
    pub(crate) fn script(&self, name: &str, time: Duration) {
        self.skill(name, |skill| {
            skill.timed += 1;
            skill.time += time;
        });
    }

    /// Counts the tokens that a skill brought into a session.
    pub(crate) fn tokens(&self, name: &str, tokens: usize) {
        self.skill(name, |skill| skill.tokens += tokens as u64);
    }

    fn skill(&self, name: &str, count: impl FnOnce(&mut Skill)) {
        let mut skills = self.skills.lock();
        if skills.len() < MAX_NAMES || skills.contains_key(name) {
            count(skills.entry(name.to_owned()).or_default());
        }
    }

    /// Counts what a request to a model cost.
    pub(crate) fn usage(&self, model: &str, usage: &Usage) {
        let mut models = self.models.lock();
        if models.len() < MAX_NAMES || models.contains_key(model) {
            models.entry(model.to_owned()).or_default().add(*usage);
        }
    }

    /// Counts a turn by how it ended.
    pub(crate) fn turn(&self, end: &str, time: Duration) {
        let mut turns = self.turns.lock();
        let (count, whole) = turns.entry(end.to_owned()).or_default();
        *count += 1;
        *whole += time;
    }

    /// Everything, in the order of its names.
    pub(crate) fn render(&self, gauges: &[(&str, &str, usize)]) -> String {
        let mut page = MetricsText::default();
        page.family("skillyard_requests_total", "counter");
        for ((part, method, status), count) in &*self.requests.lock() {
            let status = status.to_string();
            let labels = [("part", *part), ("method", *method), ("status", &status)];
            page.line("skillyard_requests_total", &labels, count);
        }
        self.render_skills(&mut page);
        page.family("skillyard_model_tokens_total", "counter");
        for (model, usage) in &*self.models.lock() {
            let kinds = [
                ("input", usage.input),
                ("cached", usage.cached),
                ("output", usage.output),
            ];
            for (kind, count) in kinds {
                let labels = [("model", model.as_str()), ("kind", kind)];
                page.line("skillyard_model_tokens_total", &labels, count);
            }
        }
        page.family("skillyard_turn_seconds", "summary");
        for (end, (count, time)) in &*self.turns.lock() {
            let labels = [("end", end.as_str())];
            page.line("skillyard_turn_seconds_sum", &labels, time.as_secs_f64());
            page.line("skillyard_turn_seconds_count", &labels, count);
        }
        page.family("skillyard_skills", "gauge");
        for (name, value, count) in gauges {
            page.line("skillyard_skills", &[(*name, *value)], count);
        }
        page.0
    }

    fn render_skills(&self, page: &mut MetricsText) {
        let skills = self.skills.lock();
        let counters: [(&str, Count); 4] = [
            ("skillyard_skill_activations_total", |it| it.activations),
            ("skillyard_skill_resource_reads_total", |it| it.reads),
            ("skillyard_skill_script_runs_total", |it| it.runs),
            ("skillyard_skill_tokens_total", |it| it.tokens),
        ];
        for (family, count) in counters {
            page.family(family, "counter");
            for (name, skill) in &*skills {
                page.line(family, &[("skill", name)], count(skill));
            }
        }
        let counters: [(&str, CountByKind); 2] = [
            ("skillyard_skill_failures_total", |it| it.failures),
            ("skillyard_skill_denials_total", |it| it.denials),
        ];
        for (family, count) in counters {
            page.family(family, "counter");
            for (name, skill) in &*skills {
                for (kind, count) in KINDS.iter().zip(count(skill)) {
                    page.line(family, &[("skill", name), ("kind", kind)], count);
                }
            }
        }
        page.family("skillyard_skill_script_seconds", "summary");
        for (name, skill) in skills.iter().filter(|(_, skill)| skill.timed > 0) {
            let labels = [("skill", name.as_str())];
            let time = skill.time.as_secs_f64();
            page.line("skillyard_skill_script_seconds_sum", &labels, time);
            page.line("skillyard_skill_script_seconds_count", &labels, skill.timed);
        }
    }
}

/// The text as it grows.
#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    fn family(&mut self, name: &str, kind: &str) {
        let _ = writeln!(self.0, "# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(key, text)| format!("{key}=\"{}\"", escaped(text)))
            .collect();
        let _ = writeln!(self.0, "{name}{{{}}} {value}", labels.join(","));
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_a_line() {
        let metrics = Metrics::default();
        let name = "a\"} 1\nskillyard_up 1\\";
        metrics.event(&Event::new(EventKind::SkillActivated).skill(name));
        let text = metrics.render(&[]);
        let line = r#"skillyard_skill_activations_total{skill="a\"} 1\nskillyard_up 1\\"} 1"#;
        assert!(text.contains(line), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("skillyard_up")));
    }

    #[test]
    fn skills_are_counted_one_by_one() {
        let metrics = Metrics::default();
        let ran = Event::new(EventKind::ScriptExecuted).skill("pdf");
        metrics.event(&ran.clone().ended(Outcome::Failed, "it ended with code 1"));
        metrics.event(&ran);
        metrics.script("pdf", Duration::from_millis(1_500));
        metrics.tokens("pdf", 40);
        let text = metrics.render(&[]);
        for line in [
            "skillyard_skill_script_runs_total{skill=\"pdf\"} 2",
            "skillyard_skill_failures_total{skill=\"pdf\",kind=\"script\"} 1",
            "skillyard_skill_script_seconds_sum{skill=\"pdf\"} 1.5",
            "skillyard_skill_tokens_total{skill=\"pdf\"} 40",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}: {text}");
        }
    }
}
