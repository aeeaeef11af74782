//! What is known about hosts: who serves installers, who serves anything to anyone.

use std::ops::Range;

pub(crate) use super::address::host;
use super::address::{Reach, path};
use super::pattern::Pattern;
use super::text::Text;

/// Hosts, with the start of the path where one host serves many, from which the makers of
/// a tool serve its installer. Where anyone may put something, the path is the makers' own.
const INSTALLERS: &[&str] = &[
    "aka.ms/",
    "app.warp.dev/",
    "apt.llvm.org/",
    "astral.sh/",
    "aws.amazon.com/",
    "awscli.amazonaws.com/",
    "azurecliprod.blob.core.windows.net/",
    "bun.sh/",
    "bun.com/",
    "claude.ai/install",
    "cli.github.com/",
    "cli.sentry.dev/",
    "code.visualstudio.com/",
    "cursor.com/install",
    "deb.nodesource.com/",
    "deno.land/install",
    "deno.land/std",
    "deno.land/x/install/",
    "developer.download.nvidia.com/",
    "dl.cloudsmith.io/public/caddy/",
    "dl.cloudsmith.io/public/mull-project/",
    "dl.google.com/",
    "dl.k8s.io/",
    "dot.net/",
    "download.docker.com/",
    "fnm.vercel.app/",
    "fly.io/install",
    "foundry.paradigm.xyz",
    "get.docker.com",
    "get.helm.sh/",
    "get.k3s.io",
    "get.pnpm.io/",
    "get.pulumi.com",
    "get.rvm.io",
    "get.sdkman.io",
    "get.volta.sh",
    "github.com/actions/",
    "github.com/astral-sh/",
    "github.com/cli/",
    "github.com/docker/",
    "github.com/kubernetes/",
    "github.com/microsoft/",
    "github.com/nvidia/",
    "go.dev/dl/",
    "go.microsoft.com/",
    "hf.co/cli/",
    "huggingface.co/api/models/nvidia/",
    "huggingface.co/cli/",
    "huggingface.co/nvidia/",
    "huggingface.co/settings/",
    "install.meteor.com",
    "install.python-poetry.org",
    "mise.run",
    "nodejs.org/dist/",
    "nixos.org/nix/",
    "ollama.com/install",
    "ollama.ai/install",
    "opencode.ai/install",
    "packages.microsoft.com/",
    "pixi.sh/",
    "pypi.nvidia.com/",
    "pyenv.run",
    "pytorch.org/",
    "raw.githubusercontent.com/anchore/",
    "raw.githubusercontent.com/aquasecurity/",
    "raw.githubusercontent.com/asdf-vm/",
    "raw.githubusercontent.com/astral-sh/",
    "raw.githubusercontent.com/creationix/nvm/",
    "raw.githubusercontent.com/docker/",
    "raw.githubusercontent.com/golangci/",
    "raw.githubusercontent.com/helm/",
    "raw.githubusercontent.com/homebrew/",
    "raw.githubusercontent.com/kubernetes-sigs/",
    "raw.githubusercontent.com/microsoft/",
    "raw.githubusercontent.com/nvidia/",
    "raw.githubusercontent.com/nvm-sh/",
    "raw.githubusercontent.com/ohmyzsh/",
    "raw.githubusercontent.com/pyenv/",
    "raw.githubusercontent.com/rancher/",
    "raw.githubusercontent.com/trufflesecurity/",
    "release.anza.xyz/",
    "release.solana.com/",
    "repo.anaconda.com/",
    "sdk.cloud.google.com",
    "semgrep.dev/",
    "setup.atuin.sh",
    "sh.rustup.rs",
    "starship.rs/",
    "static.rust-lang.org/",
    "storage.googleapis.com/kubernetes-release/",
    "tailscale.com/install",
    "vercel.com/install",
    "win.rustup.rs",
    "www.python.org/",
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
/// Resolvers for everybody, and where they answer over https.
const RESOLVERS: [&str; 6] = [
    "1.1.1.1/dns-query",
    "1.0.0.1/dns-query",
    "8.8.8.8/dns-query",
    "8.8.4.4/dns-query",
    "9.9.9.9/dns-query",
    "149.112.112.112/dns-query",
];
/// Names that nobody gives to a host that is meant well.
static HOSTILE: Pattern = Pattern::new(
    r"https?://[^/\s]*\b(?:attacker|evil|malicious|exfil(?:trate|tration)?|c2|malware|payload|hacker|backdoor|steal(?:er)?|phish(?:ing)?|exploit|covert|adversary|rogue|hostile|spoof|botnet|keylog(?:ger)?)\b",
);

/// How far a host can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// This machine, or a network nobody else reaches.
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
pub(crate) fn standing(url: &str) -> Standing {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host(url);
    let reach = Reach::of(host);
    if reach == Reach::Local {
        Standing::Local
    } else if reach == Reach::Number
        || ADDRESS.is_match(url)
        || PASTE.is_match(rest)
        || CATCHER.is_match(rest)
        || HOSTILE.is_match(url)
    {
        Standing::Doubtful
    } else if url.starts_with("http://") && !is_placeholder(host) {
        Standing::Plain
    } else if is_installer(host, path(url)) {
        Standing::Installer
    } else {
        Standing::Unknown
    }
}

/// Names that stand for any host, which nobody can own.
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
    }) && !(host.contains("github") && is_of_visitors(path))
}

