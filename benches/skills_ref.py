"""CPU cost of validating skills: the reference validator and our binary, side by side in one run.

    python benches/skills_ref.py [--skills 3000] [--starts 20]

Two questions: what one skill costs in a batch (the reference in one Python process, our binary in one process, same
folders), and what one skill costs as a command (process start included). CPU is user + system time of the child
process as the kernel counts it, all threads summed. Real skills when the corpus is there, made-up ones otherwise.
Take numbers from a release build.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# This file shares its name with the reference package: its own folder must not be searched for imports.
sys.path[0] = str(Path(__file__).resolve().parents[1] / "tests" / "skills_ref")

import binary  # noqa: E402
import corpus_rows  # noqa: E402
import reference  # noqa: E402

REPEATS = 5
REFERENCE_BATCH = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
start = time.process_time()
from pathlib import Path
from skills_ref import validate
imported = time.process_time()
valid = crashes = 0
for line in open(sys.argv[1], encoding="utf-8"):
    try:
        valid += not validate(Path(line.rstrip("\\n")))
    except Exception:
        crashes += 1
print(json.dumps({"import": imported - start, "validate": time.process_time() - imported, "valid": valid, "crashes": crashes}))
"""


@dataclass(frozen=True)
class Cost:
    """What one child process used."""

    cpu: float
    wall: float
    output: bytes


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--skills", type=int, default=3000, help="skills in the batch")
    parser.add_argument("--starts", type=int, default=20, help="runs of the one-skill command")
    arguments = parser.parse_args()
    built = binary.find(prefer_release=True)
    with tempfile.TemporaryDirectory(prefix="skillyard-bench-") as folder:
        root = Path(folder)
        # As it is installed: a copy. What a linker has just written lies in memory in small pieces.
        skillyard = shutil.copy(built, root / "skillyard")
        folders, origin = lay_out(root / "skills", arguments.skills)
        print(f"{len(folders)} {origin} skills; {built.parent.name} build; Python {sys.version.split()[0]}\n")
        bench_batch(skillyard, folders, root)
        bench_start(skillyard, folders[0], arguments.starts)
    return 0


def bench_batch(skillyard: str, folders: list[Path], root: Path) -> None:
    """All folders in one process each."""
    listing = root / "folders.txt"
    listing.write_text("".join(f"{folder}\n" for folder in folders), encoding="utf-8")
    theirs = measure([sys.executable, "-P", "-c", REFERENCE_BATCH, str(listing)])
    inside = json.loads(theirs.output)
    each = 1e6 / len(folders)
    print(f"{'batch':<44}{'CPU s':>9}{'CPU µs/skill':>14}{'ratio':>8}{'valid':>8}")
    print(f"{'skills-ref, whole process':<44}{theirs.cpu:>9.3f}{theirs.cpu * each:>14.1f}{1:>8}{inside['valid']:>8}")
    print(f"{'  of which starting and importing':<44}{theirs.cpu - inside['validate']:>9.3f}")
    print(f"{'  of which validating':<44}{inside['validate']:>9.3f}{inside['validate'] * each:>14.1f}")
    for profile in ("skills-ref", "spec"):
        command = [skillyard, "validate", *map(str, folders), "--profile", profile]
        runs = [measure(command, allowed=(0, 1)) for _ in range(REPEATS)]
        cpu = statistics.median(run.cpu for run in runs)
        valid = sum(line.startswith(b"Valid skill: ") for line in runs[0].output.splitlines()) if profile == "skills-ref" else ""
        print(f"{f'skillyard validate --profile {profile}':<44}{cpu:>9.3f}{cpu * each:>14.1f}{theirs.cpu / cpu:>8.0f}{valid:>8}")
    if inside["crashes"]:
        print(f"the reference crashed on {inside['crashes']} skills, counted as not valid")


