//! Ranges of versions in repositories with several skills: each is taken by its own tags, and what
//! it needs beside it comes from the same state.

use crate::TestContext;
use crate::project::project;
use crate::servers::http::Server;
use crate::servers::repository::{Repository, skill};
use crate::servers::{forge, git_http};

/// `alpha` and `beta` with tags of their own: 1.7.0 of `alpha` is newer than 2.0.0 of `beta`.
fn tagged(context: &TestContext) -> Repository<'_> {
    let repository = Repository::new(context, "remote.git");
    repository
        .skill("s/alpha", "1.0.0")
        .skill("s/beta", "1.0.0");
    repository.commit("one");
    repository.git(&["tag", "alpha-v1.0.0"]);
    repository.git(&["tag", "beta-v1.0.0"]);
    repository.skill("s/beta", "2.0.0").commit("two");
    repository.git(&["tag", "beta-v2.0.0"]);
    repository.skill("s/alpha", "1.7.0").commit("three");
    repository.git(&["tag", "alpha-v1.7.0"]);
    repository
}

/// How often a whole repository was sent.
fn archives(server: &Server) -> usize {
    let asked = server.asked();
    let is_archive = |path: &str| path.contains("/tarball/") || path.contains("archive.tar.gz");
    asked.iter().filter(|each| is_archive(each.path())).count()
}

fn needing(name: &str, version: &str, requires: &str) -> String {
    let needs = format!("metadata:\n  skillyard.requires-skills: \"{requires}\"\n---\n");
    skill(name, version).replacen("\n---\n", &format!("\n{needs}"), 1)
}

#[test]
fn each_skill_is_taken_by_its_own_tags() {
    for kind in ["git", "github", "gitlab"] {
        let context = project();
        let repository = tagged(&context);
        let (github, gitlab) = (forge::github(&repository), forge::gitlab(&repository));
        context.configure(&format!(
            "[hosts.github]\napi = \"{}\"\n[hosts.gitlab]\nurl = \"{}\"\n",
            github.url(""),
            gitlab.url("")
        ));
        let at = |name: &str, range: &str| match kind {
            "git" => format!("{}@{range}#s/{name}", repository.url()),
            kind => format!("{kind}:acme/skills/s/{name}@{range}"),
        };
        let [alpha, beta] = ["alpha", "beta"].map(|name| at(name, "^1"));
        let versions = |alpha: &str, beta: &str| {
            let found = ["alpha", "beta"].map(|name| context.version_of(name));
            assert_eq!(found, [Some(alpha.into()), Some(beta.into())], "{kind}");
        };
        context.done(&["install", &alpha, "--yes"]);
        context.done(&["install", &beta, "--yes"]);
        versions("1.7.0", "1.0.0");
        context.done(&["outdated"]);
        context.done(&["update", "--yes"]);
        versions("1.7.0", "1.0.0");
        let lock = context.read("skills.lock");
        assert!(lock.contains("\"1.7.0\"") && lock.contains("\"1.0.0\""));
        // In one command and in any order, too.
        for order in [[&alpha, &beta], [&beta, &alpha]] {
            context.done(&["remove", "alpha", "beta"]);
            context.done(&["install", order[0], order[1], "--yes"]);
            versions("1.7.0", "1.0.0");
        }
        let (alpha, beta) = (at("alpha", "^2"), at("beta", "^2"));
        for order in [[&alpha, &beta], [&beta, &alpha]] {
            let told = context.refused(&["install", order[0], order[1], "--yes"]);
            assert!(told.contains("fits `^2`"), "{kind}: {told}");
        }
        context.done(&["install", &beta, "--yes"]);
        versions("1.7.0", "2.0.0");
        context.done(&["sync", "--locked", "--check"]);
    }
}

#[test]
fn skills_that_share_their_tags_are_fetched_together() {
    let context = project();
    let repository = tagged(&context);
    let names = ["one", "two", "three"];
    for name in names {
        repository.skill(&format!("s/{name}"), "shared");
    }
    repository.commit("four");
    repository.git(&["tag", "v1.0.0"]);
    let server = forge::github(&repository);
    context.configure(&format!("[hosts.github]\napi = \"{}\"\n", server.url("")));
    let references = names.map(|name| format!("acme/skills/s/{name}@^1"));
    let [one, two, three] = references.each_ref().map(String::as_str);
    context.done(&["install", one, two, three, "--yes"]);
    assert_eq!(archives(&server), 1);
    context.done(&["update", "--yes"]);
    assert_eq!(archives(&server), 2);
    // One that has its own is fetched apart, and does not get the others' state.
    context.done(&["install", one, "acme/skills/s/beta@^1", two, "--yes"]);
    assert_eq!(archives(&server), 4);
    assert_eq!(context.version_of("beta").as_deref(), Some("1.0.0"));
}

#[test]
fn a_name_in_a_repository_of_a_forge_has_tags_of_its_own() {
    let context = project();
    let repository = tagged(&context);
    let server = forge::github(&repository);
    context.configure(&format!(
        "[hosts.github]\napi = \"{}\"\n[sources.team]\nurl = \"https://github.com/acme/skills\"\n",
        server.url("")
    ));
    context.done(&["install", "team:alpha@^1", "team:beta@^1", "--yes"]);
    assert_eq!(context.version_of("alpha").as_deref(), Some("1.7.0"));
    assert_eq!(context.version_of("beta").as_deref(), Some("1.0.0"));
}

