//! What is known about hosts: who serves installers, who serves anything to anyone.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use crate::pattern::{Pattern, ScanText};

/// Hosts, with the start of the path where one host serves many, from which the makers of
/// a tool serve its installer. Where anyone may put something, the path is the makers' own.
#[rustfmt::skip]
const INSTALLERS: &[&str] = &[
    "aka.ms/", "app.warp.dev/", "apt.llvm.org/", "astral.sh/", "aws.amazon.com/",
    "awscli.amazonaws.com/", "azurecliprod.blob.core.windows.net/", "bun.sh/", "bun.com/",
    "claude.ai/install", "cli.github.com/", "cli.sentry.dev/", "code.visualstudio.com/",
    "cursor.com/install", "deb.nodesource.com/", "deno.land/install", "deno.land/std",
    "deno.land/x/install/", "developer.download.nvidia.com/", "dl.cloudsmith.io/public/caddy/",
    "dl.cloudsmith.io/public/mull-project/", "dl.google.com/", "dl.k8s.io/", "dot.net/",
    "download.docker.com/", "fnm.vercel.app/", "fly.io/install", "foundry.paradigm.xyz",
    "get.docker.com", "get.helm.sh/", "get.k3s.io", "get.pnpm.io/", "get.pulumi.com", "get.rvm.io",
    "get.sdkman.io", "get.volta.sh", "github.com/actions/", "github.com/astral-sh/",
    "github.com/cli/", "github.com/docker/", "github.com/kubernetes/", "github.com/microsoft/",
    "github.com/nvidia/", "go.dev/dl/", "go.microsoft.com/", "hf.co/cli/",
    "huggingface.co/api/models/nvidia/", "huggingface.co/cli/", "huggingface.co/nvidia/",
    "huggingface.co/settings/", "install.meteor.com", "install.python-poetry.org", "mise.run",
    "nodejs.org/dist/", "nixos.org/nix/", "ollama.com/install", "ollama.ai/install",
    "opencode.ai/install", "packages.microsoft.com/", "pixi.sh/", "pypi.nvidia.com/", "pyenv.run",
    "pytorch.org/", "raw.githubusercontent.com/anchore/", "raw.githubusercontent.com/aquasecurity/",
    "raw.githubusercontent.com/asdf-vm/", "raw.githubusercontent.com/astral-sh/",
    "raw.githubusercontent.com/creationix/nvm/", "raw.githubusercontent.com/docker/",
    "raw.githubusercontent.com/golangci/", "raw.githubusercontent.com/helm/",
    "raw.githubusercontent.com/homebrew/", "raw.githubusercontent.com/kubernetes-sigs/",
    "raw.githubusercontent.com/microsoft/", "raw.githubusercontent.com/nvidia/",
    "raw.githubusercontent.com/nvm-sh/", "raw.githubusercontent.com/ohmyzsh/",
    "raw.githubusercontent.com/pyenv/", "raw.githubusercontent.com/rancher/",
    "raw.githubusercontent.com/trufflesecurity/", "release.anza.xyz/", "release.solana.com/",
    "repo.anaconda.com/", "sdk.cloud.google.com", "semgrep.dev/", "setup.atuin.sh", "sh.rustup.rs",
    "starship.rs/", "static.rust-lang.org/", "storage.googleapis.com/kubernetes-release/",
    "tailscale.com/install", "vercel.com/install", "win.rustup.rs", "www.python.org/",
    "yarnpkg.com/",
];

/// Hosts where anyone leaves text for anyone, and names that hide another.
const PASTES: &str = r"(?:glot\.io|pastebin\.com|paste\.ee|rentry\.(?:co|org)|hastebin\.com|ghostbin\.|
    dpaste\.(?:com|org)|termbin\.com|ix\.io|0x0\.st|controlc\.com|privatebin\.|paste\.rs|sprunge\.us|
    justpaste\.it|telegra\.ph|transfer\.sh|file\.io|anonfiles?\.|gofile\.io|catbox\.moe|temp\.sh|
    bashupload\.com|tmpfiles\.org|oshi\.at|mediafire\.com|mega\.nz|sendspace\.com|bit\.ly|tinyurl\.com|
    cutt\.ly|is\.gd|rb\.gy|shorturl\.at|t\.ly|goo\.gl)";

/// Hosts that catch whatever is sent to them.
const CATCHERS: &str = r"(?:webhook\.site|requestbin|pipedream\.net|hookbin\.com|beeceptor\.com|
    ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|localtunnel\.me|loca\.lt|
    burpcollaborator|oastify\.com|interact\.sh|oast\.(?:pro|live|fun|me|online|site)|dnslog\.cn|ceye\.io|
    discord(?:app)?\.com/api/webhooks|api\.telegram\.org/bot|canarytokens|requestcatcher\.com)";

