//! What the tests of installing share: a project, its store, and what is left in them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::servers::repository::skill;
use crate::{TestContext, output, text};

/// A project: a folder with an empty `skills.toml`.
pub(crate) fn project() -> TestContext {
    let context = TestContext::new();
    context.write("skills.toml", "");
    context
}

/// A project with `pdf` from `lib/pdf`.
pub(crate) fn installed() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    context
}

/// The skill `pdf` with a script, as an archive.
pub(crate) fn packed(folder: &str, version: &str, format: PackFormat) -> Vec<u8> {
    let skill = skill("pdf", version);
    let file = |path: &str| format!("{folder}{path}");
    let (document, script) = (file("SKILL.md"), file("scripts/run.sh"));
    let files = [
        PackFile {
            path: &document,
            mode: Mode::Plain,
            content: skill.as_bytes(),
        },
        PackFile {
            path: &script,
            mode: Mode::Executable,
            content: b"echo hi\n",
        },
    ];
    pack(&files, format, &Limits::skill()).unwrap()
}

impl TestContext {
    /// A place beside the project and the home.
    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.root().parent().unwrap().join("outside").join(path)
    }

    /// A place in the home folder.
    pub(crate) fn in_home(&self, path: &str) -> PathBuf {
        self.root().parent().unwrap().join("home").join(path)
    }

    /// Writes the user's configuration.
    pub(crate) fn configure(&self, text: &str) -> &Self {
        fs::create_dir_all(self.in_home(".skillyard")).unwrap();
        let file = self.in_home(".skillyard/config.toml");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        self
    }

    /// Runs what must succeed; returns what it told people.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = output(self.skillyard().args(arguments));
        let told = self.normalised(&text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {told}");
        told
    }

    /// Runs what must be refused; returns the reason.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let output = output(self.skillyard().args(arguments));
        let told = self.normalised(&text(&output.stderr));
        let code = output.status.code();
        assert!(
            matches!(code, Some(1 | 2)),
            "{arguments:?}: {code:?} {told}"
        );
        told
    }

    /// The last line of an installed skill, which tests use as its version.
    pub(crate) fn version_of(&self, name: &str) -> Option<String> {
        let file = format!(".agents/skills/{name}/SKILL.md");
        let text = fs::read_to_string(self.root().join(file)).ok()?;
        text.lines().last().map(str::to_owned)
    }

    /// What is in the store's staging folder, which must be nothing between commands.
    pub(crate) fn staging(&self) -> Vec<String> {
        everything(&self.in_home(".skillyard/store/staging"))
    }

    /// That nothing was installed, and nothing was left behind.
    #[track_caller]
    pub(crate) fn nothing_left(&self) {
        assert_eq!(self.staging(), Vec::<String>::new());
        let tree = self.tree();
        let left = tree.iter().filter(|path| {
            path.starts_with(".agents") || path.starts_with(".claude") || *path == "skills.lock"
        });
        assert_eq!(left.collect::<Vec<_>>(), Vec::<&String>::new());
        for store in ["archives", "sha256"] {
            let store = self.in_home(".skillyard/store").join(store);
            assert_eq!(everything(&store), Vec::<String>::new());
        }
        assert_eq!(
            everything(&self.in_home(".skillyard/journal")),
            Vec::<String>::new()
        );
    }
}

/// Every file and folder below a folder, links not followed.
pub(crate) fn everything(folder: &Path) -> Vec<String> {
    fn list(root: &Path, folder: &Path, found: &mut Vec<String>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let path = entry.path();
            found.push(path.strip_prefix(root).unwrap().display().to_string());
            if entry.file_type().unwrap().is_dir() {
                list(root, &path, found);
            }
        }
    }
    let mut found = Vec::new();
    list(folder, folder, &mut found);
    found.sort();
    found
}
