//! Comments of `skills.toml` where entries come and go.

use toml_edit::{Decor, DocumentMut, Item, RawString, Table};

/// Puts a table for skills below everything that is there, if there is none: what stands below the
/// last entry belongs to the end of the file otherwise, and would come behind the table.
pub(super) fn make_room(document: &mut DocumentMut) {
    let mut above = plain(document.trailing());
    if document.contains_key("skills") || above.trim().is_empty() {
        return;
    }
    for _ in 0..2 {
        if !above.ends_with("\n\n") {
            above.push('\n');
        }
    }
    let mut table = Table::new();
    table.decor_mut().set_prefix(above);
    document.insert("skills", Item::Table(table));
    document.set_trailing("");
}

/// Hands over what stands above a skill and is about more than it, before the skill goes: to the next
/// one, or to the end of the file.
pub(super) fn keep(document: &mut DocumentMut, name: &str) {
    let Some(table) = document.get_mut("skills").and_then(Item::as_table_mut) else {
        return;
    };
    let above = table.key(name).map(|key| text_of(key.leaf_decor()));
    let names = table.iter().map(|(each, _)| each.to_owned());
    let next = names.skip_while(|each| each != name).nth(1);
    let next = next.and_then(|next| table.key_mut(&next));
    let mut above = above.unwrap_or_default();
    if let Some(mut next) = next {
        let decor = next.leaf_decor_mut();
        let own = text_of(decor);
        // Where the next one stands directly below, the comment is the heading of both.
        if own.contains('\n') {
            above = apart(&above);
        }
        decor.set_prefix(above + &own);
    } else {
        let end = plain(document.trailing());
        document.set_trailing(apart(&above) + &end);
    }
}

/// What of the lines above an entry is set apart from it by an empty one, if anything is written there.
fn apart(above: &str) -> String {
    let apart = above.rfind("\n\n").map_or("", |at| &above[..at + 2]);
    if apart.contains('#') {
        apart.to_owned()
    } else {
        String::new()
    }
}

fn text_of(decor: &Decor) -> String {
    decor.prefix().map_or_else(String::new, plain)
}

/// The text with the line ends that it has while it is worked on.
fn plain(text: &RawString) -> String {
    text.as_str().unwrap_or_default().replace("\r\n", "\n")
}
