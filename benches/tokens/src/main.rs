//! The error of the token estimate against a real tokenizer, on a file of real skills.
//!
//! Reads JSON lines with `content` and `stratum` from standard input.

use std::collections::BTreeMap;
use std::io::BufRead as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tokenizer = bpe_openai::o200k_base();
    let mut errors: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut totals: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        let Some(text) = row["content"].as_str().filter(|text| !text.is_empty()) else {
            continue;
        };
        let real = tokenizer.count(text) as f64;
        let estimate = skillyard_format::tokens::estimate(text) as f64;
        let stratum = row["stratum"].as_str().unwrap_or("all").to_owned();
        let total = totals.entry(stratum.clone()).or_default();
        *total = (total.0 + estimate, total.1 + real);
        errors.entry(stratum).or_default().push((estimate / real - 1.0).abs() * 100.0);
    }
    println!("stratum   files   total error   median   90th percentile");
    for (stratum, mut each) in errors {
        each.sort_by(f64::total_cmp);
        let (estimate, real) = totals[&stratum];
        println!(
            "{stratum:<7} {:>7} {:>11.1} % {:>6.1} % {:>15.1} %",
            each.len(),
            (estimate / real - 1.0) * 100.0,
            each[each.len() / 2],
            each[each.len() * 9 / 10],
        );
    }
    Ok(())
}
