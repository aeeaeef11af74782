//! Files that a skill links and that nobody gets with it, because git ignores them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use skillyard_catalog::regular_file::beginning;
use skillyard_format::Document;
use skillyard_format::diagnostic::{Diagnostic, Severity};
use skillyard_format::document::MAX_BYTES;
use skillyard_format::links::may_have_links;
use skillyard_install::tree::Ignored;

use super::Profile;
use crate::context::Context;
use crate::ignored_links::{adding, ignored_links};
use crate::installed::Installed;
use crate::report::Checked;

/// The folders of skills that may link files of theirs; others need not be asked about.
#[derive(Default)]
pub(super) struct Linking(Mutex<Folders>);

#[derive(Default)]
struct Folders {
    plain: Vec<PathBuf>,
    /// Those with repositories in them, such as submodules, which are asked as well.
    holding: Vec<PathBuf>,
}

impl Linking {
    /// Notes a skill, if it may have such links.
    pub(super) fn note(&self, folder: &Path, document: &Document<'_>, holds_repository: bool) {
        if may_have_links(&document.text, document.body_span()) {
            let folders = self.0.lock();
            let mut folders = folders.unwrap_or_else(PoisonError::into_inner);
            let noted = if holds_repository {
                &mut folders.holding
            } else {
                &mut folders.plain
            };
            noted.push(folder.to_owned());
        }
    }

    /// Adds what is told of their links. Git is asked once for all skills of a repository; where it
    /// does not answer, nothing is known of them.
    pub(super) fn tell(self, context: &Context, checked: &mut [Checked], profile: Profile) {
        let folders = self.0.into_inner();
        let folders = folders.unwrap_or_else(PoisonError::into_inner);
        let Folders {
            mut plain,
            mut holding,
        } = folders;
        if plain.is_empty() && holding.is_empty() {
            return;
        }
        // What was installed is here as a whole, whatever the project ignores.
        let installed = Installed::readable(context).unwrap_or_default();
        plain.retain(|folder| installed.entry(folder).is_none());
        holding.retain(|folder| installed.entry(folder).is_none());
        let ignoring = context.ignoring();
        let mut ignored = ignoring.around(&plain);
        ignored.extend(ignoring.in_folders(&holding));
        let folders = plain.into_iter().chain(holding);
        let is_known = |(_, ignored): &(PathBuf, Ignored)| {
            ignored.unasked().is_none() && ignored.paths().next().is_some()
        };
        let known = folders.zip(ignored).filter(is_known);
        let known: BTreeMap<PathBuf, Ignored> = known.collect();
        for each in checked {
            if let Some(ignored) = known.get(&each.folder) {
                add(each, ignored, profile);
            }
        }
    }
}

fn add(checked: &mut Checked, ignored: &Ignored, profile: Profile) {
    let bytes = beginning(&checked.path(), MAX_BYTES as u64).unwrap_or_default();
    let document = Document::parse(&bytes);
    for link in ignored_links(&document, |path| ignored.has(path)) {
        let place = checked.folder.join(&link.path);
        // One that leads to nothing is told already.
        if !place.exists() {
            continue;
        }
        let command = adding(&place);
        checked.diagnostics.push(Diagnostic {
            code: "link-broken",
            severity: match profile {
                Profile::Strict => Severity::Error,
                _ => Severity::Warning,
            },
            span: Some(link.span),
            message: format!(
                "git ignores `{}`, so that the skill is delivered without it",
                link.path
            ),
            help: Some(format!(
                "let git have it with `{command}`, or link another file"
            )),
            fix: Vec::new(),
        });
        if checked.text.is_empty() {
            checked.text = document.text.clone().into_owned();
        }
    }
}
