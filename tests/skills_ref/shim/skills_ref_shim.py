"""The reference library's functions, answered by our binary.

Same names, arguments, results and kinds of error as the Python package, so one set of tests can ask both.
Nothing here decides anything about a skill: each function turns a call into a run of `skillyard` and reads the result.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import binary


class SkillError(Exception):
    """Any error about a skill."""


class ParseError(SkillError):
    """The file could not be read as frontmatter and body."""


class ValidationError(SkillError):
    """The frontmatter was read, and a required field is missing or empty."""

    def __init__(self, message: str, errors: list[str] | None = None) -> None:
        super().__init__(message)
        self.errors = [message] if errors is None else errors


class BinaryError(AssertionError):
    """The binary broke its contract; never an answer about a skill."""


@dataclass
class SkillProperties:
    """The standard fields of one skill."""

    name: str
    description: str
    license: Any = None
    compatibility: Any = None
    allowed_tools: Any = None
    metadata: Any = field(default_factory=dict)
    printed: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The fields as the binary printed them, in that order."""
        return dict(self.printed)


# What the messages of a failed parse begin with; every other message is about a field.
_PARSE_MESSAGES = (
    "SKILL.md must start with YAML frontmatter",
    "SKILL.md frontmatter",
    "SKILL.md not found in",
    "Invalid YAML in frontmatter",
)
_PROBE = "---\nname: probe\ndescription: Shows which spelling is read.\n---\n"


def validate(skill_dir: Path) -> list[str]:
    """The messages of `validate --profile skills-ref`; empty when valid."""
    skill_dir = Path(skill_dir)
    if skill_dir.is_dir():
        return binary.validate_all([skill_dir])[0].errors
    answer = binary.run("validate", skill_dir, "--profile", "skills-ref")
    text = answer.stderr.decode("utf-8")
    if answer.code == 2 and "does not exist" in text:
        # The command refuses a missing path before it looks for skills, as the reference command does.
        return [f"Path does not exist: {skill_dir}"]
    head, _, rest = text.partition("\n")
    if answer.code != 1 or head != f"Validation failed for {skill_dir}:":
        raise BinaryError(f"exit code {answer.code}, stderr {text!r}")
    return rest.removeprefix("  - ").removesuffix("\n").split("\n  - ")


def read_properties(skill_dir: Path) -> SkillProperties:
    """The fields `read --properties --json` prints."""
    answer = binary.run("read", Path(skill_dir), "--properties", "--json")
    if answer.code != 0:
        raise _error(answer)
    printed = json.loads(answer.stdout)
    return SkillProperties(
        name=printed["name"],
        description=printed["description"],
        license=printed.get("license"),
        compatibility=printed.get("compatibility"),
        allowed_tools=printed.get("allowed-tools"),
        metadata=printed.get("metadata", {}),
        printed=printed,
    )


def to_prompt(skill_dirs: list[Path]) -> str:
    """The block `prompt --format skills-ref` prints, without the newline a command ends with."""
    if skill_dirs:
        answer = binary.run("prompt", *skill_dirs, "--format", "skills-ref")
    else:
        # Without a path the command renders the catalog, so the empty list is a catalog with all denied.
        answer = binary.run("prompt", "--format", "skills-ref", "--deny", "*")
    if answer.code != 0:
        raise _error(answer)
    return answer.stdout.decode("utf-8").removesuffix("\n")


def parse_frontmatter(content: str) -> tuple[dict[str, Any], str]:
    """Fields and body of a file with this content."""
    with tempfile.TemporaryDirectory(prefix="skillyard-parse-") as parent:
        folder = Path(parent) / "skill"
        folder.mkdir()
        (folder / "SKILL.md").write_text(content, encoding="utf-8")
        for message in validate(folder):
            if message.startswith(_PARSE_MESSAGES):
                raise ParseError(message)
        body = binary.run("read", folder)
        if body.code != 0:
            raise _error(body)
        return read_properties(folder).to_dict(), body.stdout.decode("utf-8").strip()


def find_skill_md(skill_dir: Path) -> Path | None:
    """The file the binary would read in this folder.

    The binary names it only for skills it can render, so the question is put to a folder with the same spellings present.
    """
    skill_dir = Path(skill_dir)
    if validate(skill_dir) == ["Missing required file: SKILL.md"]:
        return None
    with tempfile.TemporaryDirectory(prefix="skillyard-find-") as parent:
        twin = Path(parent) / "probe"
        twin.mkdir()
        for entry in skill_dir.iterdir():
            if entry.name.lower() == "skill.md":
                (twin / entry.name).write_text(_PROBE, encoding="utf-8")
        lines = to_prompt([twin]).splitlines()
    return skill_dir / Path(lines[lines.index("<location>") + 1]).name


def _error(answer: binary.Answer) -> Exception:
    text = answer.stderr.decode("utf-8")
    if answer.code != 1 or answer.crashed or not text.startswith("error: "):
        return BinaryError(f"exit code {answer.code}, stderr {text!r}")
    message = text.removeprefix("error: ").removesuffix("\n")
    kind = ParseError if any(known in message for known in _PARSE_MESSAGES) else ValidationError
    return kind(message)
