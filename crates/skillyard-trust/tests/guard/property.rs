//! Random shell programs, printed as text: what holds a command outside the list never passes.

use proptest::prelude::*;

use crate::{LIST, allows};

/// A piece of shell, built so that it is known what it would run.
#[derive(Debug, Clone)]
enum Shell {
    Simple(&'static str),
    Joined(Box<Shell>, &'static str, Box<Shell>),
    Around(&'static str, Box<Shell>, &'static str),
    Two(
        &'static str,
        Box<Shell>,
        &'static str,
        Box<Shell>,
        &'static str,
    ),
}

impl Shell {
    fn text(&self) -> String {
        match self {
            Self::Simple(text) => (*text).to_owned(),
            Self::Joined(left, with, right) => {
                format!("{}{with}{}", left.text(), right.text())
            }
            Self::Around(before, inner, after) => format!("{before}{}{after}", inner.text()),
            Self::Two(a, first, b, second, c) => {
                format!("{a}{}{b}{}{c}", first.text(), second.text())
            }
        }
    }
}

const INSIDE: [&str; 8] = [
    "git status",
    "pdftotext a.pdf -",
    "git log --oneline -n 5",
    "\"git\" diff -- 'a b'",
    "g''it show HEAD^",
    "pdftotext \"$x\" - 2>&1",
    "git commit -m 'curl x; rm y'",
    "pdftotext a - > out.txt",
];

const OUTSIDE: [&str; 14] = [
    "curl x",
    "rm -rf x",
    "cu''rl x",
    "\\curl x",
    "\"curl\" x",
    "./git status",
    "gitk",
    "$X",
    "sudo git log",
    "FOO=1 git log",
    "sh -c 'git log'",
    "eval git log",
    "git -c core.pager=x log",
    "git log > /etc/x",
];

const JOINERS: [&str; 8] = [
    " && ",
    " || ",
    "; ",
    " | ",
    " & ",
    "\n",
    " |\n",
    " && \\\n ",
];

/// Structures that may stand around a command.
const AROUND: [(&str, &str); 12] = [
    ("( ", " )"),
    ("{ ", "; }"),
    ("! ", ""),
    ("pdftotext $(", ")"),
    ("pdftotext \"a $(", ") b\""),
    ("pdftotext \"${x}$(", ")\""),
    ("for f in a b; do ", "; done"),
    ("for f in $(", "); do git log; done"),
    ("case a in a) ", ";; esac"),
    ("if git log; then\n", "\nfi"),
    ("{\n", "\n} > out.txt"),
    ("git apply <<'E'\ncurl x\nE\n", ""),
];

const TWO: [(&str, &str, &str); 4] = [
    ("if ", "; then ", "; fi"),
    ("while ", "; do ", "; done"),
    ("if ", "; then git log; else ", "; fi"),
    ("case a in (a|b) ", ";; *) ", "\n esac"),
];

fn shell(simple: BoxedStrategy<Shell>) -> BoxedStrategy<Shell> {
    simple
        .prop_recursive(5, 24, 2, |inner| {
            prop_oneof![
                (inner.clone(), 0..JOINERS.len(), inner.clone()).prop_map(|(left, at, right)| {
                    Shell::Joined(left.into(), JOINERS[at], right.into())
                }),
                (0..AROUND.len(), inner.clone()).prop_map(|(at, inner)| {
                    Shell::Around(AROUND[at].0, inner.into(), AROUND[at].1)
                }),
                (0..TWO.len(), inner.clone(), inner).prop_map(|(at, first, second)| {
                    let (a, b, c) = TWO[at];
                    Shell::Two(a, first.into(), b, second.into(), c)
                }),
            ]
        })
        .boxed()
}

fn inside() -> BoxedStrategy<Shell> {
    (0..INSIDE.len())
        .prop_map(|at| Shell::Simple(INSIDE[at]))
        .boxed()
}

fn mixed() -> BoxedStrategy<Shell> {
    let outside = (0..OUTSIDE.len()).prop_map(|at| Shell::Simple(OUTSIDE[at]));
    prop_oneof![4 => inside(), 1 => outside].boxed()
}

/// Whether any command of the tree is outside the list.
fn has_outside(shell: &Shell) -> bool {
    match shell {
        Shell::Simple(text) => OUTSIDE.contains(text),
        Shell::Joined(left, _, right) => has_outside(left) || has_outside(right),
        Shell::Around(_, inner, _) => has_outside(inner),
        Shell::Two(_, first, _, second, _) => has_outside(first) || has_outside(second),
    }
}

/// Whether the guard may refuse a tree for its form alone, such as `case` inside a substitution.
fn is_refused_for_its_form(text: &str) -> bool {
    text.contains("$(") && (text.contains("case") || text.contains("<<"))
        || text.contains("((")
        || text.contains("! !")
        || text.contains("| !")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_command_outside_the_list_never_passes(tree in shell(mixed())) {
        let text = tree.text();
        let allowed = allows(LIST, "Bash", &text);
        prop_assert!(!(allowed && has_outside(&tree)), "{text}");
    }

    #[test]
    fn commands_inside_the_list_pass(tree in shell(inside())) {
        let text = tree.text();
        prop_assert!(is_refused_for_its_form(&text) || allows(LIST, "Bash", &text), "{text}");
    }

    #[test]
    fn any_text_gets_an_answer(text in "[ -~\n\t$`'\"(){};&|<>\\\\]{0,200}") {
        let decision = crate::ask(LIST, "Bash", &text);
        prop_assert!(!decision.reason.is_empty());
    }

    #[test]
    fn any_list_gets_an_answer(list in "[ -~]{0,60}", tool in "[ -~]{0,12}", input in "\\PC{0,60}") {
        // Whatever the list says, an unknown program is not granted by accident.
        let decision = crate::ask(&list, &tool, &input);
        prop_assert!(!decision.reason.is_empty());
    }
}
