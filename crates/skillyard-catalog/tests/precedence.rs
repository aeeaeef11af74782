//! Which skill wins: every preset reproduces the order that its runtime documents.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/tree.rs"]
mod tree;

use std::collections::BTreeMap;

use proptest::prelude::*;
use skillyard_catalog::selection::{Layer, NamePattern, Selection};
use skillyard_catalog::source::SourceOrder;
use skillyard_catalog::source::{OrgFolder, SourceKind};
use skillyard_catalog::surroundings::{PRESETS, Preset, Surroundings};
use skillyard_catalog::{Catalog, CatalogSettings, ProjectTrust, Status};
use tree::Tree;

/// A name that a skill inside the binary has too.
const NAME: &str = "skill-review";
const BUILTIN: &str = "builtin";

/// A repository at `work/repo` with the user two folders down, and places of every kind around it.
fn settings(tree: &Tree, preset: Preset) -> CatalogSettings {
    let org = |path: &str, pinned| OrgFolder {
        path: tree.path(path),
        pinned,
    };
    CatalogSettings {
        surroundings: Surroundings {
            current: tree.path("work/repo/a/b"),
            org: vec![org("org/loose", false), org("org/pinned", true)],
            extra: vec![tree.path("extra/one"), tree.path("extra/two")],
            preset,
            ..tree.settings().surroundings
        },
        ..tree.settings()
    }
}

/// Plants one name with different content in all `places`, in this order of precedence, and
/// removes the winner until nothing is left.
fn check(preset: Preset, places: &[&str]) {
    let tree = Tree::new();
    tree.mkdir("work/repo/.git").mkdir("work/repo/a/b");
    let on_disk = || places.iter().filter(|place| **place != BUILTIN);
    for place in on_disk() {
        tree.skill(&format!("{place}/{NAME}"), place);
    }
    // Above the repository nobody looks.
    for folder in [".skills", ".agents/skills", ".claude/skills"] {
        tree.skill(&format!("work/{folder}/{NAME}"), "above the repository");
    }
    let mut left = places.to_vec();
    while !left.is_empty() {
        let catalog = Catalog::load(&settings(&tree, preset));
        let winner = catalog.find(NAME).unwrap();
        let losers = catalog.shadowed.iter().map(|each| &each.skill);
        let order: Vec<&str> = [winner]
            .into_iter()
            .chain(losers)
            .map(|skill| match skill.kind {
                SourceKind::Builtin => BUILTIN,
                _ => skill.record.description.as_str(),
            })
            .collect();
        assert_eq!(order, left);
        for loser in &catalog.shadowed {
            assert_eq!(loser.winner, winner.record.folder);
        }
        if left[0] == BUILTIN {
            // What is inside the binary stays, so it is taken out of the list by hand.
            break;
        }
        tree.remove(&format!("{}/{NAME}", left.remove(0)));
    }
}

#[test]
fn default_order() {
    check(
        Preset::Default,
        &[
            "org/pinned",
            "work/repo/a/b/.skills",
            "work/repo/a/b/.agents/skills",
            "work/repo/a/b/.claude/skills",
            "work/repo/a/b/.augment/skills",
            "work/repo/a/.skills",
            "work/repo/a/.agents/skills",
            "work/repo/a/.claude/skills",
            "work/repo/.skills",
            "work/repo/.agents/skills",
            "work/repo/.claude/skills",
            "work/repo/.augment/skills",
            "home/.agents/skills",
            "home/.skillyard/skills",
            "home/.claude/skills",
            "home/.augment/skills",
            "extra/one",
            "extra/two",
            "org/loose",
            BUILTIN,
        ],
    );
}

#[test]
fn agent_harness_order() {
    check(
        Preset::AgentHarness,
        &[
            "org/pinned",
            "home/.agent/plugins",
            "work/repo/a/b/.agent/skills",
            "work/repo/a/.agent/skills",
            "work/repo/.agent/skills",
            "work/repo/a/b/.claude/skills",
            "work/repo/a/.claude/skills",
            "work/repo/.claude/skills",
            "home/.agent/skills",
            "extra/one",
            "extra/two",
            "org/loose",
            BUILTIN,
        ],
    );
}

#[test]
fn remcochat_order() {
    check(
        Preset::Remcochat,
        &[
            "org/pinned",
            "work/repo/.skills",
            "work/repo/a/b/.agents/skills",
            "work/repo/a/.agents/skills",
            "work/repo/.agents/skills",
            "home/.agents/skills",
            "home/.remcochat/skills",
            "extra/one",
            "extra/two",
            "org/loose",
            BUILTIN,
        ],
    );
}

