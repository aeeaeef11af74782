"""What a registry of a million skills and a billion downloads a day asks of its parts: a simulation.

Skills are as popular as words are frequent (Zipf). Clients ask caches at the edge; what reaches the registry depends
on how long a cache may keep an index file. For each skill and each edge the requests come at random (Poisson), so of
a rate r a cache with a lifetime t passes on r / (1 + r t). The closed form is checked with drawn arrivals. What a
request costs is measured by `benches/registry.py` and given here.
"""

import argparse
import math
import random
import sys

DAY = 86_400


def rates(skills: int, total: float, exponent: float, groups: int = 4_000) -> list[tuple[float, float]]:
    """(rate of one skill, how many skills have it), popular ones singly and the rest in groups of similar ones."""
    edges, place = [], 1
    while place <= skills:
        edges.append(place)
        place = max(place + 1, math.ceil(place * (1 + 12 / groups)))
    edges.append(skills + 1)
    found = []
    for first, after in zip(edges, edges[1:]):
        found.append(((first + after - 1) / 2, after - first))
    share = sum(rank**-exponent * many for rank, many in found)
    return [(total * rank**-exponent / share, many) for rank, many in found]


def passed_on(popularity, edges: int, lifetime: float) -> float:
    """Requests a second that the caches pass on."""
    return sum(many * edges * (rate / edges) / (1 + rate / edges * lifetime) for rate, many in popularity)


def drawn(popularity, edges: int, lifetime: float, chance: random.Random) -> float:
    """The same by drawing arrivals at one edge: for the popular skills, and for one in four kinds of the others."""
    total = 0.0
    for place, (rate, many) in enumerate(popularity):
        weight = many * edges
        if place >= 200:
            if place % 4:
                continue
            weight *= 4
        time, fresh_until, passed, each = 0.0, 0.0, 0, rate / edges
        seconds = max(40 * lifetime, 100 / each)
        # A skill that is asked for all the time is passed on once in each lifetime; nothing to draw.
        if each * lifetime > 1_000:
            passed = seconds / (lifetime + 1 / each)
        else:
            while (time := time + chance.expovariate(each)) < seconds:
                if time >= fresh_until:
                    passed += 1
                    fresh_until = time + lifetime
        total += passed / seconds * weight
    return total


def cached_share(popularity, bytes_each: float, room: float) -> float:
    """The share of downloads that an edge answers when it keeps the most popular archives."""
    kept, share, total = 0.0, 0.0, sum(rate * many for rate, many in popularity)
    for rate, many in popularity:
        many_kept = min(many, max(0, (room - kept) // bytes_each))
        kept += many_kept * bytes_each
        share += rate * many_kept
        if many_kept < many:
            break
    return share / total


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--skills", type=int, default=1_000_000)
    arguments.add_argument("--downloads", type=float, default=1e9, help="a day")
    arguments.add_argument("--versions", type=float, default=6, help="of a skill")
    arguments.add_argument("--publishes", type=float, default=50_000, help="a day")
    arguments.add_argument("--searches", type=float, default=20e6, help="a day")
    arguments.add_argument("--exponent", type=float, default=0.9, help="how uneven popularity is")
    arguments.add_argument("--peak", type=float, default=3, help="the busiest hour beside the mean")
    arguments.add_argument("--edges", type=int, default=100)
    arguments.add_argument("--archive-kb", type=float, default=20)
    arguments.add_argument("--index-line", type=float, default=420, help="bytes")
    # Measured with `make bench-registry`, CPU of one core.
    arguments.add_argument("--index-us", type=float, default=40)
    arguments.add_argument("--download-us", type=float, default=50)
    arguments.add_argument("--search-us", type=float, default=3_000)
    arguments.add_argument("--search-mb", type=float, default=90, help="for 100,000 skills")
    arguments.add_argument("--publish-ms", type=float, default=5)
    arguments.add_argument("--row-bytes", type=float, default=1_800, help="of one version in the database")
    o = arguments.parse_args()

    mean = o.downloads / DAY
    peak = mean * o.peak
    popularity = rates(o.skills, peak, o.exponent)
    print(f"{o.skills:,} skills, {o.downloads:,.0f} downloads a day: {mean:,.0f} a second, {peak:,.0f} at the peak\n")

    print("index: each install asks for one file; what reaches the registry by the lifetime at the edge")
    print(f"{'lifetime s':>10} {'passed on/s':>12} {'share':>7} {'cores':>6} {'drawn/s':>9}")
    chance = random.Random(7)
    for lifetime in (0, 10, 60, 300):
        through = passed_on(popularity, o.edges, lifetime)
        check = drawn(popularity, o.edges, lifetime, chance) if lifetime else through
        print(f"{lifetime:>10} {through:>12,.0f} {through / peak:>7.1%} {through * o.index_us / 1e6:>6.2f} {check:>9,.0f}")

    print("\narchives: they never change, so an edge keeps what it has room for")
    print(f"{'room GB':>10} {'answered':>9} {'to origin/s':>12} {'Gbit/s':>7} {'cores':>6}")
    for room in (1, 10, 100):
        share = cached_share(popularity, o.archive_kb * 1000, room * 1e9)
        through = peak * (1 - share)
        print(f"{room:>10} {share:>9.1%} {through:>12,.0f} {through * o.archive_kb * 8 / 1e6:>7.2f} {through * o.download_us / 1e6:>6.2f}")
    print(f"sent to clients: {peak * o.archive_kb * 8 / 1e6:.1f} Gbit/s at the peak, "
          f"{o.downloads * o.archive_kb / 1e9:.0f} TB a day; stored: {o.skills * o.versions * o.archive_kb / 1e9:.2f} TB")

    versions = o.skills * o.versions
    searches = o.searches / DAY * o.peak
    shards = max(1, math.ceil(o.skills / 100_000 / 10))
    print(f"\nsearch: {searches:,.0f} a second at the peak; cost grows with the skills, {o.search_us * o.skills / 1e5 / 1e3:.0f} ms of a core each "
          f"in one index, so {searches * o.search_us * o.skills / 1e5 / 1e6:.0f} cores; memory {o.search_mb * o.skills / 1e5 / 1e3:.1f} GB a copy")
    print(f"        by shards of 100,000 skills: {o.skills // 100_000} shards, each answer {o.search_us / 1e3:.1f} ms and a merge")
    print(f"database: {versions * o.row_bytes / 1e9:.1f} GB for {versions:,.0f} versions; {o.publishes / DAY * o.peak:.1f} publishes a second at the peak, "
          f"{o.publishes / DAY * o.peak * o.publish_ms / 1e3:.3f} cores, one writer at a time")
    counted = o.downloads * 40
    print(f"downloads: one row per visitor, skill and day would be {counted / 1e9:.0f} GB a day; at this size they are counted "
          f"from the logs of the edge, and the registry gets {o.skills:,} sums a day")
    nodes = versions * 2 * 32
    depth = math.ceil(math.log2(versions))
    print(f"log: {versions:,.0f} leaves, {nodes / 1e9:.2f} GB of hashes in memory, proofs of {depth} hashes ({depth * 71 / 1e3:.1f} KB of JSON); "
          f"a publish adds {depth} hashes at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
