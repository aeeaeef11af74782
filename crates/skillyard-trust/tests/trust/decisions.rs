//! From where a skill comes to what it may do.

use skillyard_format::package::Digest;
use skillyard_trust::approval::SkillApproval;
use skillyard_trust::policy::{Layer, Policy, TrustSection};
use skillyard_trust::provenance::{Origin, Provenance};
use skillyard_trust::tier::{Ask, Cell, Scripts, Tier};
use skillyard_trust::verdict::{NetworkGrant, OptIn, Remedy, ScriptVerdict, assess};

const ALL: [Origin; 12] = [
    Origin::Builtin,
    Origin::Org,
    Origin::WrittenHere,
    Origin::Registry,
    Origin::LocalFolder,
    Origin::LocalArchive,
    Origin::ProjectTrusted,
    Origin::Git,
    Origin::HttpsArchive,
    Origin::WellKnown,
    Origin::Mcp,
    Origin::ProjectUntrusted,
];

fn approval(scripts: bool, network: &[&str]) -> SkillApproval {
    SkillApproval {
        name: "pdf".into(),
        digest: Digest::of(b"x"),
        scripts,
        network: network.iter().map(|host| (*host).into()).collect(),
        tools: Vec::new(),
        approved_at: "2026-01-02T03:04:05Z".into(),
        approved_by: Some("ada".into()),
    }
}

fn answer(
    policy: &Policy,
    origin: Origin,
    approval: Option<&SkillApproval>,
    opt_in: OptIn,
) -> &'static str {
    let verdict = assess(policy, &Provenance::of(origin));
    match verdict.script(approval, opt_in) {
        ScriptVerdict::Run { .. } => "run",
        ScriptVerdict::Ask { .. } => "ask",
        ScriptVerdict::Blocked { .. } => "blocked",
    }
}

#[test]
fn the_table() {
    let policy = Policy::default();
    for (origin, tier, plain, opted_in, approved) in [
        (Origin::Builtin, Tier::High, "run", "run", "run"),
        (Origin::Org, Tier::High, "run", "run", "run"),
        (Origin::WrittenHere, Tier::High, "run", "run", "run"),
        (Origin::Registry, Tier::Medium, "run", "run", "run"),
        (Origin::LocalFolder, Tier::Medium, "ask", "run", "run"),
        (Origin::LocalArchive, Tier::Medium, "ask", "run", "run"),
        (Origin::ProjectTrusted, Tier::Medium, "ask", "run", "run"),
        (Origin::Git, Tier::Low, "ask", "run", "run"),
        // The global opt-in answers questions and lifts no block.
        (
            Origin::HttpsArchive,
            Tier::Untrusted,
            "blocked",
            "blocked",
            "run",
        ),
        (
            Origin::WellKnown,
            Tier::Untrusted,
            "blocked",
            "blocked",
            "run",
        ),
        (Origin::Mcp, Tier::Untrusted, "blocked", "blocked", "run"),
        // Only trust in the project lifts this one.
        (
            Origin::ProjectUntrusted,
            Tier::Untrusted,
            "blocked",
            "blocked",
            "blocked",
        ),
    ] {
        let yes = approval(true, &[]);
        assert_eq!(
            assess(&policy, &Provenance::of(origin)).tier,
            tier,
            "{origin:?}"
        );
        assert_eq!(
            answer(&policy, origin, None, OptIn::No),
            plain,
            "{origin:?}"
        );
        assert_eq!(
            answer(&policy, origin, None, OptIn::Yes),
            opted_in,
            "{origin:?}"
        );
        assert_eq!(
            answer(&policy, origin, Some(&yes), OptIn::No),
            approved,
            "{origin:?}"
        );
    }
    let signed = Provenance {
        signer: Some("key".into()),
        ..Provenance::of(Origin::Registry)
    };
    assert_eq!(assess(&policy, &signed).tier, Tier::High);
}

#[test]
fn an_approval_of_something_else_approves_no_scripts() {
    let hosts = approval(false, &["example.com"]);
    let policy = Policy::default();
    assert_eq!(
        answer(&policy, Origin::HttpsArchive, Some(&hosts), OptIn::Yes),
        "blocked"
    );
    assert_eq!(answer(&policy, Origin::Git, Some(&hosts), OptIn::No), "ask");
}

