"""Compare our binary with the reference on the corpus of real skills.

    python tests/skills_ref/corpus.py [--report DIR] [--only validate,load,prompt,properties]

Prints one table per comparison, writes every difference to the report folder, and exits 1 when a verdict differs
that `differences.txt` does not name, or when a prompt or a set of properties differs at all.
The reference's verdicts are stored in the corpus; prompts and properties are asked of the installed reference.
"""

from __future__ import annotations

import argparse
import collections
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import binary  # noqa: E402
import differences  # noqa: E402
import parity  # noqa: E402
from corpus_rows import Row, corpus_file, materialise, read_rows  # noqa: E402


def main() -> int:
    """Run the comparisons asked for."""
    arguments = parse_arguments()
    if not corpus_file().is_file():
        print("no corpus beside the repository: nothing to compare")
        return 0
    arguments.report.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="skillyard-corpus-") as folder:
        rows = materialise(read_rows(), Path(folder))
        steps = {
            "validate": lambda: compare_verdicts(rows, arguments.report),
            "load": lambda: compare_loading(rows, arguments.report),
            "prompt": lambda: parity.compare_prompts(rows, arguments.report),
            "properties": lambda: parity.compare_properties(rows, arguments.report),
        }
        results = [step() for name, step in steps.items() if name in arguments.only]
    return 0 if all(results) else 1


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--report", type=Path, default=binary.ROOT / "target" / "skills-ref-report")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=["validate", "load", "prompt", "properties"], metavar="STEPS"
    )
    return parser.parse_args()


@dataclass
class Tally:
    """Counts of one stratum."""

    rows: int = 0
    reference_crashes: int = 0
    ours_refused_there: int = 0
    same_verdict: int = 0
    same_messages: int = 0


def compare_verdicts(rows: list[Row], report: Path) -> bool:
    """Verdicts and messages under `--profile skills-ref`, strata with stored answers only."""
    asked = [row for row in rows if row.expected is not None or row.reference_crashed]
    tallies: dict[str, Tally] = collections.defaultdict(Tally)
    disagreements: list[str] = []
    mismatches: list[str] = []
    reasons, unexplained = differences.allowed(), []
    for row, ours in zip(asked, binary.validate_all([row.path for row in asked]), strict=True):
        tally = tallies[row.group]
        tally.rows += 1
        if row.reference_crashed:
            tally.reference_crashes += 1
            tally.ours_refused_there += not ours.valid and not ours.crashed
            if ours.crashed:
                disagreements.append(describe(row, ["(the reference crashed)"], ours.errors))
                unexplained.append(row.id)
            continue
        same_verdict = ours.valid == (not row.expected) and not ours.crashed
        tally.same_verdict += same_verdict
        tally.same_messages += differences.without_yaml_text(ours.errors) == differences.without_yaml_text(row.expected)
        if not same_verdict:
            disagreements.append(describe(row, row.expected, ours.errors))
            if row.id not in reasons:
                unexplained.append(row.id)
        elif differences.without_yaml_text(ours.errors) != differences.without_yaml_text(row.expected):
            mismatches.append(describe(row, row.expected, ours.errors))
    print_tallies(tallies)
    write(report / "verdicts.txt", disagreements, "verdict disagreements")
    write(report / "messages.txt", mismatches, "message differences with the same verdict")
    if unexplained:
        print(f"verdicts that differ without a reason in differences.txt: {', '.join(unexplained[:20])}")
    return not unexplained


def print_tallies(tallies: dict[str, Tally]) -> None:
    """One line per stratum."""
    print("validate --profile skills-ref, against the stored answers of the reference")
    print(f"{'stratum':<16}{'rows':>6}{'crashes':>9}{'refused':>9}{'verdict':>17}{'messages':>17}")
    for name in sorted(tallies):
        t = tallies[name]
        whole = t.rows - t.reference_crashes
        cells = (share(t.same_verdict, whole), share(t.same_messages, whole))
        print(f"{name:<16}{t.rows:>6}{t.reference_crashes:>9}{t.ours_refused_there:>9}" + "".join(f"{c:>17}" for c in cells))


def compare_loading(rows: list[Row], report: Path) -> bool:
    """How much loads under `--profile load`, and why the rest does not."""
    rows = [row for row in rows if not row.renamed]
    loaded: collections.Counter[str] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    reasons: dict[str, list[tuple[Row, str]]] = collections.defaultdict(list)
    crashes = 0
    for row, ours in zip(rows, binary.validate_all([row.path for row in rows], "load"), strict=True):
        total[row.stratum] += 1
        loaded[row.stratum] += ours.valid
        crashes += ours.crashed
        if not ours.valid:
            message = "; ".join(ours.errors).replace(str(row.path), "DIR")
            reasons[shape(message)].append((row, message))
    print("\nvalidate --profile load")
    for stratum in sorted(total):
        print(f"{stratum:<16}{share(loaded[stratum], total[stratum]):>17} of {total[stratum]} load")
    lines = []
    for message, cases in sorted(reasons.items(), key=lambda item: -len(item[1])):
        counts = collections.Counter(row.stratum for row, _ in cases)
        spread = " ".join(f"{stratum}:{count}" for stratum, count in sorted(counts.items()))
        print(f"{len(cases):>6}  {spread:<22} {message[:110]}   e.g. {cases[0][0].id}")
        lines += [f"{len(cases)} {message}", *(f"    {row.stratum} {row.id} {text!r}" for row, text in cases)]
    write(report / "load.txt", lines, "lines on what does not load")
    return crashes == 0


def shape(message: str) -> str:
    """A message without its variable parts, to group by."""
    message = re.sub(r"`[^`]*`", "`…`", message)
    message = re.sub(r"'[^']*'", "'…'", message)
    return re.sub(r"\d+", "N", message.replace("\n", " "))


def describe(row: Row, expected: list[str], ours: list[str]) -> str:
    """One difference, both sides in full."""
    sides = [f"  reference: {error!r}" for error in expected] or ["  reference: valid"]
    sides += [f"  ours:      {error!r}" for error in ours] or ["  ours:      valid"]
    return "\n".join([f"{row.id} {row.group} {row.path.name}/{row.file}", *sides])


def share(part: int, whole: int) -> str:
    """A count with its percentage."""
    return f"{part} ({100 * part / whole:.2f}%)" if whole else "-"


def write(path: Path, entries: list[str], what: str) -> None:
    """Write a report file and say so."""
    path.write_text("\n".join(entries) + "\n" if entries else "", encoding="utf-8", errors="backslashreplace")
    print(f"{len(entries)} {what}" + (f": {path}" if entries else ""))


if __name__ == "__main__":
    sys.exit(main())
