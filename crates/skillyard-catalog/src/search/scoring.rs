//! The numbers of the ranking, in one place, so that they are measured together and never scattered.
//!
//! They are round on purpose. Five-fold cross-validation with coordinate ascent around them found nothing better on the queries left
//! out, so finer values would only describe the queries at hand.

use super::document::Field;

/// How much each kind of evidence counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoring {
    /// Worth of one occurrence in the head, by field in the order of [`Field::ALL`]; the last is unused.
    pub field_weights: [f32; Field::COUNT],
    /// How much a long field is held against a document, from 0 to 1, by field; the last is unused.
    pub length_penalties: [f32; Field::COUNT],
    /// How soon further occurrences in the head stop counting.
    pub head_saturation: f32,
    /// Worth of a match in the whole text against one in the head.
    pub text_weight: f32,
    /// How soon further occurrences in the whole text stop counting.
    pub text_saturation: f32,
    /// How much the length of the whole text is held against a document.
    pub text_penalty: f32,
    /// How soon repetitions of a word in the task stop counting.
    pub task_saturation: f32,
    /// Worth of a faint word of the task.
    pub faint_weight: f32,
    /// Worth of a word that the thesaurus relates to a word of the task.
    pub related_weight: f32,
    /// The most that several words of the task may give one related word.
    pub related_limit: f32,
    /// The number of documents about a word at which only half of its related words' worth is left.
    ///
    /// A word that many descriptions use needs no translation; one that no description uses needs it most.
    pub related_need: f32,
    /// Worth of a corrected word, once per edit, and of a completed one.
    pub spelling_weight: f32,
    /// Worth of a word of the task found at the start or end of a rare name written without gaps.
    pub compound_weight: f32,
    /// Worth of a task that is little else than the name.
    pub name_weight: f32,
    /// Worth of a task that is the name and nothing else: more than its words can give another document.
    pub exact_weight: f32,
    /// Worth of a matched trigger pattern, as a share of the best score by words; above 1, whoever has
    /// one comes before those that only share words with the task.
    pub pattern_weight: f32,
}

impl Default for Scoring {
    fn default() -> Self {
        Self {
            field_weights: [2.0, 1.0, 1.0, 1.5, 0.0],
            length_penalties: [0.5, 0.5, 0.3, 0.3, 0.0],
            head_saturation: 1.2,
            text_weight: 1.0,
            text_saturation: 1.2,
            text_penalty: 0.5,
            task_saturation: 1.0,
            faint_weight: 0.3,
            related_weight: 0.6,
            related_limit: 1.0,
            related_need: 4.0,
            spelling_weight: 0.4,
            compound_weight: 0.3,
            name_weight: 0.3,
            exact_weight: 4.5,
            pattern_weight: 1.1,
        }
    }
}
