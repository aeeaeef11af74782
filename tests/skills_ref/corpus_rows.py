"""The corpus of real skills: reading it, and laying it out as folders.

The corpus lies beside the repository and is never part of it. It is data: files are written and read, nothing is run.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import binary

FOUND_SPELLINGS = ("SKILL.md", "skill.md")


@dataclass(frozen=True)
class Row:
    """One skill on disk, and what the reference said of it."""

    id: str
    stratum: str
    group: str
    file: str
    path: Path
    expected: list[str] | None
    reference_crashed: bool
    fields: dict[str, Any] | None
    renamed: bool = False


def corpus_file() -> Path:
    """`SKILLYARD_CORPUS`, or the shared folder beside the repository."""
    named = os.environ.get("SKILLYARD_CORPUS")
    return Path(named) if named else binary.ROOT.parent / "shared" / "corpus" / "skills.jsonl.zst"


def read_rows() -> Iterator[dict[str, Any]]:
    """The lines of the corpus."""
    with subprocess.Popen(["zstd", "-dc", str(corpus_file())], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode != 0:
        raise RuntimeError(f"zstd ended with {process.returncode}")


def materialise(lines: Iterator[dict[str, Any]], root: Path, strata: str = "ABC") -> list[Row]:
    """Write each skill to `root/STRATUM/ID/FOLDER/FILE`; what no filesystem can hold is left out, and said.

    The stored answers judge the content as if it were called `SKILL.md`. A file spelt otherwise is therefore laid out
    twice: as it is, where the reference finds no skill, and renamed, where the stored answer holds.
    """
    rows, left_out = [], 0
    for line in lines:
        if line["stratum"] not in strata:
            continue
        try:
            rows.extend(_materialise_one(line, root))
        except (OSError, ValueError):
            left_out += 1
    if left_out:
        print(f"{left_out} rows have a folder or file name this filesystem cannot hold")
    return rows


def _materialise_one(line: dict[str, Any], root: Path) -> list[Row]:
    if line["dir"] in ("", ".", "..") or "/" in line["dir"] or "/" in line["file"]:
        raise ValueError("not a folder name")
    stored = line.get("skills_ref")
    crashed = bool(stored) and stored["parse"] == "crash"
    expected = list(stored["errors"]) if stored and not crashed else None
    fields = stored.get("metadata") if stored else None
    content = base64.b64decode(line["content_base64"]) if "content_base64" in line else line["content"].encode("utf-8", "surrogatepass")

    def lay_out(variant: str, file: str, group: str, errors: list[str] | None, *, renamed: bool) -> Row:
        path = root / variant / line["id"] / line["dir"]
        path.mkdir(parents=True)
        (path / file).write_bytes(content)
        found = fields if file in FOUND_SPELLINGS else None
        return Row(line["id"], line["stratum"], group, file, path, errors, crashed and errors is None, found, renamed)

    if line["file"] in FOUND_SPELLINGS or stored is None:
        return [lay_out(line["stratum"], line["file"], line["stratum"], expected, renamed=False)]
    missing = ["Missing required file: SKILL.md"]
    return [
        lay_out(line["stratum"], line["file"], "other spelling", missing, renamed=False),
        lay_out("renamed", "SKILL.md", line["stratum"], expected, renamed=True),
    ]
