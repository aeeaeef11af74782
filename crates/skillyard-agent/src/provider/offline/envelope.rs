//! What the envelope of a skill says, read without a model.

/// The value of an attribute of an envelope; names of skills need no unescaping.
pub(super) fn attribute(envelope: &str, name: &str) -> Option<String> {
    let head = envelope.strip_prefix("<skill_content ")?.lines().next()?;
    let (_, value) = head.split_once(&format!("{name}=\""))?;
    Some(value.split_once('"')?.0.to_owned())
}

/// The files that an envelope lists.
pub(super) fn files(envelope: &str) -> Vec<&str> {
    let lines = envelope.lines().map(str::trim);
    let files = lines.filter_map(|line| line.strip_prefix("<file>")?.strip_suffix("</file>"));
    files.collect()
}

/// What is inside an envelope.
pub(super) fn instructions(envelope: &str) -> &str {
    let inside = envelope.split_once('\n').map_or("", |(_, inside)| inside);
    let inside = inside.strip_suffix("</skill_content>").unwrap_or(inside);
    // What comes behind is for whoever reads files, not for people.
    let body = inside.rsplit_once("\n\nSkill directory: ");
    body.map_or(inside, |(body, _)| body).trim_end()
}
