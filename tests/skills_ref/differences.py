"""The list of differences we chose, each with its reason, kept in `differences.txt`."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("differences.txt")


INVALID_YAML = "Invalid YAML in frontmatter: "


def without_yaml_text(errors: list[str]) -> list[str]:
    """The messages, with the parser's own words about broken YAML cut off: those are ours."""
    return [INVALID_YAML if error.startswith(INVALID_YAML) else error for error in errors]


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
