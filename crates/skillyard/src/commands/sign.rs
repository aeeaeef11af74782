//! `skillyard sign`.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_trust::signature::{
    Distrust, ReleaseDetails, RequestedVersion, Rollback, SIGNATURE_FILE, SkillContext,
    Verification, sign, verify,
};

use crate::context::Context;
use crate::error::signing::SigningError;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library::installed::Installed;
use crate::library::skill_files::{directory_name, read_one, refuse_misspelled};
use crate::signing;
use crate::signing::keyring::Keyring;
use crate::signing::passphrase::PassphraseSource;
use crate::signing::{now, policy, read_tree};
use crate::text::sanitize::visible;
use crate::text::{counted, first_paths};

/// Sign a skill
///
/// Writes `skill.oms.sig` into its folder: a list of all files with their SHA-256, in the form of
/// Model Signing (`model_signing`). Any change afterwards breaks it, so sign last. What no skill is
/// delivered with (`node_modules`, `__pycache__`, files that git ignores) is not signed; it is named.
///
/// Examples:
///   skillyard sign ./pdf-tools
///   skillyard sign ./pdf-tools --key work --source URL --revision COMMIT
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SignArgs {
    /// The skill's folder
    folder: PathBuf,
    /// Which of your keys
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// Where the skill is kept, to be signed along
    #[arg(long, value_name = "URL")]
    source: Option<String>,
    /// The revision there, to be signed along
    #[arg(long, value_name = "COMMIT")]
    revision: Option<String>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

pub(crate) fn run(context: &Context, args: &SignArgs) -> Outcome {
    let folder = read_one(&args.folder)?.folder;
    refuse_misspelled(&folder)?;
    let keyring = Keyring::new(context.environment.keys_folder());
    let (key_name, key) = keyring.signing_key(args.key.as_deref(), |name| {
        args.passphrase.read(context, name)
    })?;
    let installed = Installed::readable(context).unwrap_or_default();
    let ignored = installed.surely_ignored_in(context, &folder)?;
    let tree = read_tree(&folder, None, ignored)?;
    let left_out = tree.litter().to_vec();
    let tree = tree.tidied();
    let broken = |source| SigningError::Key {
        path: keyring.private_file(&key_name),
        source,
    };
    let public = key.public().map_err(broken)?;
    if policy::load(&context.environment)?
        .revocation(public.id())
        .is_some()
    {
        return Err(SigningError::Revoked(public.id()).into());
    }
    let called = directory_name(&folder).unwrap_or_default();
    let details = ReleaseDetails {
        signed: now().0,
        source: args.source.clone(),
        revision: args.revision.clone(),
    };
    let failed = |source| SigningError::Sign {
        folder: folder.clone(),
        source,
    };
    let bundle = sign(&tree, &called, &details, &key).map_err(failed)?;
    let path = folder.join(SIGNATURE_FILE);
    context.ready_to_record()?;
    write(&path, bundle.as_bytes())?;
    let (name, version) = tree.identity(Some(&called)).unwrap_or_default();
    let event = Event::new(EventKind::SkillSigned)
        .skill(&*name)
        .digest(tree.digest().to_string())
        .trigger("sign")
        .detail("folder", folder.to_string_lossy())
        .detail("key", &*key_name)
        .detail("id", public.id().to_string());
    context.record(&event)?;
    let warning = renewed(context, &tree, bundle.as_bytes())?;
    let files = tree.files().count();
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": name,
            "version": version,
            "digest": tree.digest(),
            "files": files,
            "signature": path.to_string_lossy(),
            "key": { "name": key_name, "id": public.id(), "algorithm": public.algorithm() },
            "left_out": left_out,
            "warning": warning,
        }))?;
        return Ok(ExitStatus::Success);
    }
    let shown = path.to_string_lossy();
    context.printer.data(&format!(" + {}\n", visible(&shown)))?;
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    let count = counted(files, "file");
    context.printer.note(&format!(
        "Signed `{}`{} ({count}) with `{key_name}` (key {})",
        visible(&name),
        visible(&version),
        public.id().short()
    ));
    if !left_out.is_empty() {
        let warning = format!(
            "warning: {} cannot be signed, because no skill is delivered with such files; remove them, or `verify` says that they were added",
            first_paths(&left_out)
        );
        context.printer.note(&visible(&warning));
    }
    if let Some(warning) = warning {
        context.printer.note(&format!("warning: {warning}"));
    }
    Ok(ExitStatus::Success)
}

/// Puts the signature in place at once, also over a link, which is not followed.
fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut temporary = tempfile::Builder::new().make_in(folder, |path| {
            // Made like any file: who may read the skill may read its signature.
            File::create_new(path)
        })?;
        temporary.write_all(bytes)?;
        temporary.persist(path)?;
        Ok(())
    };
    write().map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Who signs again what they signed before means it, so the new content takes the old one's place
/// in memory; an older version does not. Tells what `verify` is going to say against it.
fn renewed(
    context: &Context,
    tree: &skillyard_trust::signature::Tree,
    bundle: &[u8],
) -> Result<Option<String>, CommandError> {
    let policy = policy::load(&context.environment)?;
    let now = now().0;
    let check = |asked| {
        let place = SkillContext {
            asked,
            ..SkillContext::default()
        };
        verify(tree, bundle, &place, &policy, now)
    };
    let rollback = match check(RequestedVersion::Newest) {
        Verification::Untrusted {
            reason: Distrust::Rollback(rollback),
            ..
        } => rollback,
        Verification::Untrusted {
            reason: reason @ (Distrust::Expired(_) | Distrust::OtherSigner { .. }),
            ..
        } => return Ok(Some(format!("this key is not believed: {reason}"))),
        _ => return Ok(None),
    };
    if !matches!(
        rollback,
        Rollback::SameVersion(_) | Rollback::SignedEarlier { .. }
    ) {
        return Ok(Some(rollback.to_string()));
    }
    let Some(pin) = check(RequestedVersion::Older).pin(now) else {
        return Ok(Some(rollback.to_string()));
    };
    signing::remember(&context.environment.pins_file(), pin)?;
    Ok(None)
}
