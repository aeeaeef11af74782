"""The list of differences we chose, each with its reason, kept in `differences.txt`."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("differences.txt")


def allowed() -> dict[str, str]:
    """Reason by id. A line is an id, white space, and the reason; `#` starts a comment line."""
    reasons = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            identifier, *reason = line.split(maxsplit=1)
            if not reason:
                raise ValueError(f"{FILE.name}: `{identifier}` has no reason")
            reasons[identifier] = reason[0]
    return reasons