def bench_start(skillyard: str, folder: Path, starts: int) -> None:
    """One folder, one process, many times, the two taking turns."""
    commands = {
        "skills-ref validate": [*reference.command(), "validate", str(folder)],
        "skillyard validate --profile skills-ref": [skillyard, "validate", str(folder), "--profile", "skills-ref"],
        "skillyard validate": [skillyard, "validate", str(folder)],
    }
    runs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(starts):
        for name, command in commands.items():
            runs[name].append(measure(command, allowed=(0, 1)))
    print(f"\n{f'one skill, one process (median of {starts})':<44}{'CPU ms':>9}{'wall ms':>14}{'ratio':>8}")
    first = statistics.median(run.cpu for run in runs["skills-ref validate"])
    for name, costs in runs.items():
        cpu, wall = (statistics.median(getattr(cost, what) for cost in costs) for what in ("cpu", "wall"))
        print(f"{name:<44}{cpu * 1e3:>9.2f}{wall * 1e3:>14.2f}{first / cpu:>8.0f}")


def measure(command: list[str], allowed: tuple[int, ...] = (0,)) -> Cost:
    """Run one child in an empty home and read its CPU time from the kernel."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory(prefix="skillyard-home-") as home:
        start = time.perf_counter()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL, cwd=home, env=binary.environment(home)
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in allowed:
            raise SystemExit(f"`{' '.join(command[:4])} …` ended with {child.returncode}")
        output.seek(0)
        return Cost(usage.ru_utime + usage.ru_stime, wall, output.read())


def lay_out(root: Path, count: int) -> tuple[list[Path], str]:
    """The folders to validate: a fixed choice of real skills, or made-up ones."""
    if corpus_rows.corpus_file().is_file():
        lines = sorted(corpus_rows.read_rows(), key=lambda line: hashlib.sha256(line["id"].encode()).digest())
        lines = [line for line in lines if line["stratum"] in "AB" and line["file"] in corpus_rows.FOUND_SPELLINGS]
        return [row.path for row in corpus_rows.materialise(iter(lines[:count]), root)], "real"
    rng = random.Random(20_251_115)
    return [write_made_up(root, number, rng) for number in range(count)], "made-up"


WORDS = (
    "archive audit branch build cache chart check clean column commit compare convert deploy draft export extract field file filter "
    "format graph image import index invoice label layout library merge migrate model note order page parse plan query record release "
    "render report review rule schema script search section sheet sort style summary table task template test token update value version"
).split()


def write_made_up(root: Path, number: int, rng: random.Random) -> Path:
    """One plausible skill: a description of about 200 characters, some metadata, a body of about 5 KB."""
    name = f"{rng.choice(WORDS)}-{rng.choice(WORDS)}-{number}"
    folder = root / f"{number:05}" / name
    folder.mkdir(parents=True)
    description = sentence(rng, 200)
    quoted = rng.choice((description, f'"{description}"', f"'{description}'", f">-\n  {description[:100]}\n  {description[100:].strip()}"))
    fields = [f"name: {name}", f"description: {quoted}"]
    if rng.random() < 0.4:
        fields.append("license: MIT")
    if rng.random() < 0.3:
        fields.append("allowed-tools: Read Grep Bash(git:*)")
    if rng.random() < 0.4:
        fields += ["metadata:", f"  author: {rng.choice(WORDS)}", f"  version: 1.{rng.randrange(20)}.0"]
    if rng.random() < 0.3:
        fields.append(f"version: 1.{rng.randrange(20)}")
    body = "\n\n".join(f"## {rng.choice(WORDS).title()}\n\n{sentence(rng, 480)}" for _ in range(10))
    (folder / "SKILL.md").write_text("\n".join(["---", *fields, "---", "", f"# {name}", "", body, ""]), encoding="utf-8")
    return folder


def sentence(rng: random.Random, length: int) -> str:
    """Words up to about this many characters."""
    words: list[str] = []
    while sum(map(len, words)) + len(words) < length:
        words.append(rng.choice(WORDS))
    return " ".join(words).capitalize() + "."


if __name__ == "__main__":
    sys.exit(main())
