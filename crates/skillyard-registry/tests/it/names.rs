//! Names that live off popular ones.

use serde_json::json;
use skillyard_registry::store::downloads::Download;
use skillyard_registry::store::{downloads, held};

use super::yard::{Yard, skill};

async fn popular(yard: &Yard, skill: &str, count: usize) {
    let visit = |number| Download {
        skill: skill.to_owned(),
        day: "2027-01-15".to_owned(),
        visitor: format!("visitor {number}"),
    };
    let visits: Vec<Download> = (0..count).map(visit).collect();
    downloads::count(&yard.database, &visits).await.unwrap();
}

#[tokio::test]
async fn a_name_one_letter_from_a_popular_one_is_held() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    for name in ["pdf-tools", "quiet-words"] {
        yard.publish(&ada, skill(name, "1.0.0")).await;
    }
    popular(&yard, "pdf-tools", 100).await;
    for near in ["pdf-tool", "pdf-toosl", "odf-tools", "pdf-toolsx"] {
        let answer = yard.publish(&eve, skill(near, "1.0.0")).await;
        assert_eq!(answer.problem(), "409 held-name", "{near}");
        assert!(
            answer.text().contains("one letter from `pdf-tools`"),
            "{}",
            answer.text()
        );
        assert_eq!(yard.get(&format!("/skills/{near}")).await.status, 404);
    }
    // What nobody uses, what is further away and one's own are free.
    for (free, token) in [
        ("quiet-word", &eve),
        ("pdf-forms", &eve),
        ("pdf-toolx", &ada),
    ] {
        assert_eq!(
            yard.publish(token, skill(free, "1.0.0")).await.status,
            201,
            "{free}"
        );
    }
    // In a namespace it says whose it is.
    assert_eq!(
        yard.publish_in("eve", &eve, skill("pdf-tool", "1.0.0"))
            .await
            .status,
        201
    );

    let names = held::list(&yard.database).await.unwrap();
    assert_eq!(names.len(), 4);
    assert!(
        names
            .iter()
            .all(|each| each.account == "eve" && each.allowed.is_none())
    );
    let now = jiff::Timestamp::from_second(1_800_000_000).unwrap();
    assert!(
        held::allow(&yard.database, "pdf-tool", "eve", now)
            .await
            .unwrap()
    );
    assert!(
        !held::allow(&yard.database, "pdf-tool", "bob", now)
            .await
            .unwrap()
    );
    assert_eq!(
        yard.publish(&eve, skill("pdf-tool", "1.0.0")).await.status,
        201
    );
    assert_eq!(
        yard.publish(&eve, skill("odf-tools", "1.0.0"))
            .await
            .problem(),
        "409 held-name"
    );
}

#[tokio::test]
async fn a_namespace_one_letter_from_a_popular_one_is_held() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    yard.put("/namespaces/wonderful", &ada, &json!({})).await;
    yard.publish_in("wonderful", &ada, skill("forms", "1.0.0"))
        .await;
    popular(&yard, "@wonderful/forms", 100).await;
    let near = yard.put("/namespaces/wonderfull", &eve, &json!({})).await;
    assert_eq!(near.problem(), "409 held-name");
    assert_eq!(
        yard.put("/namespaces/wonderfull", &ada, &json!({}))
            .await
            .status,
        200
    );
    assert_eq!(
        held::list(&yard.database).await.unwrap()[0].name,
        "@wonderfull"
    );
}
