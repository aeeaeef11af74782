//! What a skill says it needs besides commands, and what of that is missing here.

use skillyard_catalog::record::Record;
use skillyard_format::conditions::{Conditions, Unmet};

use crate::environment::Environment;

/// What a skill says it needs besides commands.
pub(crate) fn of(record: &Record) -> Conditions {
    if !Conditions::may_be_in(&record.fields) {
        return Conditions::default();
    }
    let fields = record.fields_json();
    let fields = fields.as_object();
    fields.map(Conditions::of).unwrap_or_default()
}

/// What of that is missing here, one line each.
pub(crate) fn unmet(environment: &Environment, record: &Record) -> Vec<String> {
    let is_set = |name: &str| environment.passed_on(name).is_some();
    let unmet = of(record).unmet(std::env::consts::OS, is_set);
    unmet.iter().map(told).collect()
}

fn told(unmet: &Unmet) -> String {
    match unmet {
        Unmet::System(systems) => {
            let here = std::env::consts::OS;
            format!("it is for {}, and this is {here}", systems.join(", "))
        }
        Unmet::Variables(names) => match &names[..] {
            [name] => format!("the variable {name} is not set"),
            names => format!("the variables {} are not set", names.join(", ")),
        },
    }
}