static PASTE: Pattern = Pattern::new(PASTES);
static CATCHER: Pattern = Pattern::new(CATCHERS);
/// Who logs in may be written with any sign, and so may pass for a host that ends there.
static URL: Pattern = Pattern::new(
    r#"https?://(?:[^\s/?\#<>]*@)?(?:\[[\da-f:.%]+\][^\s"'<>)\]}|;,\\`]*|[^\s"'<>)\]}|;,\\`]+)"#,
);
static ADDRESS: Pattern =
    Pattern::new(r"https?://(?:\d{1,3}\.){3}\d{1,3}(?:[:/]|\b)|\b(?:\d{1,3}\.){3}\d{1,3}:\d{2,5}/");
/// Public resolvers, and where they answer over https.
const RESOLVERS: [&str; 6] = [
    "1.1.1.1/dns-query",
    "1.0.0.1/dns-query",
    "8.8.8.8/dns-query",
    "8.8.4.4/dns-query",
    "9.9.9.9/dns-query",
    "149.112.112.112/dns-query",
];
/// Names that no benign host has.
static HOSTILE: Pattern = Pattern::new(
    r"https?://[^/\s]*\b(?:attacker|evil|malicious|exfil(?:trate|tration)?|c2|malware|payload|hacker|backdoor|steal(?:er)?|phish(?:ing)?|exploit|covert|adversary|rogue|hostile|spoof|botnet|keylog(?:ger)?)\b",
);

/// How far a host can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostTrust {
    /// This machine, or a private network.
    Local,
    /// Its makers serve a well-known tool from there.
    Installer,
    /// Nothing is known.
    Unknown,
    /// Without encryption, so that anyone on the way can change it.
    Plain,
    /// Anyone can put anything there, or it has no name at all.
    Doubtful,
}

/// The standing of one address, in small letters.
pub(crate) fn trust(url: &str) -> HostTrust {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host(url);
    let reach = HostScope::of(host);
    if reach == HostScope::Local {
        HostTrust::Local
    } else if reach == HostScope::Number
        || ADDRESS.is_match(url)
        || PASTE.is_match(rest)
        || CATCHER.is_match(rest)
        || HOSTILE.is_match(url)
    {
        HostTrust::Doubtful
    } else if url.starts_with("http://") && !is_placeholder(host) {
        HostTrust::Plain
    } else if is_installer(host, path(url)) {
        HostTrust::Installer
    } else {
        HostTrust::Unknown
    }
}

/// Placeholder names that cannot be registered.
fn is_placeholder(host: &str) -> bool {
    matches!(
        host,
        "example.com" | "example.org" | "example.net" | "host" | "server"
    )
}

fn is_installer(host: &str, path: &str) -> bool {
    // A path that goes up is another one than it seems to be.
    let turns = ["..", "%2e", "%2f", "%5c"];
    if turns.iter().any(|turn| path.contains(turn)) {
        return false;
    }
    INSTALLERS.iter().any(|known| {
        let (server, start) = known.split_once('/').unwrap_or((known, ""));
        let path = path.strip_prefix('/').unwrap_or(path);
        server == host && path.starts_with(start)
    }) && !(host.contains("github") && is_user_content(path))
}

/// Whether a path of a repository leads to what anyone can leave there: what is attached to an
/// issue, a pull request, and any commit of a fork.
fn is_user_content(path: &str) -> bool {
    path.split('/').skip(3).any(|part| {
        let name = part.split('.').next().unwrap_or(part);
        let is_commit = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_commit || matches!(part, "files" | "pull" | "issues" | "suites")
    })
}

/// The addresses in `text`.
pub(crate) fn urls<'t>(text: impl Into<ScanText<'t>>) -> impl Iterator<Item = &'t str> {
    URL.find_all(text)
}

/// The worst standing of the addresses in `text`.
pub(crate) fn least_trusted<'t>(text: impl Into<ScanText<'t>>) -> Option<HostTrust> {
    urls(text).map(trust).max()
}

/// Whether an address in `text` is the public one that documents write for any.
pub(crate) fn has_placeholder_number<'t>(text: impl Into<ScanText<'t>>) -> bool {
    urls(text).any(|url| host(url) == "1.2.3.4")
}

/// The last two names of a host, which its owner bought.
pub(crate) fn owner(host: &str) -> &str {
    let dots: Vec<usize> = host.match_indices('.').map(|(at, _)| at).collect();
    match dots.len().checked_sub(2).and_then(|index| dots.get(index)) {
        Some(at) => &host[at + 1..],
        None => host,
    }
}

/// A public address without a name.
pub(crate) fn raw_address<'t>(text: impl Into<ScanText<'t>>) -> Option<Range<usize>> {
    let text = text.into();
    let is_raw = |range: &Range<usize>| {
        HostScope::of(host(&text[range.clone()])) == HostScope::Number
            && !is_resolver(&text[range.start..])
    };
    let mut found = ADDRESS.ranges(text).filter(is_raw);
    found.next().or_else(|| URL.ranges(text).find(is_raw))
}

