//! The codes of findings that a user accepts with `--accept`.

use skillyard_format::text::nearest;

use super::check::ROLLBACK;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::nested_skills;
use crate::report::RuleNote;

/// Refuses a code that nothing is ever found as: it would be passed in vain, without a word.
pub(crate) fn check(codes: &[String]) -> Result<(), CommandError> {
    let all = || {
        let rules = RuleNote::of_scan().map(|rule| rule.code);
        rules.chain([ROLLBACK, nested_skills::ACCEPT])
    };
    let is_unknown = |code: &&String| all().all(|known| known != code.as_str());
    match codes.iter().find(is_unknown) {
        None => Ok(()),
        Some(code) => Err(InstallFailure::NoSuchCode {
            code: code.clone(),
            nearest: nearest(code, all()),
        }
        .into()),
    }
}
