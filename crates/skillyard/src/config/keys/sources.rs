//! Keys about where skills come from, and how they are installed.

use super::{MACHINE, SECRETS, SOURCES, entry, with_default};
use crate::config::kind::ValueKind;
use crate::config::schema::{KeySpec, Plain, Project};

pub(super) static ENTRIES: &[KeySpec] = &[
    entry(
        "registry.url",
        ValueKind::Url,
        Project::Never(SOURCES),
        "The registry that plain names are looked up in.",
    ),
    entry(
        "registry.auth",
        ValueKind::Auth,
        Project::Never(SECRETS),
        "How to log in to it.",
    ),
    with_default(
        "sources.NAME.type",
        ValueKind::Word(&[
            "registry",
            "git",
            "github",
            "gitlab",
            "well-known",
            "archive",
        ]),
        Plain::Text("registry"),
        Project::Never(SOURCES),
        "What kind of source it is, unless its URL shows it.",
    ),
    entry(
        "sources.NAME.url",
        ValueKind::Url,
        Project::Never(SOURCES),
        "Where the source `NAME:` is.",
    ),
    entry(
        "sources.NAME.auth",
        ValueKind::Auth,
        Project::Never(SECRETS),
        "How to log in to it.",
    ),
    with_default(
        "hosts.github.url",
        ValueKind::Url,
        Plain::Text("https://github.com"),
        Project::Never(SECRETS),
        "The pages of GitHub, or of your GitHub Enterprise.",
    ),
    entry(
        "hosts.github.api",
        ValueKind::Url,
        Project::Never(SECRETS),
        "Its API; `/api/v3` below the URL when only that is set.",
    ),
    entry(
        "hosts.github.token",
        ValueKind::Token,
        Project::Never(SECRETS),
        "A token for it; without one `GH_TOKEN` and `GITHUB_TOKEN` are tried.",
    ),
    with_default(
        "hosts.gitlab.url",
        ValueKind::Url,
        Plain::Text("https://gitlab.com"),
        Project::Never(SECRETS),
        "The pages of GitLab, or of your own.",
    ),
    entry(
        "hosts.gitlab.api",
        ValueKind::Url,
        Project::Never(SECRETS),
        "Its API; `/api/v4` below the URL when not set.",
    ),
    entry(
        "hosts.gitlab.token",
        ValueKind::Token,
        Project::Never(SECRETS),
        "A token for it; without one `GITLAB_TOKEN` is tried.",
    ),
    entry(
        "install.scope",
        ValueKind::Word(&["user", "project"]),
        Project::Never(MACHINE),
        "Where `install` puts skills; without it the project, where there is one.",
    ),
    entry(
        "install.agents",
        ValueKind::Names,
        Project::Free,
        "The agents to install for; without it those that are found.",
    ),
    with_default(
        "install.link",
        ValueKind::Switch,
        Plain::Switch(false),
        Project::Free,
        "Link into the store instead of copying.",
    ),
];
