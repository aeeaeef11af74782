//! Recall, nDCG and the paired bootstrap.

/// What one query scored: recall at 1, 5 and 10, and nDCG at 10.
pub(crate) type Marks = [f64; 4];

/// Marks a ranking against the wanted documents.
pub(crate) fn mark(ranking: &[u32], wanted: &[u32]) -> Marks {
    let recall = |depth: usize| {
        ranking
            .iter()
            .take(depth)
            .filter(|document| wanted.contains(document))
            .count() as f64
            / wanted.len() as f64
    };
    let worth = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let gained: f64 = (0..)
        .zip(ranking.iter().take(10))
        .filter(|(_, document)| wanted.contains(document))
        .map(|(rank, _)| worth(rank))
        .sum();
    let ideal: f64 = (0..wanted.len().min(10)).map(worth).sum();
    [recall(1), recall(5), recall(10), gained / ideal]
}

/// The mean of each mark, in percent.
pub(crate) fn mean(marks: &[Marks]) -> Marks {
    std::array::from_fn(|place| {
        100.0 * marks.iter().map(|mark| mark[place]).sum::<f64>() / marks.len().max(1) as f64
    })
}

/// Mean difference of one mark in points and its 95% interval, by resampling queries with replacement.
pub(crate) fn bootstrap(ours: &[Marks], theirs: &[Marks], place: usize) -> (f64, f64, f64) {
    const RESAMPLES: usize = 10_000;
    let differences: Vec<f64> = ours
        .iter()
        .zip(theirs)
        .map(|(our, their)| 100.0 * (our[place] - their[place]))
        .collect();
    let count = differences.len();
    let mut state = 0x5eed_u64;
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            (0..count)
                .map(|_| differences[(next(&mut state) % count as u64) as usize])
                .sum::<f64>()
                / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (
        differences.iter().sum::<f64>() / count as f64,
        means[RESAMPLES / 40],
        means[RESAMPLES - RESAMPLES / 40 - 1],
    )
}

/// `SplitMix64`: small, seeded, the same everywhere.
pub(crate) fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