/// Whether a path of a repository leads to what anyone can leave there: what is attached to an
/// issue, a pull request, and any commit of a fork.
fn is_of_visitors(path: &str) -> bool {
    path.split('/').skip(3).any(|part| {
        let name = part.split('.').next().unwrap_or(part);
        let is_commit = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_commit || matches!(part, "files" | "pull" | "issues" | "suites")
    })
}

/// The addresses in `text`.
pub(crate) fn urls<'t>(text: impl Into<Text<'t>>) -> impl Iterator<Item = &'t str> {
    URL.find_all(text)
}

/// The worst standing of the addresses in `text`.
pub(crate) fn worst<'t>(text: impl Into<Text<'t>>) -> Option<Standing> {
    urls(text).map(standing).max()
}

/// Whether an address in `text` is the public one that documents write for any.
pub(crate) fn stands_for_any<'t>(text: impl Into<Text<'t>>) -> bool {
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
pub(crate) fn raw_address<'t>(text: impl Into<Text<'t>>) -> Option<Range<usize>> {
    let text = text.into();
    let is_raw = |range: &Range<usize>| {
        Reach::of(host(&text[range.clone()])) == Reach::Number && !is_resolver(&text[range.start..])
    };
    let mut found = ADDRESS.ranges(text).filter(is_raw);
    found.next().or_else(|| URL.ranges(text).find(is_raw))
}

/// Whether `text` begins with a resolver for everybody, which has to be named by its number, because
/// it is asked for names. A question to it could carry something away.
fn is_resolver(text: &str) -> bool {
    let url = URL.find(text).filter(|range| range.start == 0);
    let url = url.map_or("", |range| &text[range]);
    RESOLVERS
        .iter()
        .any(|resolver| url.strip_prefix("https://") == Some(*resolver))
}

/// Whether an address in `text` only exists to catch what is sent to it.
pub(crate) fn is_catcher<'t>(text: impl Into<Text<'t>>) -> bool {
    // Bots and notices of a team go to the same hosts as what thieves send.
    let mut urls = urls(text).filter(|url| CATCHER.is_match(url));
    urls.any(|url| !url.contains("telegram") && !url.contains("discord"))
}

/// A host where anyone leaves text for anyone.
pub(crate) fn paste<'t>(text: impl Into<Text<'t>>) -> Option<Range<usize>> {
    PASTE.find(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        for (url, expected) in [
            ("https://sh.rustup.rs", Standing::Installer),
            ("https://sh.rustup.rs:443/", Standing::Installer),
            ("https://mise.run.other.test/x", Standing::Unknown),
            ("https://mise.run?x=1", Standing::Installer),
            ("https://mise.run@other.test/x", Standing::Unknown),
            ("https://tools.test/x", Standing::Unknown),
            ("http://tools.test/x", Standing::Plain),
            ("http://example.com:80@tools.test/x", Standing::Plain),
            ("http://127.0.0.1:80/x", Standing::Local),
            ("http://8.8.4.4/x", Standing::Doubtful),
            ("https://pastebin.com/raw/x", Standing::Doubtful),
            ("https://deno.land/install.sh", Standing::Installer),
            ("https://deno.land/x/stranger/i.ts", Standing::Unknown),
        ] {
            assert_eq!(standing(url), expected, "{url}");
        }
        assert_eq!(owner(host("https://a.b.example.com:80/x")), "example.com");
    }

    #[test]
    fn a_path_of_the_makers_leads_nowhere_else() {
        for (path, expected) in [
            ("nvm-sh/nvm/v0.40.1/install.sh", Standing::Installer),
            ("nvm-sh/nvm/head/install.sh", Standing::Installer),
            ("nvm-sh/../stranger/x/i.sh", Standing::Unknown),
            ("nvm-sh/%2e%2e/stranger/x/i.sh", Standing::Unknown),
            ("nvm-sh/..%2fstranger/x/i.sh", Standing::Unknown),
            ("nvm-sh/nvm/refs/pull/1/head/i.sh", Standing::Unknown),
            (
                "nvm-sh/nvm/0123456789abcdef0123456789abcdef01234567/i.sh",
                Standing::Unknown,
            ),
        ] {
            let url = format!("https://raw.githubusercontent.com/{path}");
            assert_eq!(standing(&url), expected, "{url}");
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
}