#[test]
fn claude_code_order() {
    check(
        Preset::ClaudeCode,
        &[
            "org/pinned",
            "home/.claude/skills",
            "work/repo/a/b/.claude/skills",
            "work/repo/a/.claude/skills",
            "work/repo/.claude/skills",
            "extra/one",
            "extra/two",
            "org/loose",
            BUILTIN,
        ],
    );
}

#[test]
fn keep_up_order() {
    const PINNED: &str = "org/pinned";
    const REST: [&str; 7] = [
        "org/loose",
        "home/.keep-up/skills",
        "work/repo/a/b/.keep-up/skills",
        "work/repo/a/.keep-up/skills",
        "work/repo/.keep-up/skills",
        "extra/one",
        "extra/two",
    ];
    // What is inside the binary wins here, so the others are told apart by another name.
    check(Preset::KeepUp, &[&[PINNED, BUILTIN], &REST[..]].concat());
    let tree = Tree::new();
    tree.mkdir("work/repo/.git").mkdir("work/repo/a/b");
    for place in REST {
        tree.skill(&format!("{place}/mine"), place);
    }
    for place in REST {
        let catalog = Catalog::load(&settings(&tree, Preset::KeepUp));
        assert_eq!(catalog.find("mine").unwrap().record.description, place);
        tree.remove(&format!("{place}/mine"));
    }
}

#[test]
fn an_order_of_ones_own() {
    let order = |words: &[&str]| Preset::Own(SourceOrder::new(words.iter().copied()).unwrap());
    check(
        order(&["user", "org", "project"]),
        &[
            "org/pinned",
            "home/.agents/skills",
            "home/.skillyard/skills",
            "home/.claude/skills",
            "home/.augment/skills",
            "org/loose",
            "work/repo/a/b/.skills",
            "work/repo/a/.agents/skills",
            "work/repo/.claude/skills",
            "extra/one",
            "extra/two",
            BUILTIN,
        ],
    );
    // Nothing comes before what is pinned, be it named first.
    check(
        order(&["builtin", "extra"]),
        &["org/pinned", BUILTIN, "extra/one", "work/repo/.skills"],
    );
    assert_eq!(
        order(&["user"]).to_string(),
        "user,project,extra,org,builtin"
    );
}

#[test]
fn every_preset_has_a_name_and_needs_no_folder() {
    for (name, preset) in PRESETS {
        assert_eq!(preset.to_string(), name);
        let tree = Tree::new();
        let catalog = Catalog::load(&settings(&tree, preset));
        assert_eq!(catalog.skills.len(), 4, "{name}");
        assert!(catalog.skipped.is_empty() && catalog.shadowed.is_empty());
    }
}

#[test]
fn a_folder_is_one_source_however_often_it_is_named() {
    let tree = Tree::new();
    tree.skill("home/.claude/skills/pdf", "mine");
    let mut settings = tree.settings();
    settings.surroundings.extra = vec![tree.path("home/.claude/skills"); 2];
    let catalog = Catalog::load(&settings);
    assert_eq!(catalog.find("pdf").unwrap().kind, SourceKind::User);
    assert!(catalog.shadowed.is_empty());
}

#[test]
fn the_home_directory_is_no_project() {
    let tree = Tree::new();
    tree.skill("home/.agents/skills/pdf", "mine");
    let mut settings = tree.settings();
    settings.surroundings.current = tree.path("home");
    settings.project_trust = ProjectTrust::Untrusted;
    tree.link("home", "link");
    // `HOME` may name it through a link, which the working directory never does.
    for home in ["home", "link"] {
        settings.surroundings.home = Some(tree.path(home));
        let catalog = Catalog::load(&settings);
        let skill = catalog.find("pdf").unwrap();
        assert_eq!(
            (skill.kind, &skill.status),
            (SourceKind::User, &Status::Enabled)
        );
    }
}

