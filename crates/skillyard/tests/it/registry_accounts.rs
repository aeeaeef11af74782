//! Accounts of a registry whose names look like those of others.

use super::TestContext;

const CREATE: [&str; 7] = [
    "registry", "token", "create", "--scope", "publish", "--user", "Ada",
];

#[test]
fn a_slip_of_case_makes_no_second_account() {
    let context = TestContext::new();
    let _server = context.with_registry();
    let said = context.bad(&CREATE);
    assert!(
        said.contains("there is no account `Ada` yet") && said.contains("`--user ada`"),
        "{said}"
    );
    context.token("ada");
}

#[test]
fn nobody_is_kept_from_their_own_namespace_by_who_looks_like_them() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.good(&[&CREATE[..], &["--new"]].concat());
    // It is an account now, and needs no further word.
    context.good(&CREATE);
    context.write_version("pdf", "pdf", "1.0.0");
    context.good(&["publish", "pdf", "--namespace", "ada", "--yes"]);
}
