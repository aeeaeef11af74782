use std::cell::Cell;
use std::sync::Mutex;

use super::*;
use crate::candidate::{Candidate, CandidateSource};
use crate::change_audit::ChangeOutcome;
use crate::origin::{Origin, OriginKind};
use crate::plan::OnConflict;
use crate::tree::{TreeFile, TreeLimits};
use crate::under_way::{is_under_way, puts};

const TARGET: &str = ".agents/skills";

/// What was written down, in order.
#[derive(Default)]
struct Told {
    lines: Mutex<Vec<&'static str>>,
    is_full: bool,
}

impl Told {
    fn tell(&self, line: &'static str) -> Result<(), TransactionError> {
        self.lines.lock().unwrap().push(line);
        if self.is_full {
            return Err(disk(Path::new("log"), io::ErrorKind::StorageFull.into()));
        }
        Ok(())
    }

    fn lines(&self) -> Vec<&'static str> {
        self.lines.lock().unwrap().clone()
    }
}

impl ChangeAudit<TransactionError> for Told {
    fn note(&self) -> String {
        "a note".to_owned()
    }

    fn happens(&self) -> Result<(), TransactionError> {
        self.tell("happens")
    }

    fn undone(&self, _: &io::Error) -> Result<(), TransactionError> {
        self.tell("undone")
    }
}

/// A project, its home, and one skill to install.
struct Lab {
    _folder: tempfile::TempDir,
    scope: Scope,
    store: Store,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        std::fs::create_dir(&project).unwrap();
        Self {
            scope: Scope::project(&project, &home),
            store: Store::new(&home.join("store")),
            _folder: folder,
        }
    }

    fn place(&self) -> PathBuf {
        self.scope.target(TARGET).join("pdf")
    }

    /// Installs the skill; `meanwhile` happens while it is checked for the last time.
    fn install(&self, told: &Told, meanwhile: impl FnOnce()) -> Result<(), TransactionError> {
        self.install_version("one", told, meanwhile)
    }

    fn install_version(
        &self,
        version: &str,
        told: &impl ChangeAudit<TransactionError>,
        meanwhile: impl FnOnce(),
    ) -> Result<(), TransactionError> {
        let skill = skill(version);
        let wish = DesiredState {
            present: vec![skill.locked(vec![TARGET.to_owned()])],
            ..DesiredState::default()
        };
        let trees = Trees::from([(skill.tree.digest(), Arc::clone(&skill.tree))]);
        let records = Records::default();
        let nobody = |_: &str, _: ChangeOutcome<'_>| Ok(());
        let mut transaction = Transaction::begin(&self.scope, &self.store, &records, &nobody)?;
        let manifest = transaction.manifest(&records)?.unwrap();
        manifest.put("pdf", &format!("./pdf-{version}"));
        let plan = transaction.plan(&wish, &ConflictPolicy::from(OnConflict::Report));
        let check = || {
            meanwhile();
            Ok(())
        };
        transaction.commit(&plan, &trees, check, told)
    }
}

/// The skill in a version.
fn skill(version: &str) -> Candidate {
    let text = format!("---\nname: pdf\ndescription: Use it.\n---\n{version}\n");
    let file = TreeFile {
        path: "SKILL.md".to_owned(),
        executable: false,
        bytes: text.into_bytes(),
    };
    let found = CandidateSource {
        source: "./pdf".to_owned(),
        requested: None,
        path: String::new(),
        folder: None,
        origin: Origin {
            kind: OriginKind::LocalFolder,
            url: "./pdf".to_owned(),
            commit: None,
            version: None,
        },
    };
    Candidate::new(Tree::new(vec![file]).unwrap(), found).unwrap()
}

/// Somebody who looks at the folder before the change has ended.
struct Onlooker<'a> {
    lab: &'a Lab,
    sees: Mutex<Vec<bool>>,
}

