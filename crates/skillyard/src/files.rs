//! Files of the user: private ones, who owns them, and what they hold.

pub(crate) mod private;

use crate::environment::Environment;
use crate::error::CommandError;
use crate::error::trust::TrustFailure;
use crate::files::private::{lock, read_text, write_private};

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::{fs, io};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use skillyard_catalog::private_dir::STAGING_PREFIX;
use skillyard_format::package::Digest;
use skillyard_install::FolderIdentity;
use skillyard_trust::approval::{self, ApprovalChange, ApprovalError, Approvals, TrustedFolder};

/// Lets `write` make the folder beside its place, where nobody looks, and moves it there.
pub(crate) fn put_atomic_folder<E: From<io::Error>>(
    folder: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let place = folder.parent().filter(|place| *place != Path::new(""));
    let place = place.unwrap_or(Path::new("."));
    fs::create_dir_all(place)?;
    let staging = tempfile::Builder::new()
        .prefix(STAGING_PREFIX)
        .tempdir_in(place)?;
    let waiting = staging.path().join(folder.file_name().unwrap_or_default());
    write(&waiting)?;
    Ok(fs::rename(&waiting, folder)?)
}

/// Bytes of a key, which is stored in hexadecimal.
const KEY_BYTES: usize = 32;

/// The key that authenticates grants.
pub(crate) struct SealKey(String);

impl SealKey {
    /// The key of this user; `None` if nothing was granted since the last `trust revoke`.
    pub(crate) fn read(environment: &Environment) -> Result<Option<Self>, CommandError> {
        let text = read_owned_text(&environment.grants_key_file())?;
        let is_key = text.len() == KEY_BYTES * 2;
        Ok(is_key.then_some(Self(text)))
    }

    /// The key of this user, created if there is none.
    pub(crate) fn make(environment: &Environment) -> Result<Self, CommandError> {
        let file = environment.grants_key_file();
        let _lock = lock(&file.with_extension("lock"))?;
        if let Some(key) = Self::read(environment)? {
            return Ok(key);
        }
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|source| CommandError::Write {
            path: file.clone(),
            source: io::Error::other(source),
        })?;
        let key = Digest::of(&bytes).to_hex();
        write_private(&file, key.as_bytes())?;
        Ok(Self(key))
    }

    /// Deletes the key; returns whether there was one.
    pub(crate) fn forget(environment: &Environment) -> Result<bool, CommandError> {
        let path = environment.grants_key_file();
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(CommandError::Write { path, source }),
        }
    }

    /// The HMAC-SHA-256 of a text, in hexadecimal.
    pub(crate) fn seal(&self, text: &str) -> String {
        hex::encode(self.mac(text).finalize().into_bytes())
    }

    /// Whether `seal` is the one of this text; takes the same time wherever they differ.
    pub(crate) fn verifies(&self, text: &str, seal: &str) -> bool {
        hex::decode(seal).is_ok_and(|seal| self.mac(text).verify_slice(&seal).is_ok())
    }

    fn mac(&self, text: &str) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes());
        mac.expect("HMAC takes keys of any length")
            .chain_update(text.as_bytes())
    }
}

/// Everything that was approved.
pub(crate) fn read_approvals(file: &Path) -> Result<Approvals, CommandError> {
    let text = read_owned_text(file)?;
    Ok(Approvals::parse(&text).map_err(|source| unusable(file, source))?)
}

/// The trusted folders, in order.
pub(crate) fn list_approvals(file: &Path) -> Result<Vec<TrustedFolder>, CommandError> {
    Ok(read_approvals(file)?.folders)
}

/// A folder as it is now, to be trusted.
pub(crate) fn noted(folder: &Path) -> TrustedFolder {
    TrustedFolder {
        path: folder.to_owned(),
        identity: FolderIdentity::of(folder).map(FolderIdentity::digest),
        owner: folder.metadata().ok().map(|found| found.uid()),
    }
}

