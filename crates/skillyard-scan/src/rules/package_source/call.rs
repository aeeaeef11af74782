//! A call of a package manager in a script of a manifest: which script it starts, and of which
//! manifest.

/// Options that say in which folder the manifest lies; npm also takes their beginnings.
const FOLDER: [&str; 4] = ["--prefix", "--cwd", "--dir", "-C"];
/// Options that choose packages of a workspace by a name.
const NAMED: [&str; 4] = ["--workspace", "--filter", "-w", "-F"];
/// Options that choose all packages of a workspace.
const ALL: [&str; 4] = ["--workspaces", "--recursive", "-ws", "-r"];
/// The shortest beginning of an option that stands for nothing else.
const SHORTEST: usize = 4;

/// A call of a package manager that does nothing else.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'c> {
    /// The manifest that is meant.
    pub(super) place: Place<'c>,
    /// The script that it starts, if it starts one.
    pub(super) script: Option<&'c str>,
    /// The command without what says where.
    pub(super) rest: String,
}

/// Which manifest a call is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place<'c> {
    /// Its own.
    Here,
    /// That of a folder.
    Folder(&'c str),
    /// Those of packages in the same workspace.
    Members,
}

impl<'c> Call<'c> {
    /// Understands a command, if it is one.
    pub(super) fn of(command: &'c str) -> Option<Self> {
        if command.contains([';', '&', '|', '$', '`', '<', '>', '\n', '\r']) {
            return None;
        }
        let mut words = command.split_whitespace().peekable();
        let manager = words.next()?;
        if !["npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx"].contains(&manager) {
            return None;
        }
        let (mut place, mut plain, mut rest) = (Place::Here, Vec::new(), vec![manager]);
        while let Some(word) = words.next() {
            let (option, value) = word
                .split_once('=')
                .map_or((word, None), |(option, value)| (option, Some(value)));
            if word == "--" {
                // What follows is for the script.
                rest.extend(words);
                break;
            } else if is(option, &FOLDER) {
                let value = value.or_else(|| words.next())?;
                place = Place::Folder(value.trim_matches(['"', '\'']));
            } else if is(option, &NAMED) {
                place = Place::Members;
                // For one manager `-w` is no name but the top of the workspace.
                words.next_if(|word| value.is_none() && !word.starts_with('-') && !is_verb(word));
            } else if is(option, &ALL) {
                place = Place::Members;
            } else {
                rest.push(word);
                if !word.starts_with('-') {
                    plain.push(word);
                }
            }
        }
        let mut plain = plain.into_iter();
        let first = plain.next();
        let script = match (manager, first) {
            ("yarn", Some("workspace")) => {
                place = Place::Members;
                plain.nth(1).filter(|word| !is_verb(word)).or(plain.next())
            }
            ("npm" | "pnpm" | "yarn" | "bun", Some("run" | "run-script")) => plain.next(),
            ("npm", Some("start" | "stop" | "restart" | "test"))
            | ("pnpm" | "yarn" | "bun", Some(_)) => first,
            _ => None,
        };
        let rest = rest.join(" ");
        Some(Self {
            place,
            script,
            rest,
        })
    }
}

/// Whether an option is one of these, or the beginning of one.
fn is(option: &str, options: &[&str]) -> bool {
    let mut options = options.iter();
    options.any(|each| *each == option || option.len() >= SHORTEST && each.starts_with(option))
}

/// Whether a word starts something, and is no name.
fn is_verb(word: &str) -> bool {
    let verbs = [
        "run",
        "run-script",
        "start",
        "stop",
        "restart",
        "test",
        "install",
        "i",
        "ci",
    ];
    verbs.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, place: Place<'_>, script: Option<&str>, rest: &str) {
        let expected = Call {
            place,
            script,
            rest: rest.to_owned(),
        };
        assert_eq!(Call::of(command), Some(expected), "{command}");
    }

    #[test]
    fn what_says_where_is_read_wherever_it_stands() {
        let build = Some("build");
        check("npm run build", Place::Here, build, "npm run build");
        for command in [
            "npm run build --prefix tools",
            "npm --prefix tools run build",
            "npm --prefix=tools run build",
            "npm -C 'tools' run build",
            "npm --pref tools run build",
        ] {
            check(command, Place::Folder("tools"), build, "npm run build");
        }
        check(
            "pnpm --dir tools build",
            Place::Folder("tools"),
            build,
            "pnpm build",
        );
        check(
            "yarn build --cwd tools",
            Place::Folder("tools"),
            build,
            "yarn build",
        );
        check(
            "npm run build -w tools",
            Place::Members,
            build,
            "npm run build",
        );
        check(
            "npm -w tools run build",
            Place::Members,
            build,
            "npm run build",
        );
        check("pnpm -r build", Place::Members, build, "pnpm build");
        check(
            "npm run build --workspaces",
            Place::Members,
            build,
            "npm run build",
        );
        check(
            "yarn workspace tools run build",
            Place::Members,
            build,
            "yarn workspace tools run build",
        );
        check(
            "npm run build -- --prefix x",
            Place::Here,
            build,
            "npm run build --prefix x",
        );
        check("npm ci --prefix=..", Place::Folder(".."), None, "npm ci");
        check(
            "npx --prefix x husky",
            Place::Folder("x"),
            None,
            "npx husky",
        );
        assert_eq!(Call::of("npm run build; x"), None);
        assert_eq!(Call::of("make -C x"), None);
    }
}
