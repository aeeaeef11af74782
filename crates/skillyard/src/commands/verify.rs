//! `skillyard verify`.

mod answer;

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::json;
use skillyard_catalog::source::SourceKind;
use skillyard_install::tree::{self as install, TreeLimits};
use skillyard_trust::signature::{
    Pin, RequestedVersion, SignatureStatus, Signer, SkillContext, Verification, verify_skill,
};

use self::answer::for_people;
use crate::commands::verify::answer::VerifyReport;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::installed::Installed;
use crate::library::skill_files::{directory_name, read_one};
use crate::library::{IndexMode, NameFilter, SkillTarget};
use crate::signing;
use crate::signing::former::delivered_as;
use crate::signing::keyring::Keyring;
use crate::signing::{now, policy, publisher, read_tree};

/// Check who signed a skill, and that it was not changed since
///
/// Nothing is asked over a network. Exit code 0 when somebody you trust signed it and every file
/// is as it was, 1 with the reason otherwise. The first trusted signer of a name is remembered;
/// another one, or an older version, is refused from then on. A word that is both a skill in this
/// folder and an installed one is an error.
///
/// Examples:
///   skillyard verify ./pdf-tools
///   skillyard verify pdf-tools --json
///   skillyard verify pdf-tools --require=acme   signed by `acme`, and by nobody else
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct VerifyArgs {
    /// A skill's folder, or the name of an installed skill
    #[arg(value_name = "DIR|NAME")]
    skill: OsString,
    /// By this signer: a name of `key list`, or a key's id
    #[arg(long, value_name = "SIGNER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    require: Option<String>,
    /// Where it came from, for signers that are trusted only about some sources
    #[arg(long, value_name = "REF")]
    source: Option<String>,
    /// Do not remember who signed it
    #[arg(long)]
    no_pin: bool,
}

pub(crate) fn run(context: &Context, args: &VerifyArgs) -> Outcome {
    let Some(folder) = folder(context, args)? else {
        return builtin(context, args);
    };
    // Who signed it can be told where a lock cannot be read, too.
    let installed = Installed::readable(context).unwrap_or_default();
    let ignored = installed.ignored_in(context, &folder);
    let tree = read_tree(&folder, installed.behind(&folder).as_ref(), ignored)?;
    let policy = policy::load(&context.environment)?;
    let called = directory_name(&folder);
    let entry = installed.entry(&folder);
    let read = || install::Tree::read(&folder, &TreeLimits::HERE).ok();
    let place = SkillContext {
        folder: called.as_deref(),
        source: args.source.as_deref(),
        delivered_as: entry
            .as_deref()
            .and_then(|entry| delivered_as(entry, &policy, || read().map(install::Tree::tidied))),
        publisher: entry
            .as_deref()
            .and_then(|entry| publisher(entry.origin, &entry.source)),
        // What is here as it was installed was asked for.
        asked: if installed.is_as_installed(&folder) {
            RequestedVersion::Bytes
        } else {
            RequestedVersion::Newest
        },
    };
    let now = now().0;
    let verification = verify_skill(&tree, &place, &policy, now);
    let wanted = args.require.as_deref().filter(|wanted| !wanted.is_empty());
    let other = wanted.filter(|wanted| !is_by(&verification, wanted));
    let trusted = verification.status() == SignatureStatus::Trusted && other.is_none();
    if trusted
        && !args.no_pin
        && let Some(pin) = verification.pin(now)
    {
        let is_same = |kept: &Pin| {
            (kept.digest, &kept.signer, &kept.publisher)
                == (pin.digest, &pin.signer, &pin.publisher)
        };
        if !policy.pins_of(&pin.skill).any(is_same) {
            signing::remember(&context.environment.pins_file(), pin)?;
        }
    }
    let answer = VerifyReport {
        name: tree.identity(place.folder).map(|(name, _)| name),
        folder: &folder,
        tree: &tree,
        installed: &installed,
        verification: &verification,
        policy: &policy,
        other,
        is_kept: !args.no_pin,
        own_key: own_key(context, &verification),
    };
    if let Err(error) = context.record(&answer.event()) {
        // The answer is the same; who asked is told that the log lacks it.
        context
            .printer
            .note(&format!("warning: this could not be recorded: {error}"));
    }
    if context.printer.is_json() {
        context.printer.json(&answer.json())?;
    } else {
        answer.tell(context)?;
    }
    Ok(if trusted {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    })
}

/// The name of the key of one's own that signed it, where no policy names it yet.
fn own_key(context: &Context, verification: &Verification) -> Option<String> {
    let Verification::Untrusted {
        signer: Signer::Key { name: None, id },
        ..
    } = verification
    else {
        return None;
    };
    let keys = Keyring::new(context.environment.keys_folder());
    let is_it = |name: &String| keys.public(name).is_ok_and(|key| key.id() == *id);
    keys.names().ok()?.into_iter().find(is_it)
}

/// What is inside the binary is as trusted as the binary, and has no files to compare.
fn builtin(context: &Context, args: &VerifyArgs) -> Outcome {
    let name = args.skill.to_string_lossy();
    if context.printer.is_json() {
        let answer =
            json!({ "name": name, "trusted": true, "verdict": "trusted", "code": "builtin" });
        context.printer.json(&answer)?;
    } else {
        let line = format!("✓ {}: part of skillyard itself\n", for_people(&name));
        context.printer.data(&line)?;
    }
    Ok(ExitStatus::Success)
}

/// The skill's folder; none for one inside the binary.
fn folder(context: &Context, args: &VerifyArgs) -> Result<Option<PathBuf>, CommandError> {
    match SkillTarget::certain(context, &args.skill)? {
        SkillTarget::Path(path) => Ok(Some(read_one(&path)?.folder)),
        SkillTarget::Name(name) => {
            let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
            let skill = library::named(context, &catalog, &name)?;
            let is_builtin = skill.kind == SourceKind::Builtin;
            Ok((!is_builtin).then(|| skill.record.folder.clone()))
        }
    }
}

/// Whether the signer is the one that was asked for.
fn is_by(verification: &Verification, wanted: &str) -> bool {
    let Verification::Trusted { signer, .. } = verification else {
        return true;
    };
    match signer {
        Signer::Key { name, id } | Signer::Certificate { name, id, .. } => {
            name.as_deref() == Some(wanted)
                || (wanted.len() >= 8 && id.to_string().starts_with(wanted))
        }
        Signer::Identity { name, identity, .. } => {
            name.as_deref() == Some(wanted) || identity == wanted
        }
        Signer::Unknown => false,
    }
}
