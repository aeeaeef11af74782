//! Whom the process belongs to, where no variable says so.

/// The account that we run under: containers and timers set no variable.
pub(super) fn account() -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let id = rustix::process::getuid().as_raw().to_string();
    name_of(&users, &id).map_or_else(|| format!("user {id}"), str::to_owned)
}

/// The name in a table of users, `name:password:id:…` a line.
fn name_of<'a>(users: &'a str, id: &str) -> Option<&'a str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)? == id).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_known_by_its_name() {
        let users = "root:x:0:0::/root:/bin/sh\nbroken\n:x:7:7\nada:x:1000:1000::/home/ada:\n";
        assert_eq!(name_of(users, "0"), Some("root"));
        assert_eq!(name_of(users, "1000"), Some("ada"));
        assert_eq!(name_of(users, "7"), None);
        assert_eq!(name_of(users, "100"), None);
    }
}