/// Whether `text` begins with a public resolver, which must be named by its number, because
/// it is asked for names. A question to it could carry something away.
fn is_resolver(text: &str) -> bool {
    let url = URL.find(text).filter(|range| range.start == 0);
    let url = url.map_or("", |range| &text[range]);
    RESOLVERS
        .iter()
        .any(|resolver| url.strip_prefix("https://") == Some(*resolver))
}

/// Whether an address in `text` only exists to catch what is sent to it.
pub(crate) fn is_catcher<'t>(text: impl Into<ScanText<'t>>) -> bool {
    // Bots and notices of a team go to the same hosts as what thieves send.
    let mut urls = urls(text).filter(|url| CATCHER.is_match(url));
    urls.any(|url| !url.contains("telegram") && !url.contains("discord"))
}

/// A host where anyone leaves text for anyone.
pub(crate) fn paste_site<'t>(text: impl Into<ScanText<'t>>) -> Option<Range<usize>> {
    PASTE.find(text)
}

/// Where a host is, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostScope {
    /// This machine, a private network, or a placeholder address.
    Local,
    /// A number that anyone can rent.
    Number,
    /// A name.
    Named,
}

impl HostScope {
    /// Where `host` is, which is what [`host`] says.
    pub(super) fn of(host: &str) -> Self {
        if host == "localhost" || host.ends_with(".localhost") || is_blank(host) {
            return Self::Local;
        }
        if let Ok(number) = host.parse::<Ipv4Addr>() {
            return scope_of_v4(number);
        }
        let number = host.split('%').next().unwrap_or(host);
        if let Ok(number) = number.parse::<Ipv6Addr>() {
            return scope_of_v6(number);
        }
        numeric_scope(host).unwrap_or(Self::Named)
    }
}

/// The host of an address: without who logs in, the port, brackets and the dot at its end.
pub(crate) fn host(url: &str) -> &str {
    let authority = parts(url).0;
    // Some programs end a host at such a sign, and others go on.
    if authority.contains('\\') {
        return authority;
    }
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = match host.strip_prefix('[') {
        Some(host) => host.split(']').next().unwrap_or(host),
        None => host.split(':').next().unwrap_or(host),
    };
    host.strip_suffix('.').unwrap_or(host)
}

/// The path of an address, without what is asked of it.
pub(super) fn path(url: &str) -> &str {
    parts(url).1
}

