"""The reference validator, asked in this process and as a command.

It has bugs that end in a traceback (control characters, bytes that are not UTF-8, deep nesting). Such a crash is
an answer too: `Crash` says so, and the comparisons then only ask that our binary refuses without crashing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from skills_ref import SkillError, read_properties, to_prompt, validate

# It repeats a deprecation notice for every mapping it reads.
warnings.simplefilter("ignore")


@dataclass(frozen=True)
class Crash:
    """The reference raised something that is not one of its own errors."""

    kind: str


@dataclass(frozen=True)
class Refusal:
    """The reference answered with one of its own errors."""

    message: str


def errors(folder: Path) -> list[str] | Crash:
    """The messages of `skills-ref validate`, empty when valid."""
    try:
        return validate(folder)
    except Exception as error:  # noqa: BLE001 - any crash counts
        return Crash(type(error).__name__)


def report(folder: Path, found: list[str]) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of `skills-ref validate` for these messages."""
    if not found:
        return 0, _encode(f"Valid skill: {folder}\n"), b""
    lines = [f"Validation failed for {folder}:", *(f"  - {error}" for error in found)]
    return 1, b"", _encode("\n".join(lines) + "\n")


def properties(folder: Path) -> bytes | Refusal | Crash:
    """The stdout of `skills-ref read-properties`."""
    try:
        return _encode(json.dumps(read_properties(folder).to_dict(), indent=2) + "\n")
    except SkillError as error:
        return Refusal(str(error))
    except Exception as error:  # noqa: BLE001 - any crash counts
        return Crash(type(error).__name__)


def prompt(folders: list[Path]) -> bytes | Refusal | Crash:
    """The stdout of `skills-ref to-prompt`."""
    try:
        return (to_prompt(folders) + "\n").encode("utf-8")
    except SkillError as error:
        return Refusal(str(error))
    except Exception as error:  # noqa: BLE001 - any crash counts
        return Crash(type(error).__name__)


def command() -> list[str]:
    """The reference as a command: its console script beside this interpreter, else the module.

    The script is called `agentskills` in the published wheel and `skills-ref` in the repository.
    """
    for name in ("skills-ref", "agentskills"):
        script = Path(sys.executable).parent / name
        if script.is_file():
            return [str(script)]
    return [sys.executable, "-P", "-m", "skills_ref.cli"]


def run(*arguments: str | os.PathLike[str], cwd: str | os.PathLike[str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run the reference command once."""
    env = os.environ | {"PYTHONUTF8": "1", "LANG": "C.UTF-8"}
    return subprocess.run(
        [*command(), *map(os.fspath, arguments)], cwd=cwd, env=env, capture_output=True, timeout=300, check=False
    )


def _encode(text: str) -> bytes:
    # The command's stderr writes lone surrogates as escapes.
    return text.encode("utf-8", "backslashreplace")
