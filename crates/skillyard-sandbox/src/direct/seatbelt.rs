//! The program `sandbox-exec` of macOS: a profile in its own language.
//!
//! The text is tested here; it has not been run on a Mac by those who wrote it.

use std::fmt::Write as _;
use std::path::Path;

use crate::profile::{MountAccess, Network, Profile};

/// What every program needs: the system's own folders and a few devices.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr",
    "/System",
    "/Library/Apple",
    "/Library/Frameworks",
    "/opt/homebrew",
    "/private/etc/ssl",
    "/private/var/db/timezone",
    "/private/var/select",
    "/etc",
    "/var",
];

/// The profile in the language of `sandbox-exec`, with `private` as the folder for temporary files.
pub(crate) fn text(profile: &Profile, private: &Path) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n(allow process-exec process-fork)\n(allow signal (target same-sandbox))\n\
         (allow sysctl-read)\n(allow file-read-metadata)\n\
         (allow file-read* file-write-data (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/random\") (literal \"/dev/urandom\"))\n",
    );
    for folder in SYSTEM {
        let _ = writeln!(
            text,
            "(allow file-read* (subpath {}))",
            quoted(Path::new(folder))
        );
    }
    let _ = writeln!(
        text,
        "(allow file-read* file-write* (subpath {}))",
        quoted(private)
    );
    for mount in &profile.mounts {
        let what = match mount.access {
            MountAccess::Read => "file-read*",
            MountAccess::Write => "file-read* file-write*",
        };
        let _ = writeln!(text, "(allow {what} (subpath {}))", quoted(&mount.source));
    }
    // Later rules win, so what is protected comes after what is allowed.
    for mount in profile.writable() {
        for place in &profile.protected {
            let path = mount.source.join(place);
            let _ = writeln!(text, "(deny file-write* (subpath {}))", quoted(&path));
            for parent in place
                .ancestors()
                .skip(1)
                .filter(|each| *each != Path::new(""))
            {
                let path = quoted(&mount.source.join(parent));
                let _ = writeln!(text, "(deny file-write-unlink (literal {path}))");
            }
        }
    }
    if profile.network == Network::Full {
        text += "(allow network*)\n(allow mach-lookup (global-name \"com.apple.dnssd.service\"))\n";
    }
    text
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let path = path
        .to_string_lossy()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    format!("\"{path}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Mount;

    #[test]
    fn what_is_not_named_is_denied() {
        let text = text(&Profile::default(), Path::new("/private/tmp/x"));
        assert!(text.starts_with("(version 1)\n(deny default)\n"));
        assert!(text.contains("(allow file-read* file-write* (subpath \"/private/tmp/x\"))"));
        assert!(!text.contains("network"));
        assert!(!text.contains("/Users"));
    }

    #[test]
    fn mounts_protected_places_and_the_network() {
        let profile = Profile {
            mounts: vec![
                Mount::new(Path::new("/Users/a/skill"), MountAccess::Read),
                Mount::new(Path::new("/Users/a/w"), MountAccess::Write),
            ],
            protected: vec![".git/hooks".into()],
            network: Network::Full,
            ..Profile::default()
        };
        let text = text(&profile, Path::new("/private/tmp/x"));
        assert!(text.contains("(allow file-read* (subpath \"/Users/a/skill\"))"));
        let allowed = text.find("(allow file-read* file-write* (subpath \"/Users/a/w\"))");
        let denied = text.find("(deny file-write* (subpath \"/Users/a/w/.git/hooks\"))");
        assert!(allowed.is_some() && allowed < denied);
        assert!(text.contains("(deny file-write-unlink (literal \"/Users/a/w/.git\"))"));
        assert!(text.contains("(allow network*)"));
    }

    #[test]
    fn a_path_cannot_break_out_of_its_string() {
        let path = Path::new("/tmp/a\")) (allow default) (\"\\");
        assert_eq!(quoted(path), r#""/tmp/a\")) (allow default) (\"\\""#);
    }
}
