//! Skills that need further skills without an end in sight.

use super::shelf::resolved;

/// Resolves the first of so many skills, each of which needs what is said of its number.
fn first_of(count: usize, needs: impl Fn(usize) -> String) -> Result<Vec<String>, String> {
    let shelf: Vec<(String, String)> = (0..count).map(|at| (format!("s{at}"), needs(at))).collect();
    let shelf: Vec<(&str, &str)> = shelf
        .iter()
        .map(|(name, needs)| (&**name, &**needs))
        .collect();
    resolved(&shelf)
}

#[test]
fn a_chain_is_followed_so_far_and_told_without_its_middle() {
    let next = |last: usize| {
        move |at: usize| match at {
            at if at == last => String::new(),
            at => format!("s{}", at + 1),
        }
    };
    assert_eq!(first_of(32, next(31)).unwrap().len(), 32);
    let error = first_of(2_000, next(1_999)).unwrap_err();
    assert_eq!(
        error,
        "skills need one another more than 32 deep: `s0` → `s1` → `s2` → `s3` → `s4` → … → \
         `s28` → `s29` → `s30` → `s31` → `s32`"
    );
}

#[test]
fn only_so_many_come_along() {
    let all = |count: usize| {
        move |at: usize| match at {
            0 => {
                let others: Vec<String> = (1..count).map(|at| format!("s{at}")).collect();
                others.join(" ")
            }
            _ => String::new(),
        }
    };
    assert_eq!(first_of(501, all(501)).unwrap().len(), 501);
    let error = first_of(502, all(502)).unwrap_err();
    assert!(
        error.contains("more than 500 skills would come along"),
        "{error}"
    );
}
