//! Wishes about the sandbox that nobody understands.

use super::{Report, Subject};
use crate::sandbox_request::SandboxRequest;

rule! {
    /// The `sandbox-…` words of `metadata` should be `sandbox-timeout` in seconds, `sandbox-memory` in
    /// megabytes, `sandbox-network` with `none` or hosts, and `sandbox-workspace` with `none` or `read`.
    ///
    /// With them a skill asks for less than its scripts would get. What is not understood gives them
    /// more than was meant: another limit, or a network.
    ///
    /// ```text
    /// metadata:
    ///   sandbox-timeout: "10"
    ///   sandbox-memory: "256"
    ///   sandbox-network: none
    ///   sandbox-workspace: read
    /// ```
    "sandbox-unreadable", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let metadata = subject.field("metadata");
    let metadata = metadata.and_then(|entry| entry.value.as_mapping());
    for entry in metadata.into_iter().flat_map(|mapping| &mapping.entries) {
        let mut wish = SandboxRequest::default();
        wish.take(&entry.key, &entry.value.to_json());
        for problem in wish.unread {
            report
                .add(&RULE, entry.value.span, problem)
                .help("`skillyard run SKILL SCRIPT --explain` shows what scripts get");
        }
    }
}
