//! Links: where they may lead, and where not.

use skillyard_catalog::Catalog;
use skillyard_catalog::walk::Links;

use crate::tree::{Tree, skill};
use crate::{check, tree};

#[test]
fn links_to_folders() {
    let tree = tree();
    tree.skill("outside/evil", "x")
        .mkdir("s/x")
        .mkdir("s/y")
        .link("good", "s/again")
        .link(tree.path("outside/evil"), "s/evil")
        .link(tree.path("outside"), "s/outside")
        .link("..", "s/x/up")
        .link(".", "s/x/self")
        .link("../y", "s/x/y")
        .link("../x", "s/y/x")
        .link("nothing", "s/dangling")
        .link("loop", "s/loop")
        .link("good/SKILL.md", "s/file");
    check(
        &tree,
        &["s/again/SKILL.md", "s/good/SKILL.md"],
        &[
            "s/dangling: it is a symbolic link to nothing",
            "s/evil: it is a symbolic link to `outside/evil`, outside every allowed folder",
            "s/loop: it is a symbolic link that leads in a circle",
            "s/outside: it is a symbolic link to `outside`, outside every allowed folder",
            "s/x/self: it is a symbolic link that leads in a circle",
            "s/x/up: it is a symbolic link that leads in a circle",
            // Two folders that link to each other are each visited once more, and no further.
            "s/x/y/x: it is a symbolic link to `s/x`, which was visited already",
            "s/y/x/self: it is a symbolic link that leads in a circle",
            "s/y/x/up: it is a symbolic link that leads in a circle",
            "s/y/x/y: it is a symbolic link to `s/y`, which was visited already",
        ],
    );
}

#[test]
fn links_are_named_where_they_are_not_followed() {
    let tree = tree();
    tree.link("good", "s/again");
    let (found, skipped) = tree.walk("s", Links::Skip);
    assert_eq!(found, ["s/good/SKILL.md"]);
    assert_eq!(skipped, ["s/again: it is a symbolic link"]);
}

#[test]
fn links_to_files() {
    let tree = tree();
    tree.write("outside/SKILL.md", skill("evil", "secret"))
        .write("s/shared.md", skill("shared", "x"))
        .mkdir("s/in")
        .mkdir("s/out")
        .mkdir("s/lower-out")
        .mkdir("s/gone")
        .link("../shared.md", "s/in/SKILL.md")
        .link(tree.path("outside/SKILL.md"), "s/out/SKILL.md")
        .link(tree.path("outside/SKILL.md"), "s/lower-out/skill.md")
        .link("nothing", "s/gone/SKILL.md");
    check(
        &tree,
        &["s/good/SKILL.md"],
        &[
            "s/gone/SKILL.md: it is a symbolic link; link the skill's whole folder, or put the file there",
            "s/in/SKILL.md: it is a symbolic link; link the skill's whole folder, or put the file there",
            "s/lower-out/skill.md: it is a symbolic link; link the skill's whole folder, or put the file there",
            "s/out/SKILL.md: it is a symbolic link; link the skill's whole folder, or put the file there",
        ],
    );
}

#[test]
fn links_may_lead_into_the_home_and_the_project() {
    let tree = Tree::new();
    tree.skill("home/dotfiles/pdf", "x")
        .skill("work/shared/csv", "x")
        .skill("elsewhere/xls", "x")
        .mkdir("work/.skills")
        .link(tree.path("home/dotfiles/pdf"), "work/.skills/pdf")
        .link("../shared/csv", "work/.skills/csv")
        .link(tree.path("elsewhere/xls"), "work/.skills/xls");
    let catalog = tree.load();
    assert_eq!(
        tree.found(&catalog),
        ["work/.skills/csv: csv", "work/.skills/pdf: pdf"]
    );
    assert_eq!(
        tree.skipped(&catalog),
        [
            "work/.skills/xls: it is a symbolic link to `elsewhere/xls`, outside every allowed folder"
        ]
    );
}

#[test]
fn a_home_at_the_root_of_the_disk_allows_nothing_more() {
    let tree = Tree::new();
    tree.skill("elsewhere/xls", "x")
        .mkdir("work/.skills")
        .link(tree.path("elsewhere/xls"), "work/.skills/xls");
    let mut settings = tree.settings();
    settings.surroundings.home = Some("/".into());
    assert_eq!(tree.skipped(&Catalog::load(&settings)).len(), 1);
}
