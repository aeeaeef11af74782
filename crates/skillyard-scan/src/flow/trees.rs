//! Folders that repositories are fetched into, and commands that work in a folder without entering it.

/// What builds or runs a folder that its options name.
const BUILDERS: [&str; 19] = [
    "bun", "cargo", "cmake", "go", "gmake", "gradle", "just", "make", "mvn", "ninja", "npm", "npx",
    "pip", "pip3", "pipx", "pnpm", "poetry", "uv", "yarn",
];
/// Options behind which stands where something is written to.
const WRITTEN: [&str; 2] = ["--target", "-t"];
/// How many words of a command are looked at.
const MAX_WORDS: usize = 60;

/// The folder that a repository is fetched into.
pub(super) fn cloned(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("git clone ")?;
    let mut words = command(rest).filter(|word| !word.starts_with('-'));
    let is_address = |word: &&str| word.contains("://") || word.contains('@');
    let address = words.find(is_address)?;
    let folder = words.next().unwrap_or_else(|| {
        let name = address.trim_end_matches('/').rsplit(['/', ':']).next();
        let name = name.unwrap_or(address);
        name.strip_suffix(".git").unwrap_or(name)
    });
    let folder = plain(folder);
    (!folder.is_empty() && folder != ".").then_some(folder)
}

/// The paths that a command which builds or runs something is given.
pub(super) fn led_into(text: &str) -> impl Iterator<Item = &str> {
    let commands = text.split([';', '&', '|']);
    commands.flat_map(|each| {
        let mut words = command(each).skip_while(|word| *word == "sudo" || word.contains('='));
        let builds = words.next().is_some_and(|word| BUILDERS.contains(&word));
        let mut is_written = false;
        words.filter_map(move |word| {
            let before = std::mem::replace(&mut is_written, WRITTEN.contains(&word));
            let path = word.split_once('=').map_or(word, |(_, path)| path);
            (builds && !before).then(|| plain(path))
        })
    })
}

/// The words of one command.
fn command(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find([';', '&', '|', ')']).unwrap_or(text.len());
    text[..end].split_whitespace().take(MAX_WORDS)
}

/// A path as it is known, however it is written.
fn plain(path: &str) -> &str {
    let path = path.trim_matches(['"', '\'']).trim_end_matches('/');
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_repository_is_known() {
        for (text, folder) in [
            ("git clone https://a.test/x/tools.git", Some("tools")),
            (
                "git clone --depth 1 https://a.test/x/tools /tmp/t/",
                Some("/tmp/t"),
            ),
            ("git clone git@a.test:x/tools.git \"$dir\"", Some("$dir")),
            ("git clone https://a.test/x.git t && make -c t", Some("t")),
            ("git clone https://a.test/x.git .", None),
            ("git status", None),
        ] {
            assert_eq!(cloned(text), folder, "{text}");
        }
    }

    #[test]
    fn options_and_arguments_name_folders() {
        let led = |text: &'static str| led_into(text).collect::<Vec<_>>();
        assert!(led("npm --prefix ./t install").contains(&"t"));
        assert!(led("npm ci --prefix=t").contains(&"t"));
        assert!(led("sudo make -c /tmp/t").contains(&"/tmp/t"));
        assert!(led("cd x && cargo run --manifest-path t/cargo.toml").contains(&"t/cargo.toml"));
        assert!(led("uv run --project \"$dir\" main.py").contains(&"$dir"));
        assert!(!led("pip install --target t requests").contains(&"t"));
        assert!(led("ls t").is_empty());
    }
}
