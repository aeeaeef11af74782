//! Layers: who may loosen what.

use skillyard_format::package::Digest;
use skillyard_trust::approval::SkillApproval;
use skillyard_trust::policy::{Layer, Policy, PolicyError, TrustSection};
use skillyard_trust::provenance::{Origin, Provenance};
use skillyard_trust::tier::{Ask, Scripts, TABLE, Tier};
use skillyard_trust::verdict::{NetworkGrant, OptIn, ScriptVerdict, assess};

fn section(text: &str) -> TrustSection {
    toml::from_str(text).unwrap()
}

fn with(layers: &[(Layer, &str)]) -> Result<Policy, PolicyError> {
    let mut layers = layers.iter();
    layers.try_fold(Policy::default(), |policy, (layer, text)| {
        policy.with(*layer, &section(text))
    })
}

fn scripts_of_git(layers: &[(Layer, &str)]) -> Scripts {
    assess(&with(layers).unwrap(), &Provenance::of(Origin::Git)).scripts
}

const LOOSE: &str = "[git]\nscripts = 'sandboxed'";
const STRICT: &str = "[git]\nscripts = 'blocked'";

#[test]
fn organisation_and_user_may_loosen_and_tighten() {
    use Layer::{Org, User};
    assert_eq!(scripts_of_git(&[]), Scripts::SandboxedOffline);
    assert_eq!(scripts_of_git(&[(User, LOOSE)]), Scripts::Sandboxed);
    assert_eq!(
        scripts_of_git(&[(Org, STRICT), (User, LOOSE)]),
        Scripts::Sandboxed
    );
    assert_eq!(
        scripts_of_git(&[(Org, LOOSE), (User, STRICT)]),
        Scripts::Blocked
    );
}

#[test]
fn a_lock_holds_against_loosening_only() {
    use Layer::{Org, User};
    let locked = "lock = ['git']\n[git]\nscripts = 'sandboxed-offline'";
    assert_eq!(
        scripts_of_git(&[(Org, locked), (User, LOOSE)]),
        Scripts::SandboxedOffline
    );
    assert_eq!(
        scripts_of_git(&[(Org, locked), (User, STRICT)]),
        Scripts::Blocked
    );
    let policy = with(&[(Org, locked), (User, LOOSE)]).unwrap();
    let verdict = assess(&policy, &Provenance::of(Origin::Git));
    assert_eq!(
        verdict.reasons[1],
        "`trust.git.scripts` in your configuration has no effect: the organisation locks it"
    );
    assert_eq!(
        with(&[(User, "lock = ['git']")]).unwrap_err(),
        PolicyError::Lock
    );
}

#[test]
fn a_project_can_only_tighten() {
    use Layer::{Project, User};
    assert_eq!(scripts_of_git(&[(Project, STRICT)]), Scripts::Blocked);
    for (field, text) in [
        ("scripts", "scripts = 'sandboxed'"),
        ("tier", "tier = 'high'"),
        ("ask", "ask = 'never'"),
        ("ask", "ask = 'first-run'"),
        ("ask", "ask = 'install'"),
    ] {
        let error = with(&[(Project, &format!("[git]\n{text}"))]).unwrap_err();
        assert_eq!(
            error,
            PolicyError::ProjectLoosens { row: "git", field },
            "{text}"
        );
    }
    // Another question is not a stricter one: it takes the first away.
    let error = with(&[(Project, "[local]\nask = 'install'")]).unwrap_err();
    let expected = PolicyError::ProjectLoosens {
        row: "local",
        field: "ask",
    };
    assert_eq!(error, expected);
    // Not even back to the default.
    let error = with(&[
        (User, STRICT),
        (Project, "[git]\nscripts = 'sandboxed-offline'"),
    ]);
    assert!(error.is_err());
    let policy = with(&[(Project, "[own]\ntier = 'low'\nask = 'first-run'")]).unwrap();
    let verdict = assess(&policy, &Provenance::of(Origin::WrittenHere));
    assert_eq!((verdict.tier, verdict.ask), (Tier::Low, Ask::FirstRun));
}

