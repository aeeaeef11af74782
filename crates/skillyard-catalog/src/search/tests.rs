//! Searching at its public boundary.

use proptest::prelude::*;

use super::{Detail, Index, MatchOrigin, Options, SearchDocument, Triggers};

fn skill<'a>(name: &'a str, description: &'a str) -> SearchDocument<'a> {
    SearchDocument {
        id: name.into(),
        name: name.into(),
        description: description.into(),
        ..SearchDocument::default()
    }
}

fn catalog() -> Vec<SearchDocument<'static>> {
    vec![
        skill(
            "pdf-forms",
            "Fill in PDF forms and extract tables from documents",
        ),
        skill(
            "kubernetes-deploy",
            "Deploy containers to a Kubernetes cluster",
        ),
        skill("weather", "Provide the latest weather forecast for a city"),
        skill("trip-planner", "Plan travel with hotels and itineraries"),
        skill("diceroller", "App for the d20 and Fate systems"),
        skill("weather-radar", "Radar images of storms"),
        skill("tenki", "天気予報を表示するスキル"),
    ]
}

fn check(task: &str, expected: &[&str]) {
    let index = Index::build(catalog());
    let found = index.search(
        task,
        &Options {
            limit: expected.len(),
            ..Options::default()
        },
    );
    let names: Vec<&str> = found.iter().map(|hit| index.name(hit.document)).collect();
    assert_eq!(names, expected, "{task}");
}

#[test]
fn finds_by_word_and_by_form_of_word() {
    check("deploying a container", &["kubernetes-deploy"]);
    check("table extraction", &["pdf-forms"]);
    check("What's the forecast?", &["weather"]);
}

#[test]
fn a_name_that_says_nothing_is_still_a_name() {
    let mut skills = catalog();
    skills.push(skill("do", "Work on what is to be done"));
    skills.push(skill("how-not", "Avoid mistakes"));
    let index = Index::build(skills);
    let names = |task: &str| -> Vec<&str> {
        let found = index.search(task, &Options::default());
        found.iter().map(|hit| index.name(hit.document)).collect()
    };
    assert_eq!(names(" Do "), ["do"]);
    assert_eq!(names("how-not"), ["how-not"]);
    assert_eq!(names("it"), [""; 0]);
    assert_eq!(names(""), [""; 0]);
}

#[test]
fn the_exact_name_comes_first() {
    check("weather", &["weather", "weather-radar"]);
    check("weather-radar", &["weather-radar", "weather"]);
    // However much another says about it.
    let mut skills = catalog();
    skills.push(skill("xlsx", "Work with spreadsheets"));
    skills.push(skill(
        "minimax-xlsx",
        "xlsx: make xlsx, read xlsx, edit xlsx",
    ));
    let index = Index::build(skills);
    let first = &index.search("xlsx", &Options::default())[0];
    assert_eq!(index.name(first.document), "xlsx");
}

#[test]
fn forgives_spelling() {
    check("kubernets", &["kubernetes-deploy"]);
    check("kuberentes", &["kubernetes-deploy"]);
    check("itinerarys", &["trip-planner"]);
    check("contaner", &["kubernetes-deploy"]);
}

#[test]
fn completes_words() {
    check("kube", &["kubernetes-deploy"]);
}

#[test]
fn knows_general_english() {
    check("book a flight", &["trip-planner"]);
    check("will it rain tomorrow", &["weather"]);
}

#[test]
fn reads_names_without_gaps() {
    check("roll some dice", &["diceroller"]);
}

#[test]
fn documents_without_a_body_stand_beside_those_with_one() {
    let mut documents = catalog();
    documents[1].body = Some("Check the weather of the city before a trip.".into());
    let index = Index::build(documents);
    let found = index.search("weather in the city", &Options::default());
    assert_eq!(index.name(found[0].document), "weather");
}

#[test]
fn finds_unspaced_scripts() {
    check("天気", &["tenki"]);
}

#[test]
fn an_index_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Index>();
}

#[test]
fn nothing_asked_is_nothing_found() {
    let index = Index::build(catalog());
    for task in ["", "   ", "the of and", "!?", "\0", "qqqqzzzz"] {
        assert!(index.search(task, &Options::default()).is_empty(), "{task}");
    }
    assert!(
        index
            .search(
                "weather",
                &Options {
                    limit: 0,
                    ..Options::default()
                }
            )
            .is_empty()
    );
    assert!(
        Index::build([])
            .search("weather", &Options::default())
            .is_empty()
    );
}

