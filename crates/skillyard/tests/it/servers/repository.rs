//! A repository of git that tests write to and the binary reads from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{TestContext, output, text};

/// A repository with a working folder; commits have a fixed author and time.
pub(crate) struct Repository<'a> {
    context: &'a TestContext,
    pub(crate) folder: PathBuf,
}

impl<'a> Repository<'a> {
    /// An empty repository outside the project.
    pub(crate) fn new(context: &'a TestContext, name: &str) -> Self {
        Self::with_objects(context, name, "sha1")
    }

    /// The same, with objects that are named in this way.
    pub(crate) fn with_objects(context: &'a TestContext, name: &str, objects: &str) -> Self {
        let folder = context.outside(name);
        fs::create_dir_all(&folder).unwrap();
        let repository = Self { context, folder };
        let objects = format!("--object-format={objects}");
        repository.git(&["init", "--quiet", "--initial-branch=main", &objects]);
        // As hosts have it; without it every fetch brings everything.
        repository.git(&["config", "uploadpack.allowFilter", "true"]);
        repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        repository
    }

    /// A repository with the skill `pdf` of version 1.0.0 in `skills/pdf`, committed and tagged.
    pub(crate) fn with_pdf(context: &'a TestContext) -> Self {
        let repository = Self::new(context, "remote.git");
        repository.skill("skills/pdf", "one").commit("one");
        repository.git(&["tag", "v1.0.0"]);
        repository
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = self.command();
        let output = output(command.args(arguments));
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        text(&output.stdout).trim().to_owned()
    }

    fn command(&self) -> Command {
        let mut command = self.context.command("git");
        command
            .current_dir(&self.folder)
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        command
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// Writes a valid skill whose last line is `version`.
    pub(crate) fn skill(&self, folder: &str, version: &str) -> &Self {
        let name = Path::new(folder).file_name().unwrap().to_str().unwrap();
        self.write(&format!("{folder}/SKILL.md"), skill(name, version))
    }

    /// Commits everything and returns the hash.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The reference of the whole repository as a `file:` address.
    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.folder.display())
    }

    /// What a forge would send for a commit: a tar in gzip with a comment in front.
    pub(crate) fn archive(&self, prefix: &str, commit: &str, path: Option<&str>) -> Vec<u8> {
        let mut command = self.command();
        command.args(["archive", "--format=tar.gz"]);
        command.arg(format!("--prefix={prefix}/")).arg(commit);
        command.args(path);
        let output = output(&mut command);
        assert!(output.status.success());
        output.stdout
    }
}

/// The text of a valid skill whose last line is `version`.
pub(crate) fn skill(name: &str, version: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Fills forms. Use when a task involves {name}.\n---\n\n{version}\n"
    )
}
