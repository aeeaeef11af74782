//! Repositories and their pages on GitHub, GitLab and their likes.

use super::check;

#[test]
fn repositories_on_forges() {
    check("owner/repo", "hosted", "github:owner/repo");
    check(
        "owner/repo/skills/pdf@v1.2.3",
        "hosted",
        "github:owner/repo/skills/pdf@v1.2.3",
    );
    check("owner/repo#main", "hosted", "github:owner/repo@main");
    check(
        "owner/repo@feature/x",
        "hosted",
        "github:owner/repo@feature/x",
    );
    check(
        "owner/repo@pdf@1.2.3",
        "hosted",
        "github:owner/repo@pdf@1.2.3",
    );
    check("owner/repo@^1", "hosted", "github:owner/repo@^1");
    check("gh:owner/repo.git", "hosted", "github:owner/repo");
    check("owner/repo/", "hosted", "github:owner/repo");
    check("github:o/r/a%40b%20c", "hosted", "github:o/r/a%40b%20c");
    check(
        "gitlab:group/repo/path@main",
        "hosted",
        "gitlab:group/repo/path@main",
    );
    check("gl:a/b/c//skills/pdf", "hosted", "gitlab:a/b/c//skills/pdf");
    check("gitlab:a/b/c//@v1", "hosted", "gitlab:a/b/c//@v1");
    check("corp:team/repo/x@main", "hosted", "corp:team/repo/x@main");
}

#[test]
fn pages_of_forges() {
    check(
        "https://github.com/owner/repo",
        "hosted",
        "github:owner/repo",
    );
    check(
        "http://www.github.com/owner/repo.git",
        "hosted",
        "github:owner/repo",
    );
    check("github.com/owner/repo", "hosted", "github:owner/repo");
    check("https://github.com/o/r?tab=readme", "hosted", "github:o/r");
    check("https://github.com/o/r@v1", "hosted", "github:o/r@v1");
    check("https://github.com/o/r.git@v1", "hosted", "github:o/r@v1");
    check("https://github.com/o/r#v1", "hosted", "github:o/r@v1");
    check(
        "https://github.com/o/r/tree/main/skills/pdf",
        "hosted",
        "github:o/r/skills/pdf@main",
    );
    check(
        "https://github.com/o/r/blob/main/skills/pdf/SKILL.md",
        "hosted",
        "github:o/r/skills/pdf@main",
    );
    check(
        "https://github.com/o/r/blob/main/SKILL.md",
        "hosted",
        "github:o/r@main",
    );
    check(
        "https://github.com/o/r/tree/refs/heads/main/x",
        "hosted",
        "github:o/r/x@main",
    );
    check(
        "https://github.com/o/r/tree/main/a%20b",
        "hosted",
        "github:o/r/a%20b@main",
    );
    check(
        "https://github.com/o/r/commit/0123456789abcdef",
        "hosted",
        "github:o/r@0123456789abcdef",
    );
    check(
        "https://github.com/o/r/releases/tag/v1.0.0",
        "hosted",
        "github:o/r@v1.0.0",
    );
    check(
        "https://raw.githubusercontent.com/o/r/main/skills/pdf/SKILL.md",
        "hosted",
        "github:o/r/skills/pdf@main",
    );
    check(
        "https://raw.githubusercontent.com/o/r/refs/heads/main/SKILL.md",
        "hosted",
        "github:o/r@main",
    );
    check("https://gitlab.com/a/b/c", "hosted", "gitlab:a/b/c//");
    check(
        "https://gitlab.com/a/b/c/-/tree/main/skills/pdf?ref_type=heads",
        "hosted",
        "gitlab:a/b/c//skills/pdf@main",
    );
    check(
        "https://gitlab.com/a/b/-/blob/main/pdf/SKILL.md",
        "hosted",
        "gitlab:a/b/pdf@main",
    );
    check(
        "https://git.corp.example:8443/a/b/c",
        "hosted",
        "corp:a/b/c//",
    );
    check(
        "https://ghe.example/o/r/tree/main/x",
        "hosted",
        "ghe:o/r/x@main",
    );
    check(
        "https://github.com/o/r/archive/refs/heads/main.zip",
        "archive",
        "https://github.com/o/r/archive/refs/heads/main.zip",
    );
}
