//! Hints for the scope that a command worked in: said as they are, their commands would mean another.

/// Commands that mean the skills of a scope.
const SCOPED: [&str; 6] = ["install", "outdated", "remove", "sync", "update", "why"];

/// The hint with `scope` typed behind the commands in it that need it.
pub(crate) fn with_scope(hint: &str, scope: &str) -> String {
    if scope.is_empty() {
        return hint.to_owned();
    }
    let parts: Vec<&str> = hint.split('`').collect();
    let typed = parts.iter().enumerate().map(|(at, part)| {
        // One that is to be run in another folder means the project there.
        let is_elsewhere = parts.get(at + 1).is_some_and(|behind| *behind == " in ");
        if is_scoped(part) && !is_elsewhere {
            format!("{part}{scope}")
        } else {
            (*part).to_owned()
        }
    });
    typed.collect::<Vec<_>>().join("`")
}

fn is_scoped(command: &str) -> bool {
    let verb = command.strip_prefix("skillyard ");
    let verb = verb.and_then(|words| words.split(' ').next());
    verb.is_some_and(|verb| SCOPED.contains(&verb)) && !command.contains(" --scope")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_of_a_scope_that_name_none_get_one() {
        let check = |hint: &str, expected: &str| {
            assert_eq!(with_scope(hint, " --scope user"), expected);
            assert_eq!(with_scope(hint, ""), hint);
        };
        check(
            "`--force` it: `skillyard remove pdf`, or `skillyard sync`",
            "`--force` it: `skillyard remove pdf --scope user`, or `skillyard sync --scope user`",
        );
        for hint in [
            "Take it with `skillyard remove pdf --scope project`",
            "Put it right with `skillyard sync` in `/other`",
            "Let it with `skillyard trust pdf --scripts`; see `skillyard list`",
            "Call it `skillyard`, or `sync`",
        ] {
            check(hint, hint);
        }
    }
}
