//! What questions look like where they have styles.

use cliclack::{Theme, ThemeState, set_theme};

/// Lets questions look so that one which is left says nothing of its own: whoever asked tells what
/// becomes of it.
pub(super) fn choose() {
    set_theme(Brief);
}

struct Brief;

impl Theme for Brief {
    fn format_footer_with_message(&self, state: &ThemeState, message: &str) -> String {
        match state {
            ThemeState::Cancel => format!("{}\n", self.bar_color(state).apply_to('└')),
            _ => Usual.format_footer_with_message(state, message),
        }
    }
}

/// All else is as ever.
struct Usual;

impl Theme for Usual {}
