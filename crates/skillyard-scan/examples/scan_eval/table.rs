//! The table: one line a set and part, with the peer's numbers where they were measured.

use std::collections::BTreeMap;
use std::time::Duration;

use skillyard_scan::Severity;

use super::Row;

/// What cisco-ai-skill-scanner 2.3.2 (balanced, behavioral, no model) flags at each level
/// in percent of the whole public sets, of which the rows here are a part.
const PEER: &[(&str, bool, [f64; 3])] = &[
    ("cisco-evals", true, [64.7, 82.4, 82.4]),
    ("cisco-evals", false, [0.0, 0.0, 0.0]),
    ("malskills-final", true, [5.0, 63.0, 66.0]),
    ("malskills-final", false, [8.0, 14.0, 29.0]),
    ("malskills-all", true, [8.9, 47.2, 47.7]),
    ("skill-inject", true, [7.1, 13.1, 33.3]),
    ("skill-inject-clean", false, [10.2, 16.3, 34.7]),
    ("skillfortify", true, [0.0, 33.9, 42.2]),
    ("skillfortify", false, [0.0, 0.0, 0.0]),
    ("skillscan-showcase", true, [4.9, 14.8, 18.5]),
    ("sturesson-vuln", true, [40.0, 66.7, 73.0]),
    ("sturesson-benign", false, [6.7, 6.7, 13.0]),
    ("skillspector-fixtures", true, [19.0, 31.0, 38.0]),
    ("skillspector-fixtures", false, [0.0, 14.0, 29.0]),
    ("benign-vendor", false, [7.1, 16.5, 21.7]),
    ("benign-awesome-copilot", false, [1.0, 3.1, 4.3]),
    ("benign-nvidia", false, [5.8, 9.0, 18.4]),
];

/// Prints everything.
pub(crate) fn print(rows: &[Row]) {
    println!(
        "| set | label | part | n | critical | ≥ high | ≥ medium | ≥ low | peer critical / high / medium |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut groups: BTreeMap<(bool, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups
            .entry((!row.malicious, &row.set))
            .or_default()
            .push(row);
    }
    for ((benign, set), group) in &groups {
        for part in [None, Some(0), Some(1)] {
            let chosen: Vec<&&Row> = group
                .iter()
                .filter(|row| part.is_none_or(|part| part == row.part))
                .collect();
            if !chosen.is_empty() {
                line(set, *benign, part, &chosen);
            }
        }
    }
    vendor(rows);
    twins(rows);
    times(rows);
}

fn line(set: &str, benign: bool, part: Option<u8>, rows: &[&&Row]) {
    let label = if benign { "benign" } else { "malicious" };
    let peer = PEER
        .iter()
        .find(|(name, malicious, _)| part.is_none() && *name == set && *malicious != benign)
        .map_or(String::new(), |(_, _, [critical, high, medium])| {
            format!("{critical:.1} / {high:.1} / {medium:.1}")
        });
    let share = |severity| {
        percent(
            rows.iter().filter(|row| reaches(row, severity)).count(),
            rows.len(),
        )
    };
    println!(
        "| {set} | {label} | {} | {} | {} | {} | {} | {} | {peer} |",
        match part {
            None => "all",
            Some(0) => "developed on",
            Some(_) => "held back",
        },
        rows.len(),
        share(Severity::Critical),
        share(Severity::High),
        share(Severity::Medium),
        share(Severity::Low),
    );
}

/// The three vendors together.
fn vendor(rows: &[Row]) {
    let vendor: Vec<&Row> = rows
        .iter()
        .filter(|row| row.set.starts_with("benign-"))
        .collect();
    let share = |severity| {
        percent(
            vendor.iter().filter(|row| reaches(row, severity)).count(),
            vendor.len(),
        )
    };
    println!(
        "| all vendors | benign | all | {} | {} | {} | {} | {} | 4.3 / 9.0 / 14.0 |",
        vendor.len(),
        share(Severity::Critical),
        share(Severity::High),
        share(Severity::Medium),
        share(Severity::Low)
    );
}

/// Injected skills that raise something at medium or above that their clean twin does not.
///
/// Where the twin is not in the data, what all injected siblings raise is taken for it.
fn twins(rows: &[Row]) {
    let base = |dir: &str| dir.splitn(3, '-').nth(2).unwrap_or(dir).to_owned();
    let raised = |row: &Row| -> Vec<(&'static str, String)> {
        let found = row.report.at_least(Severity::Medium);
        found
            .map(|each| (each.code, each.evidence.clone()))
            .collect()
    };
    let injected: Vec<&Row> = rows
        .iter()
        .filter(|row| row.set == "skill-inject")
        .collect();
    let mut by_part = [(0, 0); 2];
    for row in &injected {
        let twin = rows
            .iter()
            .find(|twin| twin.set == "skill-inject-clean" && twin.dir == base(&row.dir));
        let clean: Vec<(&str, String)> = match twin {
            Some(twin) => raised(twin),
            None => injected
                .iter()
                .find(|other| other.dir != row.dir && base(&other.dir) == base(&row.dir))
                .map(|other| raised(other))
                .unwrap_or_default(),
        };
        let new = raised(row).iter().any(|each| !clean.contains(each));
        let part = &mut by_part[usize::from(row.part)];
        part.0 += usize::from(new);
        part.1 += 1;
    }
    let [first, second] = by_part;
    println!(
        "\ninjected prose beyond the clean twin, ≥ medium: {} of {} ({} and {} of the halves); peer 7% (at high)",
        first.0 + second.0,
        first.1 + second.1,
        percent(first.0, first.1),
        percent(second.0, second.1),
    );
}

fn times(rows: &[Row]) {
    let mut times: Vec<Duration> = rows.iter().map(|row| row.time).collect();
    times.sort_unstable();
    let at = |share: f64| {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a short list"
        )]
        let index = (times.len() as f64 * share) as usize;
        times
            .get(index.min(times.len().saturating_sub(1)))
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let total: Duration = times.iter().sum();
    println!(
        "a skill takes {:.2} ms of processor time (mean), {:.2} ms (median), {:.2} ms (95%), {:.2} ms (most), {:.1} s in all; peer 50 to 210 ms (median), 1850 ms (95%)",
        total.as_secs_f64() * 1e3
            / f64::from(u32::try_from(times.len().max(1)).unwrap_or(u32::MAX)),
        at(0.5),
        at(0.95),
        at(1.0),
        total.as_secs_f64()
    );
}

fn reaches(row: &Row, severity: Severity) -> bool {
    row.report.worst().is_some_and(|worst| worst >= severity)
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "hundreds at most")]
    let share = part as f64 * 100.0 / whole as f64;
    format!("{share:.1}")
}