#[test]
fn what_is_needed_beside_a_skill_comes_from_the_same_state() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.write("s/lead/SKILL.md", needing("lead", "one", "../base"));
    repository.skill("s/base", "one").commit("one");
    repository.git(&["tag", "lead-v1.0.0"]);
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let lead = format!("git+{}@^1#s/lead", server.url("/remote.git"));
    let settled = |version: &str| {
        for name in ["lead", "base"] {
            assert_eq!(context.version_of(name).as_deref(), Some(version));
        }
        context.done(&["outdated"]);
        context.done(&["sync", "--locked", "--check"]);
    };
    context.done(&["install", &lead, "--yes"]);
    settled("one");
    // Tags of its own do not lead it away from the skill that it was made for.
    repository.skill("s/base", "ahead").commit("two");
    repository.git(&["tag", "base-v1.5.0"]);
    settled("one");
    context.done(&["update", "--yes"]);
    settled("one");
    repository.write("s/lead/SKILL.md", needing("lead", "two", "../base"));
    repository.skill("s/base", "two").commit("three");
    repository.git(&["tag", "lead-v1.1.0"]);
    assert_eq!(context.code(&["outdated"]), Some(1));
    context.done(&["update", "--yes"]);
    settled("two");
}

#[test]
fn neighbours_with_common_tags_go_on_being_asked_for_by_the_range() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.write("s/lead/SKILL.md", needing("lead", "one", "../base"));
    repository.write("s/more/SKILL.md", needing("more", "one", "../base"));
    repository.skill("s/base", "one").commit("one");
    repository.git(&["tag", "v1.0.0"]);
    let at = |name: &str| format!("{}@^1#s/{name}", repository.url());
    context.done(&["install", &at("lead"), "--yes"]);
    repository.skill("s/base", "two").commit("two");
    repository.git(&["tag", "v1.1.0"]);
    // Who comes later brings what fits both.
    context.done(&["install", &at("more"), "--yes"]);
    assert_eq!(context.version_of("base").as_deref(), Some("two"));
    context.done(&["update", "--yes"]);
    context.done(&["outdated"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn the_lock_does_not_depend_on_who_asked_last() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    let needs = "metadata:\n  skillyard.requires-skills: ../gamma\n---\n\n";
    let delta = skill("delta", "one").replace("---\n\n", needs);
    repository
        .skill("skills/gamma", "one")
        .write("skills/delta/SKILL.md", delta);
    let commit = repository.commit("one");
    repository.git(&["tag", "v1.0.0"]);
    let url = repository.url();
    context.done(&["install", &format!("{url}@{commit}#skills/gamma"), "--yes"]);
    let install = ["install", &format!("{url}@^1#skills/delta"), "--yes"];
    context.done(&install);
    let lock = context.read("skills.lock");
    context.done(&["update", "--yes"]);
    assert_eq!(context.read("skills.lock"), lock);
    context.done(&install);
    assert_eq!(context.read("skills.lock"), lock);
}

#[test]
fn what_skills_toml_wants_by_now_is_named() {
    let context = project();
    let repository = tagged(&context);
    let reference = |range: &str| format!("{}@{range}#s/beta", repository.url());
    context.done(&["install", &reference("^1"), "--yes"]);
    let wanted = context.read("skills.toml").replace("^1", "^2");
    context.write("skills.toml", wanted);
    let told = context.stdout(&["outdated"]);
    assert!(
        told.contains("1.0.0 → 2.0.0") && told.contains("@^2#s/beta"),
        "{told}"
    );
}

#[test]
fn a_tag_that_is_called_so_is_meant_before_versions_that_fit() {
    for kind in ["git", "github", "gitlab"] {
        let context = project();
        let repository = Repository::new(&context, "remote.git");
        for tag in ["1.2", "1.2.5", "v1.3.0"] {
            repository.skill("s/pdf", tag).commit(tag);
            repository.git(&["tag", tag]);
        }
        repository.git(&["branch", "1.3"]);
        let (github, gitlab) = (forge::github(&repository), forge::gitlab(&repository));
        context.configure(&format!(
            "[hosts.github]\napi = \"{}\"\n[hosts.gitlab]\nurl = \"{}\"\n",
            github.url(""),
            gitlab.url("")
        ));
        for (wanted, version) in [
            ("1.2", "1.2"),
            ("~1.2", "1.2.5"),
            ("1.2.*", "1.2.5"),
            ("1.2.5", "1.2.5"),
            ("1.3", "v1.3.0"),
            ("1", "v1.3.0"),
        ] {
            let reference = match kind {
                "git" => format!("{}@{wanted}#s/pdf", repository.url()),
                kind => format!("{kind}:acme/skills/s/pdf@{wanted}"),
            };
            context.done(&["install", &reference, "--yes", "--force"]);
            let found = context.version_of("pdf");
            assert_eq!(found.as_deref(), Some(version), "{kind} {wanted}");
            context.done(&["sync", "--locked", "--check"]);
            context.done(&["update", "--yes"]);
            assert_eq!(context.version_of("pdf"), found, "{kind} {wanted}");
        }
    }
}
