//! Names that Windows takes for a device.

use super::{Report, Subject};
use crate::name::normalise;
use crate::package::archive::is_device;

rule! {
    /// A `name` should not be that of a device on Windows, such as `con`, `nul` or `com1`.
    ///
    /// No folder can have such a name there, so the skill cannot be put into an archive.
    ///
    /// **Fix:** choose another name.
    "name-device", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some((entry, name)) = subject.text("name") else {
        return;
    };
    let name = normalise(name);
    if is_device(&name) {
        report
            .add(
                &RULE,
                entry.value.span,
                format!("`{name}` is a device on Windows, where no folder can have that name"),
            )
            .help("choose another name");
    }
}