impl Onlooker<'_> {
    fn look(&self) {
        let versions = ["one", "two", "other"].map(|version| skill(version).tree.digest());
        let (scope, place) = (&self.lab.scope, self.lab.place());
        let put = versions.map(|digest| is_under_way(scope, &place, digest));
        self.sees.lock().unwrap().extend(put);
    }
}

impl ChangeAudit<TransactionError> for Onlooker<'_> {
    fn note(&self) -> String {
        String::new()
    }

    fn happens(&self) -> Result<(), TransactionError> {
        self.look();
        Ok(())
    }

    fn undone(&self, _: &io::Error) -> Result<(), TransactionError> {
        Ok(())
    }
}

#[test]
fn a_change_that_is_under_way_is_no_edit() {
    let (lab, told) = (Lab::new(), Told::default());
    lab.install(&told, || {}).unwrap();
    let onlooker = Onlooker {
        lab: &lab,
        sees: Mutex::default(),
    };
    lab.install_version("two", &onlooker, || {}).unwrap();
    assert_eq!(*onlooker.sees.lock().unwrap(), [false, true, false]);
    onlooker.look();
    let seen = onlooker.sees.lock().unwrap().split_off(3);
    assert_eq!(seen, [false, false, false]);
    // Whoever read the lock before that finds it there.
    let is_put = |version: &str| puts(&lab.scope, &lab.place(), skill(version).tree.digest());
    assert!(is_put("two") && !is_put("one"));
}

#[test]
fn what_happens_is_told() {
    let (lab, told) = (Lab::new(), Told::default());
    lab.install(&told, || {}).unwrap();
    assert!(lab.place().join("SKILL.md").is_file());
    assert_eq!(told.lines(), ["happens"]);
    assert!(!lab.scope.journal_file().exists());
}

#[test]
fn what_cannot_be_done_is_undone_and_told() {
    let (lab, told) = (Lab::new(), Told::default());
    let target = lab.scope.target(TARGET);
    // Somebody puts a file into its place after everything was made ready.
    let error = lab.install(&told, || {
        std::fs::remove_dir(&target).unwrap();
        std::fs::write(&target, "mine").unwrap();
    });
    assert!(
        matches!(error, Err(TransactionError::Disk { path, .. }) if path.ends_with(".agents/skills/pdf"))
    );
    assert_eq!(told.lines(), ["undone"]);
    assert!(!lab.scope.journal_file().exists());
    assert!(!lab.scope.lock_file().exists());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine");
    let left = std::fs::read_dir(lab.scope.root.join(".agents")).unwrap();
    assert_eq!(left.count(), 1);
}

#[test]
fn what_somebody_puts_beside_a_skill_in_a_new_folder_stays() {
    let (lab, told) = (Lab::new(), Told::default());
    let beside = lab.scope.target(TARGET).join("csv");
    lab.install(&told, || std::fs::create_dir(&beside).unwrap())
        .unwrap();
    assert!(lab.place().join("SKILL.md").is_file() && beside.is_dir());
    let left = std::fs::read_dir(lab.scope.root.join(".agents")).unwrap();
    assert_eq!(left.count(), 1);
}

#[test]
fn what_took_the_place_of_a_new_folder_is_known_to_the_next() {
    let nobody = |_: &str, _: ChangeOutcome<'_>| Ok(());
    let next = |lab: &Lab, is_there: bool, is_locked: bool| {
        let next = Transaction::begin(&lab.scope, &lab.store, &Records::default(), &nobody);
        assert_eq!(next.unwrap().lock().get("pdf").is_some(), is_locked);
        assert_eq!(lab.place().join("SKILL.md").is_file(), is_there);
        assert!(!lab.scope.journal_file().exists());
        let left = std::fs::read_dir(lab.scope.root.join(".agents")).unwrap();
        assert_eq!(left.count(), 1);
    };
    // The skills are there, the lock is not, and the journal tells of both.
    let killed = || {
        let full = Told {
            is_full: true,
            ..Told::default()
        };
        let lab = Lab::new();
        assert!(lab.install(&full, || {}).is_err());
        assert!(lab.place().is_dir() && lab.scope.journal_file().exists());
        let (lock, manifest) = (lab.scope.lock_file(), lab.scope.manifest_file().unwrap());
        std::fs::rename(&lock, beside(&lock)).unwrap();
        std::fs::remove_file(manifest).unwrap();
        lab
    };
    next(&killed(), true, true);
    // Somebody edited the skill since.
    let lab = killed();
    std::fs::write(lab.place().join("SKILL.md"), "mine").unwrap();
    next(&lab, true, false);
    // Somebody has another lock since.
    let lab = killed();
    std::fs::write(lab.scope.lock_file(), "version = 1\n").unwrap();
    next(&lab, false, false);
}