/// Whether what lies where a folder was trusted is still that folder, and no stranger's.
pub(crate) fn holds(folder: &TrustedFolder) -> bool {
    let identity = FolderIdentity::of(&folder.path).map(FolderIdentity::digest);
    folder.is_same(identity.as_ref()) && reaches(folder, &folder.path)
}

/// Whether the trust in a folder holds for what is in a place in it, by whom that belongs to.
pub(crate) fn reaches(folder: &TrustedFolder, place: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let found = place.metadata();
    found.is_ok_and(|found| folder.admits(found.uid(), user))
}

/// Changes the file; tells whether that changed anything.
pub(crate) fn change_approvals(
    file: &Path,
    change: &ApprovalChange<'_>,
) -> Result<bool, CommandError> {
    let _lock = lock(&file.with_extension("lock"))?;
    let text = read_owned_text(file)?;
    let edited = approval::edit(&text, change).map_err(|source| unusable(file, source))?;
    let Some(edited) = edited else {
        return Ok(false);
    };
    write_private(file, edited.as_bytes())?;
    Ok(true)
}

fn unusable(file: &Path, source: ApprovalError) -> TrustFailure {
    match source {
        // Nothing is wrong with the file.
        ApprovalError::NotUtf8(folder) => TrustFailure::NotUtf8(folder),
        source => TrustFailure::Approvals {
            path: file.to_owned(),
            source,
        },
    }
}

/// Permission for the group or for others to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The same for the group alone.
const WRITABLE_BY_GROUP: u32 = 0o020;
/// In such a folder everybody can take away only what is their own.
const STICKY: u32 = 0o1000;

/// The text of a file; nothing when it is not there.
pub(crate) fn read_owned_text(file: &Path) -> Result<String, CommandError> {
    check_ownership(file)?;
    read_text(file)
}

/// Fails where somebody else can have written a file, or can put another in its place.
pub(crate) fn check_ownership(file: &Path) -> Result<(), TrustFailure> {
    // Who keeps the file elsewhere has a link to it.
    let target = file.canonicalize().ok();
    for folder in [Some(file), target.as_deref()].into_iter().flatten() {
        let Some(folder) = folder.parent() else {
            continue;
        };
        check_ours(folder)?;
        if let Ok(metadata) = folder.metadata()
            && is_open(&metadata)
        {
            return Err(TrustFailure::WritableFolder {
                path: folder.to_owned(),
                mode: metadata.mode() & 0o7777,
            });
        }
    }
    let Ok(metadata) = file.metadata() else {
        return Ok(());
    };
    if let Some((owner, user)) = stranger(&metadata) {
        return Err(TrustFailure::Foreign {
            path: file.to_owned(),
            owner,
            user,
        });
    }
    if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(TrustFailure::Writable {
            path: file.to_owned(),
            mode: metadata.mode() & 0o777,
        });
    }
    Ok(())
}

/// Fails where a folder of Skillyard's own is somebody else's: what it says is theirs, and they could
/// not use what root writes into it with the home of a user.
pub(crate) fn check_ours(folder: &Path) -> Result<(), TrustFailure> {
    let Some((owner, user)) = folder.metadata().ok().and_then(|found| stranger(&found)) else {
        return Ok(());
    };
    Err(TrustFailure::ForeignFolder {
        path: folder.to_owned(),
        owner,
        user,
    })
}

/// Whose something is, if not ours, and who we are. Root can write everything anyway.
pub(crate) fn stranger(metadata: &Metadata) -> Option<(u32, u32)> {
    let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
    (![0, user].contains(&owner)).then_some((owner, user))
}

/// Whether others can take away what is in a folder. Where users have groups of their own, with
/// the same number, folders are often made for the group too.
fn is_open(folder: &Metadata) -> bool {
    let mut open = folder.mode() & WRITABLE_BY_OTHERS;
    if folder.gid() == folder.uid() {
        open &= !WRITABLE_BY_GROUP;
    }
    open != 0 && folder.mode() & STICKY == 0
}
