//! Skills that need others by the name of a tag or a branch, which is no range of versions.

use crate::TestContext;
use crate::install_requires::needing;
use crate::install_versions::{Shelf, libraries, put};
use crate::project::project;
use crate::servers::http::Server;
use crate::servers::repository::{Repository, skill};

/// The same with a `lib` that has the tag `beta`, and who needs that one, or any.
fn tagged() -> (TestContext, Server, Shelf) {
    let (context, server, shelf) = libraries();
    put(&shelf, "lib@2.1.0-beta.1", "");
    put(&shelf, "early@1.0.0", "lib@beta");
    put(&shelf, "open@1.0.0", "lib");
    (context, server, shelf)
}

#[test]
fn what_is_needed_by_a_tag_stays_what_the_tag_stands_for() {
    let (context, _server, shelf) = tagged();
    put(&shelf, "wide@1.0.0", "lib");
    context.done(&["install", "early", "--yes"]);
    let is_early = || {
        let version = context.version_of("lib");
        assert_eq!(version.as_deref(), Some("2.1.0-beta.1"));
        context.done(&["sync", "--locked", "--check"]);
    };
    is_early();
    context.done(&["install", "open", "--yes"]);
    is_early();
    let wanted = context.read("skills.toml");
    context.write("skills.toml", format!("{wanted}wide = \"wide\"\n"));
    context.done(&["sync", "--yes"]);
    is_early();
    let told = context.done(&["update", "--yes"]);
    assert!(told.contains("Already up to date"), "{told}");
    context.done(&["outdated"]);
    for (reference, reason) in [
        ("tool", "`early` needs `beta`, `tool` needs `^1`"),
        ("lib@1.0.0", "`early` needs `beta`, you ask for `1.0.0`"),
    ] {
        let told = context.refused(&["install", reference, "--yes"]);
        assert!(told.contains(reason), "{told}");
        is_early();
    }
}

#[test]
fn who_comes_first_does_not_decide_what_a_tag_means() {
    for order in [["early", "tool"], ["tool", "early"]] {
        let (context, _server, _shelf) = tagged();
        context.done(&["install", order[0], "--yes"]);
        let told = context.refused(&["install", order[1], "--yes"]);
        let reason = "`early` needs `beta`, `tool` needs `^1`";
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn who_needs_a_tag_is_left_out_where_another_version_stays() {
    let (context, _server, shelf) = tagged();
    context.done(&["install", "tool", "--yes"]);
    put(&shelf, "tool@1.1.0", "lib@beta");
    context.edit("lib");
    let lock = context.read("skills.lock");
    let told = context.refused(&["update", "--yes"]);
    let reason = "`tool` needs `lib@beta`, and `lib@1.5.0` stays, because something is in its way";
    let line = format!(" ! tool: 1.0.0 is taken, not 1.1.0: {reason}");
    assert!(told.contains(&line), "{told}");
    assert_eq!(context.read("skills.lock"), lock);
    // Also where nobody needs another one.
    context.done(&["update", "--yes", "--force"]);
    put(&shelf, "tool@1.2.0", "lib");
    put(&shelf, "lib@3.0.0", "");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("3.0.0"));
    context.edit("lib");
    is_left_out(&context, "early");
}

/// Installs what needs another state of `lib`, which stays as it is.
fn is_left_out(context: &TestContext, reference: &str) {
    let lock = context.read("skills.lock");
    let told = context.done(&["install", reference, "--skip-existing", "--yes"]);
    assert!(
        told.contains("early  left out: `early` needs `lib`, which is left out"),
        "{told}"
    );
    assert_eq!(context.read("skills.lock"), lock);
}

#[test]
fn who_needs_a_branch_is_left_out_where_another_one_stays() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.skill("lib", "main").commit("main");
    repository.git(&["branch", "same"]);
    repository.git(&["checkout", "--quiet", "-b", "next"]);
    repository.skill("lib", "next").commit("next");
    repository.git(&["checkout", "--quiet", "main"]);
    let app = |name: &str, needed: &str| {
        let text = needing(name, "one", needed);
        context.write(&format!("apps/{name}/SKILL.md"), text);
        format!("./apps/{name}")
    };
    let usual = app("usual", &format!("{}#lib", repository.url()));
    let early = app("early", &format!("{}@next#lib", repository.url()));
    context.done(&["install", &usual, "--yes"]);
    context.edit("lib");
    is_left_out(&context, &early);
    // Where a branch has the same bytes, what is there will do.
    let twin = app("twin", &format!("{}@same#lib", repository.url()));
    context.done(&["install", &twin, "--skip-existing", "--yes"]);
    assert!(context.version_of("twin").is_some());
}

#[test]
fn names_that_are_one_elsewhere_are_told() {
    let context = project();
    for name in ["PDF", "pdf", "docx"] {
        context.write(&format!("lib/{name}/SKILL.md"), skill(name, "one"));
    }
    let told = context.done(&["install", "./lib/pdf", "./lib/docx"]);
    assert!(!told.contains("one name"), "{told}");
    let told = context.done(&["install", "./lib/PDF"]);
    assert!(
        told.contains("`PDF`, `pdf` are one name on systems that know no case"),
        "{told}"
    );
    let told = context.done(&["install", "./lib/PDF"]);
    assert!(!told.contains("one name"), "{told}");
}
