//! Reciprocal rank fusion: the place where another ranking, such as one by embeddings, joins the word ranking.
//!
//! Ranks are fused and not scores, because the scores of two methods have no common scale.

use std::collections::BTreeMap;

/// How slowly the worth of a rank falls; the value of the original publication, insensitive in practice.
const RANK_OFFSET: f64 = 60.0;

/// Fuses rankings of document numbers, best first, each with its weight; ties go to the lower document number.
///
/// Weights that are not positive numbers switch their ranking off. A document named twice in a ranking counts once, at its best rank.
pub fn fuse(rankings: &[(f64, &[u32])]) -> Vec<(u32, f64)> {
    let mut worth: BTreeMap<u32, f64> = BTreeMap::new();
    for (weight, ranking) in rankings {
        if !weight.is_finite() || *weight <= 0.0 {
            continue;
        }
        let mut seen = std::collections::BTreeSet::new();
        for (rank, document) in (1_u32..).zip(ranking.iter()) {
            if seen.insert(*document) {
                *worth.entry(*document).or_default() += weight / (RANK_OFFSET + f64::from(rank));
            }
        }
    }
    let mut fused: Vec<(u32, f64)> = worth.into_iter().collect();
    fused.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rankings: &[(f64, &[u32])]) -> Vec<u32> {
        fuse(rankings)
            .into_iter()
            .map(|(document, _)| document)
            .collect()
    }

    #[test]
    fn agreement_wins() {
        assert_eq!(order(&[(1.0, &[1, 2, 3]), (1.0, &[2, 3, 4])]), [2, 3, 1, 4]);
    }

    #[test]
    fn weight_decides_between_disagreeing_rankings() {
        assert_eq!(order(&[(1.0, &[1, 2]), (3.0, &[2, 1])]), [2, 1]);
        assert_eq!(
            order(&[(1.0, &[1, 2]), (0.0, &[2, 1]), (f64::NAN, &[9])]),
            [1, 2]
        );
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(fuse(&[]).is_empty());
        assert!(fuse(&[(1.0, &[])]).is_empty());
    }
}
