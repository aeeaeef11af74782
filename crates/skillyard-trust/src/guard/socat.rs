//! Addresses of `socat`: most are streams, and some are programs or files.

/// How the names of addresses begin that are a program.
const PROGRAMS: &[&str] = &["EXEC", "SHELL", "SYSTEM"];

/// One address, without the quotes and escapes in it.
pub(super) struct Address {
    /// Its name, such as `TCP-LISTEN`, or its path.
    pub(super) name: String,
    /// What stands behind the name, with the options.
    pub(super) rest: String,
}

impl Address {
    fn of(text: &str) -> Self {
        let bare = text.replace(['"', '\'', '\\'], "");
        let bare = bare.trim();
        let (name, rest) = bare.split_at(bare.find([':', ',']).unwrap_or(bare.len()));
        Self {
            name: name.to_owned(),
            rest: rest.strip_prefix(':').unwrap_or(rest).to_owned(),
        }
    }

    /// Whether its name begins with one of these, in whatever case.
    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        let own = self.name.to_ascii_uppercase();
        names.iter().any(|name| own.starts_with(name))
    }
}

/// The addresses in a word: `A!!B` are one for each direction.
pub(super) fn addresses(word: &str) -> impl Iterator<Item = Address> {
    word.split("!!").map(Address::of)
}

/// What a program or a shell is given from the first such address on, as it is written.
pub(super) fn told(word: &str) -> Option<&str> {
    let mut from = 0;
    for part in word.split("!!") {
        if Address::of(part).is_one_of(PROGRAMS) {
            return word[from..].split_once(':').map(|(_, told)| told);
        }
        from += part.len() + "!!".len();
    }
    None
}