#[test]
fn a_relative_folder_is_the_projects() {
    let tree = Tree::new();
    tree.mkdir("work/repo/.git").mkdir("work/repo/a/b");
    tree.skill("work/repo/vendor/pdf", "at the root");
    tree.skill("work/repo/a/b/vendor/csv", "at the working directory");
    tree.skill("home/vendor/own", "at home");
    let with = |current: &str| CatalogSettings {
        surroundings: Surroundings {
            current: tree.path(current),
            extra: vec!["vendor".into()],
            ..tree.settings().surroundings
        },
        project_trust: ProjectTrust::Untrusted,
        ..tree.settings()
    };
    let catalog = Catalog::load(&with("work/repo/a/b"));
    assert!(catalog.find("csv").is_none());
    let pdf = catalog.find("pdf").unwrap();
    assert_eq!(
        (pdf.kind, &pdf.status),
        (SourceKind::Project, &Status::Untrusted)
    );
    let catalog = Catalog::load(&with("home"));
    assert_eq!(catalog.find("own").unwrap().status, Status::Enabled);
}

#[test]
fn without_a_repository_the_folder_that_skills_are_installed_in_is_the_root() {
    let tree = Tree::new();
    tree.mkdir("work/n/sub").write("work/n/skills.toml", "");
    tree.skill("work/n/.agents/skills/pdf", "of the project");
    let surroundings = || Surroundings {
        current: tree.path("work/n/sub"),
        ..tree.settings().surroundings
    };
    assert_eq!(surroundings().project_root(), tree.path("work/n"));
    assert_eq!(surroundings().install_root(), Some(&*tree.path("work/n")));
    let reads = |surroundings: Surroundings| {
        let folder = tree.path("work/n/.agents/skills");
        let mut sources = surroundings.sources().into_iter();
        sources.any(|source| source.root == folder)
    };
    assert!(reads(surroundings()));
    // Only root can give a file to somebody else.
    let nobody = Some(65534);
    if std::os::unix::fs::chown(tree.path("work/n/skills.toml"), nobody, None).is_ok() {
        assert_eq!(surroundings().project_root(), tree.path("work/n/sub"));
        assert_eq!(surroundings().install_root(), None);
        assert!(!reads(surroundings()));
        tree.mkdir("work/n/.git");
        assert_eq!(surroundings().install_root(), Some(&*tree.path("work/n")));
    }
}

#[test]
fn an_identical_copy_is_the_same_skill_twice() {
    let tree = Tree::new();
    for folder in ["work/.skills", "home/.agents/skills", "home/.claude/skills"] {
        tree.skill(&format!("{folder}/pdf"), "one text");
        tree.write(&format!("{folder}/pdf/references/a.md"), "a");
    }
    assert!(tree.load().shadowed.is_empty());
    // One other byte in any file makes another skill of it.
    tree.write("home/.claude/skills/pdf/references/a.md", "b");
    let shadowed = tree.load().shadowed;
    assert_eq!(shadowed.len(), 1);
    assert_eq!(
        shadowed[0].skill.record.folder,
        tree.path("home/.claude/skills/pdf")
    );
}

#[test]
fn within_a_source_the_path_decides() {
    let tree = Tree::new();
    tree.write("work/.skills/b/SKILL.md", tree::skill("pdf", "of b"))
        .write("work/.skills/a/deep/SKILL.md", tree::skill("pdf", "of a"));
    let catalog = tree.load();
    assert_eq!(catalog.find("pdf").unwrap().record.description, "of a");
    assert_eq!(catalog.shadowed.len(), 1);
}

/// An untrusted project that has skills of the user's names.
fn untrusted(tree: &Tree) -> Catalog {
    Catalog::load(&CatalogSettings {
        project_trust: ProjectTrust::Untrusted,
        ..tree.settings()
    })
}

#[test]
fn an_untrusted_project_takes_no_skill_out_of_prompts() {
    let tree = Tree::new();
    tree.skill("work/.skills/pdf", "evil")
        .skill("home/.agents/skills/pdf", "mine")
        .skill("work/.skills/csv", "the same")
        .skill("home/.claude/skills/csv", "the same")
        .skill("work/.skills/only", "of the project");
    let catalog = untrusted(&tree);
    let listed: BTreeMap<_, _> = catalog
        .skills
        .iter()
        .filter(|skill| skill.kind != SourceKind::Builtin)
        .map(|skill| (skill.record.name.as_str(), skill.status.as_str()))
        .collect();
    assert_eq!(
        listed.into_iter().collect::<Vec<_>>(),
        [
            ("csv", "untrusted"),
            ("only", "untrusted"),
            ("pdf", "untrusted")
        ]
    );
    let in_prompts: Vec<_> = catalog
        .enabled()
        .filter(|skill| skill.kind != SourceKind::Builtin)
        .map(|skill| tree.relative(skill.record.folder.to_str().unwrap()))
        .collect();
    assert_eq!(
        in_prompts,
        ["home/.claude/skills/csv", "home/.agents/skills/pdf"]
    );
}

