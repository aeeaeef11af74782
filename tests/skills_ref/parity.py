"""Prompts and properties of corpus skills, byte for byte against the installed reference."""

from __future__ import annotations

import hashlib
from pathlib import Path

import binary
import reference
from corpus_rows import Row

SAMPLE = 200
ONE_BY_ONE = 20


def sample(rows: list[Row]) -> list[Row]:
    """A fixed choice of skills whose properties the reference can read, spread over the strata by hash."""
    ordered = sorted((row for row in rows if row.fields), key=lambda row: hashlib.sha256(row.id.encode()).digest())
    chosen: list[Row] = []
    for row in ordered:
        if isinstance(reference.properties(row.path), bytes) and isinstance(reference.prompt([row.path]), bytes):
            chosen.append(row)
        if len(chosen) == SAMPLE:
            break
    return chosen


def compare_prompts(rows: list[Row], report: Path) -> bool:
    """`prompt --format skills-ref` against `to-prompt`: all in one call, then some one by one."""
    chosen = sample(rows)
    calls = [[row.path for row in chosen], *([row.path] for row in chosen[:ONE_BY_ONE])]
    wrong = [one for paths in calls for one in _compare_prompt(paths)]
    (report / "prompt.txt").write_text("\n".join(wrong), encoding="utf-8")
    print(f"\nprompt: {len(chosen)} skills in one call and {len(calls) - 1} one by one, {len(wrong)} differences")
    for one in wrong[:3]:
        print(one)
    return not wrong


def _compare_prompt(paths: list[Path]) -> list[str]:
    expected = reference.run("to-prompt", *paths)
    answer = binary.run("prompt", *paths, "--format", "skills-ref")
    if (answer.code, answer.stdout) == (expected.returncode, expected.stdout):
        return []
    at = next((i for i, (a, b) in enumerate(zip(expected.stdout, answer.stdout)) if a != b), None)
    around = slice(max(0, (at or 0) - 80), (at or 0) + 80)
    return [
        f"{len(paths)} paths from {paths[0]}: exit {answer.code}, wanted {expected.returncode}; first difference at byte {at}\n"
        f"  reference: {expected.stdout[around]!r}\n  ours:      {answer.stdout[around]!r}\n  stderr:    {answer.stderr[-300:]!r}"
    ]


def compare_properties(rows: list[Row], report: Path) -> bool:
    """`read --properties --json` against `read-properties`."""
    chosen, wrong = sample(rows), []
    for row in chosen:
        expected = reference.properties(row.path)
        answer = binary.run("read", row.path, "--properties", "--json")
        if (answer.code, answer.stdout) != (0, expected):
            wrong.append(f"{row.id}: exit {answer.code}\n  reference: {expected!r}\n  ours:      {answer.stdout!r} {answer.stderr[-300:]!r}")
    (report / "properties.txt").write_text("\n".join(wrong), encoding="utf-8")
    print(f"\nproperties: {len(chosen)} skills, {len(wrong)} differences")
    for one in wrong[:3]:
        print(one)
    return not wrong
