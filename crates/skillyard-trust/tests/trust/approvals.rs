//! `approvals.toml` as text and as values.

use std::path::Path;

use skillyard_format::package::Digest;
use skillyard_trust::approval::{
    ApprovalChange, Approvals, SkillApproval, TrustedFolder, edit, is_host,
};

fn approval(content: &[u8]) -> SkillApproval {
    SkillApproval {
        name: "pdf".into(),
        digest: Digest::of(content),
        scripts: true,
        network: vec!["example.com".into()],
        tools: vec!["Bash(git:*)".into()],
        approved_at: "2026-01-02T03:04:05Z".into(),
        approved_by: Some("ada \"x\"\n[[skill]]".into()),
    }
}

#[test]
fn what_is_written_is_read() {
    let approval = approval(b"x");
    let text = edit("", &ApprovalChange::ApproveSkill(&approval))
        .unwrap()
        .unwrap();
    assert_eq!(
        Approvals::parse(&text).unwrap().skills,
        std::slice::from_ref(&approval)
    );
    let folder = Path::new("/a \"b\"");
    let trusted = TrustedFolder {
        path: folder.to_owned(),
        identity: Some(Digest::of(b"this one")),
        owner: Some(1000),
    };
    let trust = |text: &str, folder: &TrustedFolder| {
        edit(text, &ApprovalChange::TrustFolder(folder)).unwrap()
    };
    let text = trust(&text, &trusted).unwrap();
    let approvals = Approvals::parse(&text).unwrap();
    assert_eq!(approvals.folders, std::slice::from_ref(&trusted));
    assert_eq!(approvals.skills, [approval]);
    assert_eq!(trust(&text, &trusted), None);
    // Another one in its place is trusted instead of it.
    let other = TrustedFolder {
        identity: Some(Digest::of(b"another one")),
        ..trusted
    };
    let text = trust(&text, &other).unwrap();
    assert_eq!(Approvals::parse(&text).unwrap().folders, [other]);
    let text = edit(&text, &ApprovalChange::RevokeSkill("pdf"))
        .unwrap()
        .unwrap();
    assert_eq!(Approvals::parse(&text).unwrap().skills, []);
    assert_eq!(
        edit(&text, &ApprovalChange::RevokeSkill("pdf")).unwrap(),
        None
    );
    let text = edit(&text, &ApprovalChange::RevokeFolder(folder))
        .unwrap()
        .unwrap();
    assert_eq!(Approvals::parse(&text).unwrap(), Approvals::default());
}

#[test]
fn a_folder_is_trusted_and_none_that_takes_its_place() {
    let (this, other) = (Digest::of(b"this one"), Digest::of(b"another one"));
    let old = "[[folder]]\npath = \"/p\"\n";
    let new = format!("{old}identity = \"{this}\"\nowner = 7\n");
    let folder = |text: &str| Approvals::parse(text).unwrap().folders.remove(0);
    let (old, new) = (folder(old), folder(&new));
    assert!(new.is_same(Some(&this)) && !new.is_same(Some(&other)) && !new.is_same(None));
    assert!(old.is_same(Some(&this)) && old.is_same(None));
    let user = 5;
    for (owner, by_old, by_new) in [
        (user, true, true),
        (0, true, true),
        (7, false, true),
        (8, false, false),
    ] {
        assert_eq!(old.admits(owner, user), by_old, "{owner}");
        assert_eq!(new.admits(owner, user), by_new, "{owner}");
    }
    assert!(Approvals::parse("[[folder]]\npath = \"/p\"\nidentity = \"x\"\n").is_err());
}

#[test]
fn an_approval_is_for_these_bytes_and_this_name() {
    let mut text = edit("", &ApprovalChange::ApproveSkill(&approval(b"x")))
        .unwrap()
        .unwrap();
    let approvals = Approvals::parse(&text).unwrap();
    assert!(approvals.of("pdf", &Digest::of(b"x")).is_some());
    assert!(approvals.of("pdf", &Digest::of(b"y")).is_none());
    assert!(approvals.of("csv", &Digest::of(b"x")).is_none());
    // Another version is approved beside it; the same one again takes its place.
    for content in [b"y", b"x"] {
        text = edit(&text, &ApprovalChange::ApproveSkill(&approval(content)))
            .unwrap()
            .unwrap();
    }
    assert_eq!(Approvals::parse(&text).unwrap().skills.len(), 2);
}

#[test]
fn edits_keep_what_else_is_there() {
    let text = "# mine\n[[folder]]\npath = \"/a\" # work\n";
    let text = edit(text, &ApprovalChange::ApproveSkill(&approval(b"x")))
        .unwrap()
        .unwrap();
    assert!(
        text.starts_with("# mine\n[[folder]]\npath = \"/a\" # work\n"),
        "{text}"
    );
}

#[test]
fn what_is_not_understood_is_refused_and_left_alone() {
    let skill = |line: &str| {
        let digest = Digest::of(b"x");
        format!("[[skill]]\nname = 'a'\ndigest = '{digest}'\napproved_at = 't'\n{line}\n")
    };
    assert!(Approvals::parse(&skill("scripts = true")).is_ok());
    for text in [
        "folder = 3".to_owned(),
        "skill = 'pdf'".to_owned(),
        "[[skill]]\nname = 'a'".to_owned(),
        skill("only_on = 'monday'"),
        skill("scripts = 'yes'"),
        skill("network = ['*']"),
        skill("network = ['https://a']"),
        skill("").replace("sha256:", "md5:"),
        skill("").replace("sha256:", "sha256:00"),
        "[[skill".to_owned(),
        "#".repeat(5 * 1024 * 1024),
    ] {
        let shown = &text[..text.len().min(120)];
        assert!(Approvals::parse(&text).is_err(), "{shown}");
        assert!(
            edit(&text, &ApprovalChange::RevokeSkill("a")).is_err(),
            "{shown}"
        );
    }
}

#[test]
fn hosts() {
    for host in ["example.com", "a", "localhost:8080", "10.0.0.1", "a-b.c"] {
        assert!(is_host(host), "{host}");
    }
    for host in [
        "",
        "*",
        "*.a.com",
        "https://a",
        "a/b",
        "a b",
        "-a",
        "a-",
        "a..b",
        "a:",
        "a:0",
        "a:x",
        ".a",
        "é.com",
    ] {
        assert!(!is_host(host), "{host}");
    }
}
