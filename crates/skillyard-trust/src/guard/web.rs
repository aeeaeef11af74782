//! Addresses: `WebFetch(domain:example.com)`.

/// The host of an address, or `None` when programs might disagree about it.
pub(super) fn host(address: &str) -> Option<String> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let head = address.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme)
            .then(|| &address[scheme.len()..])
    })?;
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if address.contains(is_odd) {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, port),
        None => (authority, ""),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let is_plain = !host.is_empty()
        && host.chars().all(is_host)
        && !host.starts_with('.')
        && !host.ends_with('.')
        && port.chars().all(|c| c.is_ascii_digit());
    is_plain.then(|| host.to_ascii_lowercase())
}

/// Whether `host` is the domain of a pattern; `*.example.com` is every host below it.
pub(super) fn domain_matches(pattern: &str, host: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    match pattern.strip_prefix("*.") {
        Some(domain) => host
            .strip_suffix(domain)
            .is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => pattern == host,
    }
}