#[test]
fn filters_by_predicate() {
    let index = Index::build(catalog());
    let filter = |document: u32| index.name(document) != "weather";
    let found = index.search(
        "weather",
        &Options {
            filter: Some(&filter),
            ..Options::default()
        },
    );
    assert_eq!(
        found
            .iter()
            .map(|hit| index.name(hit.document))
            .collect::<Vec<_>>(),
        ["weather-radar"]
    );
}

#[test]
fn explanations_add_up_to_the_score() {
    let mut documents = catalog();
    documents[0].triggers = Triggers {
        keywords: vec!["acroform".into()],
        verbs: vec!["fill".into()],
        patterns: vec!["(".into(), r"fill\b.*\bform".into(), "form".into()],
    };
    documents[0].tags = vec!["office".into()];
    documents[0].body = Some("Open the form and fill its fields.".into());
    let index = Index::build(documents);
    let found = index.search(
        "Fill this tax form",
        &Options {
            detail: Detail::Explained,
            ..Options::default()
        },
    );
    assert_eq!(index.name(found[0].document), "pdf-forms");
    let why = found[0].explanation.clone().expect("asked for");
    let trigger = why.trigger.expect("the second pattern matches");
    assert_eq!(trigger.text, "Fill this tax form");
    assert_eq!(why.matches[0].origin, MatchOrigin::Asked);
    let sum =
        why.matches.iter().map(super::Match::worth).sum::<f32>() + why.name_bonus + trigger.worth;
    assert!(
        (sum - found[0].score).abs() < 1e-3,
        "{sum} is not {}",
        found[0].score
    );
}

#[test]
fn a_pattern_alone_is_enough() {
    let mut documents = catalog();
    documents[3].triggers.patterns = vec![r"\bxyzzy-\d+\b".into()];
    let index = Index::build(documents);
    assert_eq!(index.search("XYZZY-42", &Options::default())[0].document, 3);
}

#[test]
fn a_pattern_comes_before_shared_words() {
    let words = "Fills every tax form, form by form, and fills the fields of a tax form";
    let mut documents = vec![skill("tax-form-fill", words), skill("other", "Greets.")];
    let task = "fill my tax form";
    let first = |documents: Vec<SearchDocument<'static>>| {
        Index::build(documents).search(task, &Options::default())[0].document
    };
    assert_eq!(first(documents.clone()), 0);
    documents[1].triggers.patterns = vec![r"\bmy tax\b".into()];
    assert_eq!(first(documents.clone()), 1);
    // A pattern that is about everything is about nothing.
    documents[1].triggers.patterns = vec![r"\w+".into()];
    assert_eq!(first(documents), 0);
}

#[test]
fn hostile_sizes_are_survived() {
    let mut words = String::new();
    for number in 0..1_000_000 {
        words.push('w');
        words.push_str(&(number % 300_000).to_string());
        words.push(' ');
    }
    let mut documents = catalog();
    documents[0].body = Some(words.as_str().into());
    documents[1].triggers.patterns = vec!["(a+)+$".into(), "(.*a){25}".into()];
    let index = Index::build(documents);
    assert!(index.search(&words[..1 << 20], &Options::default()).len() <= 10);
    assert!(
        index
            .search(&("b".repeat(1 << 20) + "!"), &Options::default())
            .is_empty()
    );
    assert!(
        index
            .search(&"天".repeat(1 << 18), &Options::default())
            .is_empty()
    );
}

proptest! {
    #[test]
    fn the_order_of_documents_does_not_matter(order in Just((0..7).collect::<Vec<usize>>()).prop_shuffle(), task in "(weather|form|plan|city|storms|deploy| ){1,6}") {
        let ranking = |documents: Vec<SearchDocument<'_>>| -> Vec<(String, f32)> {
            let index = Index::build(documents);
            index.search(&task, &Options::default()).iter().map(|hit| (index.name(hit.document).to_owned(), hit.score)).collect()
        };
        let catalog = catalog();
        let shuffled = order.iter().map(|place| catalog[*place].clone()).collect();
        prop_assert_eq!(ranking(catalog), ranking(shuffled));
    }

    #[test]
    fn any_text_is_searched_without_panic(texts in proptest::collection::vec("\\PC{0,60}", 1..6), task in "\\PC{0,80}") {
        let index = Index::build(texts.iter().map(|text| SearchDocument {
            body: Some(text.as_str().into()),
            triggers: Triggers { patterns: vec![text.as_str().into()], ..Triggers::default() },
            ..skill(text, text)
        }));
        let found = index.search(&task, &Options { detail: Detail::Explained, ..Options::default() });
        prop_assert!(found.is_sorted_by(|left, right| left.score >= right.score));
        prop_assert!(found.iter().all(|hit| hit.score.is_finite()));
    }
}