#[test]
fn network() {
    let policy = Policy::default();
    let network = |origin, approval: &SkillApproval| match assess(&policy, &Provenance::of(origin))
        .script(Some(approval), OptIn::No)
    {
        ScriptVerdict::Run { network, .. } => network,
        other => panic!("{other:?}"),
    };
    let none = approval(true, &[]);
    let host = approval(true, &["example.com"]);
    let asked = ["example.com".to_owned(), "evil.org".to_owned()];
    assert_eq!(network(Origin::WrittenHere, &none).refused(&asked), [""; 0]);
    assert_eq!(
        network(Origin::Git, &none).refused(&asked),
        ["example.com", "evil.org"]
    );
    assert_eq!(network(Origin::Git, &host).refused(&asked), ["evil.org"]);
    assert_eq!(
        network(Origin::Mcp, &host),
        NetworkGrant::Only(vec!["example.com".into()])
    );
}

#[test]
fn every_answer_says_why() {
    for origin in ALL {
        let provenance = Provenance {
            url: Some("https://example.com/pdf.zip".into()),
            ..Provenance::of(origin)
        };
        let verdict = assess(&Policy::default(), &provenance);
        assert!(verdict.reasons[0].contains("https://example.com/pdf.zip"));
        let (ScriptVerdict::Run { reason, .. }
        | ScriptVerdict::Ask { reason, .. }
        | ScriptVerdict::Blocked { reason, .. }) = verdict.script(None, OptIn::No);
        assert!(reason.contains("it comes from"), "{reason}");
    }
}

#[test]
fn remedies() {
    let remedy = |policy: &Policy, origin| match assess(policy, &Provenance::of(origin))
        .script(None, OptIn::Yes)
    {
        ScriptVerdict::Blocked { remedy, .. } => remedy,
        other => panic!("{other:?}"),
    };
    let policy = Policy::default();
    assert_eq!(remedy(&policy, Origin::Mcp), Remedy::ApproveSkill);
    assert_eq!(
        remedy(&policy, Origin::ProjectUntrusted),
        Remedy::TrustProject
    );
    let section: TrustSection =
        toml::from_str("[git]\nscripts = 'blocked'\n[own]\nask = 'opt-in'").unwrap();
    let policy = policy.with(Layer::Org, &section).unwrap();
    assert_eq!(remedy(&policy, Origin::Git), Remedy::None);
    assert_eq!(remedy(&policy, Origin::WrittenHere), Remedy::ApproveSkill);
}

#[test]
fn provenance_is_written_and_read() {
    let provenance = Provenance {
        url: Some("https://github.com/a/b".into()),
        revision: Some("0123".into()),
        ..Provenance::of(Origin::Git)
    };
    let text = serde_json::to_string(&provenance).unwrap();
    assert_eq!(
        text,
        r#"{"origin":"git","url":"https://github.com/a/b","revision":"0123"}"#
    );
    assert_eq!(
        serde_json::from_str::<Provenance>(&text).unwrap(),
        provenance
    );
    let words: Vec<String> = ALL
        .iter()
        .map(|origin| serde_json::to_string(origin).unwrap().replace('"', ""))
        .collect();
    assert_eq!(
        words.join(" "),
        "builtin org written-here registry local-folder local-archive project-trusted git \
         https-archive well-known mcp project-untrusted"
    );
    assert!(serde_json::from_str::<Provenance>(r#"{"origin":"own"}"#).is_err());
}

#[test]
fn of_two_rows_the_tighter_counts_in_each_column() {
    let asks = [
        Ask::Never,
        Ask::FirstRun,
        Ask::Install,
        Ask::InstallAndFirstRun,
        Ask::OptIn,
    ];
    let scripts = [
        Scripts::Sandboxed,
        Scripts::SandboxedOffline,
        Scripts::Blocked,
    ];
    let cells = asks.into_iter().flat_map(|ask| {
        scripts.into_iter().flat_map(move |scripts| {
            [Tier::Untrusted, Tier::High].map(|tier| Cell { tier, scripts, ask })
        })
    });
    let cells: Vec<Cell> = cells.collect();
    for one in &cells {
        assert_eq!(one.tightened_by(*one), *one);
        for other in &cells {
            let both = one.tightened_by(*other);
            assert_eq!(both, other.tightened_by(*one));
            for each in [one, other] {
                let shown = format!("{one:?} {other:?} {both:?}");
                assert!(
                    both.tier <= each.tier && both.scripts >= each.scripts,
                    "{shown}"
                );
                let is_final = both.is_final_block();
                assert!(is_final || !each.is_final_block(), "{shown}");
                assert!(is_final || both.ask.is_as_strict_as(each.ask), "{shown}");
            }
        }
    }
}
