"""Listing skills: our cold and warm runs beside `cat`, `find` and what users have today.

One run, one machine, CPU time (user + system) and the time that a person waits as the measures,
ratios as the result. The commands take turns, so that a busy moment meets all of them, each after a run
of its own that does not count. Peers that are not installed are installed from their registries into
`target/peers` when `--peers` is given.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import load, may_go_first, one_run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
COLD, WARM = "skillyard list --no-index", "skillyard list --json, index"
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


def measure(commands: dict, home: Path, cwd: Path, runs: int) -> dict:
    """Median CPU and elapsed seconds and peak memory in MB of each command; none for one that failed."""
    first, env = may_go_first(), {**os.environ, "HOME": str(home)}
    taken = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            words = ["/bin/sh", "-c", command] if isinstance(command, str) else [shutil.which(command[0]), *command[1:]]
            one_run(words, cwd, env, first)
            taken[name].append(one_run(words, cwd, env, first))
    return {
        name: (*(statistics.median(each[at] for each in rows) for at in (0, 1)), max(each[2] for each in rows))
        if None not in rows else None
        for name, rows in taken.items()
    }


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
        quietly = {"cwd": project, "env": {**os.environ, "HOME": str(home)}, "stdout": subprocess.DEVNULL,
                   "stderr": subprocess.DEVNULL}
        subprocess.run([binary, "trust", "."], check=True, **quietly)
        subprocess.run([binary, "list"], check=True, **quietly)
        subprocess.run([binary, "match", "fill a form"], check=False, **quietly)
        many = options.count > 20_000
        rows = measure({
            "cat of every SKILL.md": f"find {skills} -name SKILL.md -exec cat {{}} +" if many
            else f"cat {skills}/*/SKILL.md",
            "find -name SKILL.md": ["find", str(skills), "-name", "SKILL.md"],
            COLD: [binary, "list", "--no-index"],
            "skillyard list --json, no index": [binary, "list", "--json", "--no-index"],
            WARM: [binary, "list", "--json"],
            "skillyard list, index": [binary, "list"],
            "skillyard match, whole process": [binary, "match", "fill in a pdf form and send the invoice"],
            **peers(options.peers),
        }, home, project, options.runs)

        print(f"{options.count} skills of about 4 KB, two further files each; median of {options.runs} runs, {load()}\n")
        columns = ("CPU ms", "of cold", "of warm", "wait ms", "of cold", "of warm", "peak MB")
        print(f"{'':<34}" + "".join(f" {column:>8}" for column in columns))
        for name, result in rows.items():
            if result is None:
                print(f"{name:<34} failed")
                continue
            numbers = []
            for seconds, cold, warm in zip(result, rows[COLD], rows[WARM][:2]):
                numbers += [f"{seconds * 1000:.1f}", f"{seconds / cold:.2f}", f"{seconds / warm:.2f}"]
            print(f"{name:<34}" + "".join(f" {number:>8}" for number in [*numbers, f"{result[2]:.1f}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
