//! A folder of the project is not mistaken for a stranger's repository.

use crate::project::project;

#[test]
fn nor_in_a_manifest() {
    let context = project();
    context.write_version("skills/pdf", "pdf", "1.0.0");
    context.write("skills.toml", "[skills]\npdf = \"skills/pdf\"\n");
    for command in [&["sync", "--yes"][..], &["update", "--yes"]] {
        let told = context.tell(command);
        let both = "`skills/pdf` could be a folder or a repository";
        assert!(told.contains(both), "{told}");
        let hint = "Write `pdf = \"./skills/pdf\"` into skills.toml";
        assert!(told.contains(hint), "{told}");
    }
    context.write("skills.toml", "[skills]\npdf = \"./skills/pdf\"\n");
    context.done(&["sync", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("This is 1.0.0."));
}
