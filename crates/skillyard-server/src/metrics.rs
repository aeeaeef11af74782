//! Counters, in the text form of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use axum::http::{Method, StatusCode};

/// How many skills are counted by name; a catalog has no more worth looking at.
const MOST_NAMES: usize = 10_000;

/// What was counted since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, &'static str, u16), u64>>,
    skills: Mutex<BTreeMap<(&'static str, String), u64>>,
}

impl Metrics {
    /// Counts a request by the part of the server it went to.
    pub(crate) fn request(&self, method: &Method, path: &str, status: StatusCode) {
        let part = match path {
            "/mcp" => "mcp",
            _ if path.starts_with("/api/") => "api",
            _ if path.starts_with("/assets/") => "assets",
            "/healthz" | "/metrics" => "machine",
            _ => "web",
        };
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            _ => "other",
        };
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((part, method, status.as_u16())).or_default() += 1;
    }

    /// Counts what happened to a skill that is in the catalog.
    pub(crate) fn skill(&self, event: &'static str, name: &str) {
        let mut skills = self.skills.lock().unwrap_or_else(PoisonError::into_inner);
        if skills.len() < MOST_NAMES {
            *skills.entry((event, name.to_owned())).or_default() += 1;
        }
    }

    /// Everything, in the order of its names.
    pub(crate) fn render(&self, gauges: &[(&str, &str, usize)]) -> String {
        let mut text = String::from("# TYPE skillyard_requests_total counter\n");
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((part, method, status), count) in &*requests {
            let _ = writeln!(
                text,
                "skillyard_requests_total{{part=\"{part}\",method=\"{method}\",status=\"{status}\"}} {count}"
            );
        }
        text.push_str("# TYPE skillyard_skill_events_total counter\n");
        let skills = self.skills.lock().unwrap_or_else(PoisonError::into_inner);
        for ((event, name), count) in &*skills {
            let name = label(name);
            let _ = writeln!(
                text,
                "skillyard_skill_events_total{{event=\"{event}\",skill=\"{name}\"}} {count}"
            );
        }
        text.push_str("# TYPE skillyard_skills gauge\n");
        for (name, value, count) in gauges {
            let _ = writeln!(text, "skillyard_skills{{{name}=\"{value}\"}} {count}");
        }
        text
    }
}

fn label(text: &str) -> String {
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
        metrics.skill("activated", "a\"} 1\nskillyard_up 1\\");
        let text = metrics.render(&[]);
        assert!(
            text.contains(r#"skill="a\"} 1\nskillyard_up 1\\"} 1"#),
            "{text}"
        );
        assert!(!text.lines().any(|line| line.starts_with("skillyard_up")));
    }
}
