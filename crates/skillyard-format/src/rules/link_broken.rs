//! Links to files that are not there.

use super::{Report, Subject};
use crate::links::{relative_links, resolve};

rule! {
    /// A relative link should lead to a file of the skill.
    ///
    /// Links are read from the skill's root. A model that follows a broken one wastes a step
    /// and guesses. A file that git ignores is not delivered, so that a link to it is broken for
    /// everybody else.
    ///
    /// **Fix:** correct the path, or add the file; one that git ignores with `git add -f`.
    "link-broken", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let (Some(files), true) = (subject.files, subject.mapping().is_some()) else {
        return;
    };
    for link in relative_links(&subject.document.text, subject.document.body_span()) {
        let message = match resolve(&link.target) {
            None => format!("`{}` leads out of the skill's folder", link.target),
            Some(path) => {
                let folder = format!("{}/", path.trim_end_matches('/'));
                let exists = path.is_empty()
                    || files
                        .iter()
                        .any(|file| file.path == path || file.path.starts_with(&folder));
                if exists {
                    continue;
                }
                format!("the skill has no file `{path}`")
            }
        };
        report
            .add(&RULE, link.span, message)
            .help("correct the path, or add the file");
    }
}