#[test]
fn a_file_that_refuses_leaves_everything_as_it_was() {
    let (lab, told) = (Lab::new(), Told::default());
    let (lock, manifest) = (lab.scope.lock_file(), lab.scope.manifest_file().unwrap());
    // The manifest comes after the lock, and no file can take the place of a folder.
    let block = || {
        let _ = std::fs::remove_file(&manifest);
        std::fs::create_dir_all(manifest.join("x")).unwrap();
    };
    let refused = |result: Result<(), TransactionError>| {
        let is_named =
            matches!(&result, Err(TransactionError::Disk { path, .. }) if *path == manifest);
        assert!(is_named, "{result:?}");
        std::fs::remove_dir_all(&manifest).unwrap();
        assert!(!lab.scope.journal_file().exists());
    };
    refused(lab.install(&told, block));
    assert_eq!(std::fs::read_dir(&lab.scope.root).unwrap().count(), 0);
    lab.install(&told, || {}).unwrap();
    let before = std::fs::read_to_string(&lock).unwrap();
    refused(lab.install_version("two", &told, block));
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), before);
    let skill = std::fs::read_to_string(lab.place().join("SKILL.md")).unwrap();
    assert!(skill.ends_with("one\n"), "{skill}");
    assert_eq!(
        std::fs::read_dir(lab.scope.root.join(".agents"))
            .unwrap()
            .count(),
        1
    );
    assert_eq!(told.lines(), ["undone", "happens", "undone"]);
}

#[test]
fn what_could_not_be_told_is_told_by_the_next() {
    let lab = Lab::new();
    let full = Told {
        is_full: true,
        ..Told::default()
    };
    assert!(lab.install(&full, || {}).is_err());
    assert!(lab.place().join("SKILL.md").is_file());
    let caught_up = Cell::new(0);
    let count = |note: &str, ending: ChangeOutcome<'_>| {
        assert_eq!(note, "a note");
        assert!(matches!(ending, ChangeOutcome::Happens));
        caught_up.set(caught_up.get() + 1);
        Ok(())
    };
    for _ in 0..2 {
        Transaction::begin(&lab.scope, &lab.store, &Records::default(), &count).unwrap();
    }
    assert_eq!(caught_up.get(), 1);
    assert!(lab.place().join("SKILL.md").is_file());
    assert!(!lab.scope.journal_file().exists());
}

#[test]
fn what_was_found_is_known_whoever_finishes_the_change() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.place()).unwrap();
    let text = "---\nname: pdf\ndescription: Use it.\n---\none\n";
    std::fs::write(lab.place().join("SKILL.md"), text).unwrap();
    let full = Told {
        is_full: true,
        ..Told::default()
    };
    assert!(lab.install(&full, || {}).is_err());
    let nobody = |_: &str, _: ChangeOutcome<'_>| Ok(());
    let begin = || Transaction::begin(&lab.scope, &lab.store, &Records::default(), &nobody);
    assert!(begin().unwrap().before.was_found(TARGET, "pdf"));
    lab.install_version("two", &Told::default(), || {}).unwrap();
    assert!(!begin().unwrap().before.was_found(TARGET, "pdf"));
    assert!(!lab.scope.found_file().exists());
}