/// The part before the path, and the path.
fn parts(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

/// Whether a host is left blank, as in `x.x.x.x`.
fn is_blank(host: &str) -> bool {
    host.contains('.') && host.split('.').all(|part| part == "x")
}

/// Where the number leads that `2130706433`, `0x7f.1` and `0177.0.0.1` are other spellings of.
fn numeric_scope(host: &str) -> Option<HostScope> {
    let parts: Vec<&str> = host.split('.').collect();
    let is_number = |part: &&str| {
        let hex = part.strip_prefix("0x");
        let is_hex = hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        is_hex || !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if parts.len() > 4 || !parts.iter().all(is_number) {
        return None;
    }
    let values: Option<Vec<u32>> = parts.iter().map(|part| part_value(part)).collect();
    let number = values.and_then(|values| joined_parts(&values));
    Some(number.map_or(HostScope::Number, scope_of_v4))
}

/// The value of a part: in hex behind `0x`, in octal behind `0`.
fn part_value(part: &str) -> Option<u32> {
    match part.strip_prefix("0x") {
        Some("") => Some(0),
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u32::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    }
}

/// The parts as one number: the last fills what the others leave.
fn joined_parts(values: &[u32]) -> Option<Ipv4Addr> {
    let (last, first) = values.split_last()?;
    let mut number = 0;
    for (part_value, shift) in first.iter().zip([24, 16, 8]) {
        number |= u32::from(u8::try_from(*part_value).ok()?) << shift;
    }
    let room = u32::MAX.checked_shr(8 * u32::try_from(first.len()).ok()?)?;
    (*last <= room).then(|| Ipv4Addr::from(number | last))
}

fn scope_of_v4(number: Ipv4Addr) -> HostScope {
    let is_local = number.is_loopback()
        || number.is_private()
        || number.is_link_local()
        || number.is_unspecified()
        || number.is_documentation()
        // A common placeholder that cannot be rented.
        || number.octets() == [1, 2, 3, 4];
    if is_local {
        HostScope::Local
    } else {
        HostScope::Number
    }
}

fn scope_of_v6(number: Ipv6Addr) -> HostScope {
    if let Some(number) = number.to_ipv4_mapped() {
        return scope_of_v4(number);
    }
    let is_local = number.is_loopback()
        || number.is_unspecified()
        || number.is_unique_local()
        || number.is_unicast_link_local()
        // Those of documents.
        || number.segments().starts_with(&[0x2001, 0xdb8]);
    if is_local {
        HostScope::Local
    } else {
        HostScope::Number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        for (url, expected) in [
            ("https://sh.rustup.rs", HostTrust::Installer),
            ("https://sh.rustup.rs:443/", HostTrust::Installer),
            ("https://mise.run.other.test/x", HostTrust::Unknown),
            ("https://mise.run?x=1", HostTrust::Installer),
            ("https://mise.run@other.test/x", HostTrust::Unknown),
            ("https://tools.test/x", HostTrust::Unknown),
            ("http://tools.test/x", HostTrust::Plain),
            ("http://example.com:80@tools.test/x", HostTrust::Plain),
            ("http://127.0.0.1:80/x", HostTrust::Local),
            ("http://8.8.4.4/x", HostTrust::Doubtful),
            ("https://pastebin.com/raw/x", HostTrust::Doubtful),
            ("https://deno.land/install.sh", HostTrust::Installer),
            ("https://deno.land/x/stranger/i.ts", HostTrust::Unknown),
        ] {
            assert_eq!(trust(url), expected, "{url}");
        }
        assert_eq!(owner(host("https://a.b.example.com:80/x")), "example.com");
    }

    #[test]
    fn a_path_of_the_makers_leads_nowhere_else() {
        for (path, expected) in [
            ("nvm-sh/nvm/v0.40.1/install.sh", HostTrust::Installer),
            ("nvm-sh/nvm/head/install.sh", HostTrust::Installer),
            ("nvm-sh/../stranger/x/i.sh", HostTrust::Unknown),
            ("nvm-sh/%2e%2e/stranger/x/i.sh", HostTrust::Unknown),
            ("nvm-sh/..%2fstranger/x/i.sh", HostTrust::Unknown),
            ("nvm-sh/nvm/refs/pull/1/head/i.sh", HostTrust::Unknown),
            (
                "nvm-sh/nvm/0123456789abcdef0123456789abcdef01234567/i.sh",
                HostTrust::Unknown,
            ),
        ] {
            let url = format!("https://raw.githubusercontent.com/{path}");
            assert_eq!(trust(&url), expected, "{url}");
        }
    }

    #[test]
    fn whole_addresses_are_found() {
        for (text, expected) in [
            ("(see https://a.test/x).", "https://a.test/x"),
            (
                "'http://localhost;x@a.test/y'",
                "http://localhost;x@a.test/y",
            ),
            ("http://[::1]:80/x", "http://[::1]:80/x"),
            ("http://[::1] x", "http://[::1]"),
            ("[http://a.test]", "http://a.test"),
            ("http://a.test, b@c.test", "http://a.test"),
        ] {
            assert_eq!(urls(text).next(), Some(expected), "{text}");
        }
    }

    #[test]
    fn hosts_are_what_a_program_connects_to() {
        for (url, expected) in [
            ("https://a.b.test:80/x@y", "a.b.test"),
            ("http://127.0.0.1@a.test/", "a.test"),
            ("http://a:b@c.test@d.test:1?x=/", "d.test"),
            ("http://a.test./x", "a.test"),
            ("http://[::1]:80/x", "::1"),
            ("http://[::1]@a.test/x", "a.test"),
            ("http://a.test\\@b.test/x", "a.test\\@b.test"),
            ("a.test/x", "a.test"),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
        assert_eq!(path("https://a.test/b/c?d=/e"), "/b/c");
    }

    #[test]
    fn numbers_are_told_from_names() {
        for local in [
            "localhost",
            "a.localhost",
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.1.1",
            "0.0.0.0",
            "192.0.2.1",
            "198.51.100.7",
            "203.0.113.9",
            "1.2.3.4",
            "x.x.x.x",
            "::1",
            "::",
            "fe80::1%eth0",
            "fd00::1",
            "2001:db8::1",
            "::ffff:10.0.0.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.1",
            "0",
        ] {
            assert_eq!(HostScope::of(local), HostScope::Local, "{local}");
        }
        for number in [
            "1.2.3.45",
            "8.8.4.4",
            "172.32.0.1",
            "765185513",
            "055.0233.0315.0351",
            "45.155.52713",
            "1.2.3.999",
            "99999999999",
            "0x2d.0x9b.205.233",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(HostScope::of(number), HostScope::Number, "{number}");
        }
        for name in [
            "",
            "10.a.test",
            "localhost.a.test",
            "127.a.test",
            "x.xyz",
            "1.2.3.4.a.test",
            "1.2.3.4.5",
            "notlocalhost",
            "a..b",
            "0xa.test",
        ] {
            assert_eq!(HostScope::of(name), HostScope::Named, "{name}");
        }
    }
}
