//! Addresses of databases: which kind one leads to, and what of it may be shown.

use std::path::Path;

use super::{Backend, DatabaseError};

/// Letters that mean something in an address, and what stands for them; the sign that begins
/// what stands for a letter is the first.
const MEANING: [(char, &str); 3] = [('%', "%25"), ('?', "%3F"), ('#', "%23")];

/// The kind of database that an address leads to.
pub(super) fn kind(address: &str) -> Result<Backend, DatabaseError> {
    match address.split(':').next() {
        Some("sqlite") => Ok(Backend::Sqlite),
        Some("postgres" | "postgresql") => Ok(Backend::Postgres),
        // The rest of the address may hold a password.
        other => Err(DatabaseError::Address(other.unwrap_or_default().to_owned())),
    }
}

/// The address of a file, in which no letter of its path means anything.
pub(super) fn of_file(file: &Path) -> String {
    let path = file.display().to_string();
    let encode = |path: String, (letter, code): &(char, &str)| path.replace(*letter, code);
    format!("sqlite:{}", MEANING.iter().fold(path, encode))
}

/// What of an address may be shown.
pub(super) fn place(address: &str, kind: Backend) -> String {
    match kind {
        Backend::Sqlite => {
            let path = address.strip_prefix("sqlite:").unwrap_or(address);
            let path = path.split('?').next().unwrap_or(path);
            let decode = |path: String, (letter, code): &(char, &str)| {
                path.replace(code, letter.encode_utf8(&mut [0; 4]))
            };
            MEANING.iter().rev().fold(path.to_owned(), decode)
        }
        Backend::Postgres => {
            let server = address.rsplit('@').next().unwrap_or_default();
            let server = server.rsplit("://").next().unwrap_or_default();
            server.split('?').next().unwrap_or_default().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_of_a_path_means_anything() {
        for path in ["/a b/x.db", "/100%/x.db", "/a%3Fb/x.db", "/a?b#c%25/x.db"] {
            let address = of_file(Path::new(path));
            assert!(!address.contains(['?', '#']), "{address}");
            assert_eq!(place(&address, Backend::Sqlite), path);
        }
    }

    #[test]
    fn no_password_is_shown() {
        let address = "postgres://ada:secret@db.example/yard?sslmode=require";
        assert_eq!(place(address, Backend::Postgres), "db.example/yard");
    }
}
