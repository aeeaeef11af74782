"""Listing skills: our cold and warm runs beside `cat`, `find` and what users have today.

One run, one machine, CPU time (user + system) as the measure, ratios as the result. Peers that
are not installed are installed from their registries into `target/peers` when `--peers` is given.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = (
    "pdf form table chart invoice report branch commit deploy server client token cache query index image "
    "audio video mail letter parse render merge split check build test note plan team user task file folder "
    "week month price order stock trade flight hotel recipe garden music paint"
).split()


def make_skills(folder: Path, count: int) -> None:
    """Skills of about 4 KB with two further files each, always the same ones."""
    chance = random.Random(7)
    words = lambda number: " ".join(chance.choice(WORDS) for _ in range(number))
    for number in range(count):
        name = f"{chance.choice(WORDS)}-{chance.choice(WORDS)}-{number}"
        skill = folder / name
        (skill / "scripts").mkdir(parents=True)
        (skill / "references").mkdir()
        body = "\n\n".join(words(85) for _ in range(7))
        (skill / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: {words(28).capitalize()}. Use when the user asks for it.\n"
            f'license: MIT\nmetadata:\n  author: someone\n  version: "1.0.{number}"\n  tags: {words(2)}\n---\n\n'
            f"# {name}\n\n{body}\n"
        )
        (skill / "scripts/run.sh").write_text("#!/bin/sh\necho hello\n")
        (skill / "references/details.md").write_text(f"# Details\n\n{body[:1000]}\n")


def cpu(command, home: Path, cwd: Path, runs: int):
    """Median CPU seconds and peak memory in MB of a command."""
    times, peak = [], 0
    for _ in range(runs):
        process = subprocess.Popen(
            command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(home)}, shell=isinstance(command, str),
        )
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            return None
        times.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return statistics.median(times), peak


def peers(install: bool):
    """The commands of other tools, as far as they are there."""
    place = ROOT / "target/peers"
    if install:
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "bin/knack").exists():
            subprocess.run(["cargo", "install", "-q", "knack", "--root", place], check=False)
        if not (place / "node_modules/skills").exists():
            # These want a newer Node.js than Debian has, so one comes along.
            packages = ["node@24", "skills@1.7.4", "openskills@1.5.0"]
            subprocess.run(["npm", "install", "-s", "--force", "--prefix", place, *packages], check=False)
    found = {}
    if (place / "bin/knack").exists():
        found["knack list (Rust)"] = [str(place / "bin/knack"), "list"]
    node = place / "node_modules/.bin/node"
    for name in ("skills", "openskills"):
        script = place / "node_modules/.bin" / name
        if script.exists() and node.exists():
            found[f"{name} list (npm)"] = [str(node), str(script), "list"]
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=10_000)
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--peers", action="store_true", help="install peers that are missing")
    options = arguments.parse_args()
    binary = Path(os.environ.get("SKILLYARD_BIN", ROOT / "target/release/skillyard")).resolve()
    if not binary.exists():
        print(f"{binary} is missing: run `cargo build --release` first", file=sys.stderr)
        return 2

    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        project = Path(place) / "project"
        skills = project / ".agents/skills"
        home.mkdir()
        skills.mkdir(parents=True)
        make_skills(skills, options.count)
        run = lambda command: cpu(command, home, project, options.runs)
        subprocess.run([binary, "trust", "."], cwd=project, env={**os.environ, "HOME": str(home)}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = {
            "cat of every SKILL.md": run(f"cat {skills}/*/SKILL.md" if options.count <= 20_000 else
                                         f"find {skills} -name SKILL.md -exec cat {{}} +"),
            "find -name SKILL.md": run(["find", str(skills), "-name", "SKILL.md"]),
            "skillyard list --no-index": run([binary, "list", "--no-index"]),
            "skillyard list --json, no index": run([binary, "list", "--json", "--no-index"]),
        }
        subprocess.run([binary, "list"], cwd=project, env={**os.environ, "HOME": str(home)}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        rows["skillyard list --json, index"] = run([binary, "list", "--json"])
        rows["skillyard list, index"] = run([binary, "list"])
        subprocess.run([binary, "match", "fill a form"], cwd=project, env={**os.environ, "HOME": str(home)},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        rows["skillyard match, whole process"] = run([binary, "match", "fill in a pdf form and send the invoice"])
        for name, command in peers(options.peers).items():
            rows[name] = run(command)

        cold = rows["skillyard list --no-index"][0]
        warm = rows["skillyard list --json, index"][0]
        print(f"{options.count} skills of about 4 KB, two further files each; median of {options.runs} runs\n")
        print(f"{'':<34} {'CPU ms':>8} {'of cold':>8} {'of warm':>8} {'peak MB':>8}")
        for name, result in rows.items():
            if result is None:
                print(f"{name:<34} failed")
                continue
            seconds, peak = result
            print(f"{name:<34} {seconds * 1000:>8.1f} {seconds / cold:>8.2f} {seconds / warm:>8.2f} {peak:>8.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