#[test]
fn the_strongest_trusted_skill_stands_in() {
    let tree = Tree::new();
    tree.skill("work/.skills/pdf", "copied")
        .skill("home/.agents/skills/pdf", "copied")
        .skill("home/.claude/skills/pdf", "other");
    let catalog = untrusted(&tree);
    let stand_in = catalog.fallback_for_untrusted("pdf").unwrap();
    assert_eq!(stand_in.record.folder, tree.path("home/.agents/skills/pdf"));
    assert!(catalog.fallback_for_untrusted("csv").is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever places have a skill, the first of the order has it, and each other is a loser.
    #[test]
    fn the_first_place_wins(present in proptest::sample::subsequence(
        vec!["work/.skills", "work/.agents/skills", "work/.claude/skills", "home/.agents/skills", "home/.skillyard/skills", "home/.claude/skills"], 1..6
    )) {
        let tree = Tree::new();
        for place in present.iter().rev() {
            tree.skill(&format!("{place}/pdf"), place);
        }
        let catalog = tree.load();
        prop_assert_eq!(&catalog.find("pdf").unwrap().record.description, present[0]);
        let losers: Vec<_> = catalog.shadowed.iter().map(|each| each.skill.record.description.as_str()).collect();
        prop_assert_eq!(losers, &present[1..]);
    }
}

fn patterns() -> impl Strategy<Value = Vec<NamePattern>> {
    let pattern = "[ab]{1,2}|[ab]\\*|\\*[ab]|\\*|[ab]\\?|\\{a,b\\}|\\[ab\\]";
    proptest::collection::vec(pattern, 0..3).prop_map(|texts| {
        texts
            .iter()
            .map(|text| NamePattern::new(text).unwrap())
            .collect()
    })
}

fn layer() -> impl Strategy<Value = Layer> {
    (patterns(), patterns(), patterns(), patterns()).prop_map(|(enabled, disabled, allow, deny)| {
        Layer {
            name: "any".into(),
            enabled,
            disabled,
            allow,
            deny,
        }
    })
}

proptest! {
    /// A layer that switches nothing on can only narrow, whatever the others say.
    #[test]
    fn a_project_only_narrows(user in layer(), project in layer(), flags in layer(), name in "[abc]{1,2}") {
        let against = |layers: Vec<Layer>| Selection { layers }.reason_against(&name);
        let without = against(vec![user.clone(), flags.clone()]);
        let project = Layer { enabled: Vec::new(), ..project };
        let with = against(vec![user, project, flags]);
        prop_assert!(without.is_none() || with.is_some());
    }

    /// What any layer denies stays out, wherever the layer stands.
    #[test]
    fn a_denial_is_final(mut layers in proptest::collection::vec(layer(), 0..3), at: prop::sample::Index, name in "[abc]{1,2}") {
        let deny = vec![NamePattern::new(&name).unwrap()];
        layers.insert(at.index(layers.len() + 1), Layer { deny, ..Layer::default() });
        let selection = Selection { layers };
        prop_assert!(selection.reason_against(&name).is_some());
    }
}

/// What a host leaves out must not become a folder of wherever its process runs.
#[test]
fn what_is_believed_is_named_by_its_whole_path() {
    let tree = Tree::new();
    for (_, preset) in PRESETS {
        let surroundings = Surroundings {
            current: tree.path("work"),
            org: vec![OrgFolder {
                path: "org".into(),
                pinned: true,
            }],
            preset,
            ..Surroundings::default()
        };
        let sources = surroundings.sources();
        let believed = sources
            .iter()
            .filter(|source| !matches!(source.kind, SourceKind::Project | SourceKind::Builtin));
        let believed: Vec<_> = believed.map(|source| &source.root).collect();
        assert!(believed.is_empty(), "{believed:?}");
    }
}

#[test]
fn a_folder_of_an_agent_that_has_no_root_is_not_read() {
    let tree = Tree::new();
    let mut settings = tree.settings();
    for folder in ["cc", "../cc", ""] {
        let named = ("CLAUDE_CONFIG_DIR".to_owned(), folder.into());
        settings.surroundings.agent_variables = [named].into();
        let sources = settings.surroundings.sources();
        let roots = sources
            .iter()
            .filter(|each| each.kind != SourceKind::Builtin);
        let mut roots = roots.map(|each| &each.root);
        assert!(roots.all(|root| root.is_absolute()), "{folder}");
    }
}