#[test]
fn a_wish_that_others_overtook_is_noticed() {
    let (lab, told) = (Lab::new(), Told::default());
    lab.install(&told, || {}).unwrap();
    let records = Records::default();
    records.lock(&lab.scope).unwrap();
    lab.install_version("two", &told, || {}).unwrap();
    let nobody = |_: &str, _: ChangeOutcome<'_>| Ok(());
    let transaction = Transaction::begin(&lab.scope, &lab.store, &records, &nobody).unwrap();
    let first = records.first_lock().unwrap();
    let absent = |name: &str| DesiredState {
        absent: vec![name.to_owned()],
        ..DesiredState::default()
    };
    assert_eq!(
        transaction.changed_since(first, &absent("pdf")),
        Some("pdf")
    );
    assert_eq!(transaction.changed_since(first, &absent("csv")), None);
    let old = DesiredState {
        present: first.skills().to_vec(),
        ..DesiredState::default()
    };
    assert_eq!(transaction.changed_since(first, &old), Some("pdf"));
    let same = DesiredState {
        present: transaction.lock().skills().to_vec(),
        ..DesiredState::default()
    };
    assert_eq!(transaction.changed_since(first, &same), None);
}

#[test]
fn what_somebody_puts_into_an_empty_place_meanwhile_stays() {
    let (lab, told) = (Lab::new(), Told::default());
    let own = lab.place().join("SKILL.md");
    let put = || {
        std::fs::create_dir_all(lab.place()).unwrap();
        std::fs::write(&own, "mine").unwrap();
    };
    let done = lab.install(&told, put);
    assert!(
        matches!(&done, Err(TransactionError::Changed { path, kept }) if path.ends_with("pdf") && kept.is_empty()),
        "{done:?}"
    );
    assert_eq!(std::fs::read_to_string(own).unwrap(), "mine");
    assert_eq!(told.lines(), ["undone"]);
    assert!(!lab.scope.lock_file().exists() && !lab.scope.journal_file().exists());
    let beside = std::fs::read_dir(lab.scope.root.join(".agents")).unwrap();
    assert_eq!(beside.count(), 1);
}

#[test]
fn what_somebody_writes_into_a_skill_meanwhile_stays() {
    // Files that were written just now are read again, others need not be.
    for is_settled in [false, true] {
        let (lab, told) = (Lab::new(), Told::default());
        lab.install(&told, || {}).unwrap();
        let stamp = || {
            Tree::read_stamped(&lab.place(), &TreeLimits::default())
                .unwrap()
                .1
        };
        while is_settled && stamp().is_none() {}
        let lock = std::fs::read_to_string(lab.scope.lock_file()).unwrap();
        let (skill, notes) = (lab.place().join("SKILL.md"), lab.place().join("NOTES.md"));
        let text = std::fs::read_to_string(&skill).unwrap();
        let mine = text.replace("one", "own");
        let write = || {
            std::fs::write(&skill, &mine).unwrap();
            std::fs::write(&notes, "mine").unwrap();
        };
        let done = lab.install_version("two", &told, write);
        assert!(
            matches!(done, Err(TransactionError::Changed { .. })),
            "{done:?}"
        );
        assert_eq!(std::fs::read_to_string(&skill).unwrap(), mine);
        assert_eq!(std::fs::read_to_string(&notes).unwrap(), "mine");
        assert_eq!(
            std::fs::read_to_string(lab.scope.lock_file()).unwrap(),
            lock
        );
        // What was only touched, or what a program left, is in nobody's way.
        std::fs::remove_file(&notes).unwrap();
        std::fs::write(&skill, &text).unwrap();
        let touch = || {
            std::fs::write(&skill, &text).unwrap();
            std::fs::write(lab.place().join(".DS_Store"), "litter").unwrap();
        };
        lab.install_version("two", &told, touch).unwrap();
        let skill = std::fs::read_to_string(&skill).unwrap();
        assert!(skill.ends_with("two\n"), "{skill}");
        let beside = std::fs::read_dir(lab.scope.root.join(".agents")).unwrap();
        assert_eq!(beside.count(), 1);
    }
}