#[test]
fn nobody_below_makes_a_final_block_one_that_an_approval_lifts() {
    use Layer::{Org, Project, User};
    let opt_in = "[local]\nask = 'opt-in'";
    let blocked = "[local]\nscripts = 'blocked'";
    let locked = "lock = ['local']\n[local]\nscripts = 'blocked'";
    let is_final = |layers: &[(Layer, &str)]| {
        let policy = with(layers).unwrap();
        let local = Provenance::of(Origin::LocalFolder);
        policy.cell(&local).0.is_final_block()
    };
    assert!(is_final(&[(User, blocked), (Project, opt_in)]));
    assert!(is_final(&[(Org, locked), (User, opt_in)]));
    assert!(is_final(&[
        (Org, locked),
        (User, opt_in),
        (Project, opt_in)
    ]));
    // Who made the block may open it, and an opt-in is stricter than a question.
    assert!(!is_final(&[(Org, blocked), (User, opt_in)]));
    assert!(!is_final(&[(Project, opt_in)]));
    let both = "[local]\nscripts = 'blocked'\nask = 'opt-in'";
    assert!(!is_final(&[(Project, both)]));
}

#[test]
fn a_section_with_a_typo_is_refused() {
    for text in [
        "[gti]\nscripts = 'blocked'",
        "[git]\nscript = 'blocked'",
        "[git]\nscripts = 'bloked'",
        "lock = ['gti']",
    ] {
        assert!(toml::from_str::<TrustSection>(text).is_err(), "{text}");
    }
}

#[test]
fn values_that_were_put_together_elsewhere() {
    let policy = Policy::from_keys(
        |key| (key == "trust.git.ask").then(|| ("never".into(), Layer::Org)),
        |_| false,
    );
    let verdict = assess(&policy.unwrap(), &Provenance::of(Origin::Git));
    assert_eq!(
        (verdict.ask, verdict.scripts),
        (Ask::Never, Scripts::SandboxedOffline)
    );
    assert_eq!(
        verdict.reasons[1],
        "`trust.git.ask` is set in the organisation's policy"
    );
    let wrong = Policy::from_keys(
        |key| (key == "trust.git.ask").then(|| ("maybe".into(), Layer::User)),
        |_| false,
    );
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "`trust.git.ask` cannot be `maybe`"
    );
}

/// No network that the organisation locked is given by an approval; what is locked otherwise, and what
/// is not locked, leaves approvals as they are.
#[test]
fn a_locked_row_without_network_stays_without() {
    let approval = SkillApproval {
        name: "pdf".into(),
        digest: Digest::of(b"x"),
        scripts: true,
        network: vec!["example.com".into()],
        tools: Vec::new(),
        approved_at: "2026-01-02T03:04:05Z".into(),
        approved_by: None,
    };
    let value = |key: &str| {
        let is_offline = key == "trust.own.scripts";
        is_offline.then(|| ("sandboxed-offline".into(), Layer::Org))
    };
    let network = |origin: Origin, lock: &str| {
        let policy = Policy::from_keys(value, |key| key.starts_with(lock)).unwrap();
        let verdict = assess(&policy, &Provenance::of(origin));
        match verdict.script(Some(&approval), OptIn::Yes) {
            ScriptVerdict::Run { network, .. } => network,
            other => panic!("{other:?}"),
        }
    };
    let approved = approval.network.clone();
    let only = |hosts: &[String]| NetworkGrant::Only(hosts.to_vec());
    assert_eq!(network(Origin::WrittenHere, "trust.own.scripts"), only(&[]));
    assert_eq!(network(Origin::WrittenHere, "trust."), only(&[]));
    assert_eq!(network(Origin::WrittenHere, "trust.git"), only(&approved));
    assert_eq!(network(Origin::Git, "trust.git.scripts"), only(&[]));
    let asked = NetworkGrant::Asked(approved);
    assert_eq!(network(Origin::LocalFolder, "trust."), asked);
}

#[test]
fn the_table_goes_from_trusted_to_untrusted() {
    assert!(TABLE.is_sorted_by_key(|(_, cell)| std::cmp::Reverse(cell.tier)));
    assert!(TABLE.is_sorted_by_key(|(row, _)| *row));
}
