"""Finding and calling our binary.

Every call gets an empty home and an empty working directory of its own, so that neither the user's
configuration nor installed skills can colour an answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCH = 500
TIMEOUT = 300


class BinaryNotFound(Exception):
    """No built binary, and none named in the environment."""


class ContractBroken(Exception):
    """The binary ran, and its output is not of the agreed form."""


@dataclass(frozen=True)
class Answer:
    """What one run of the binary gave back."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def crashed(self) -> bool:
        """A signal, Rust's panic exit code, or a panic message."""
        return self.code < 0 or self.code == 101 or b"panicked at" in self.stderr


@dataclass(frozen=True)
class Finding:
    """The verdict on one folder; `crashed` when the binary gave no usable answer."""

    valid: bool
    errors: list[str]
    crashed: bool = False


def find(prefer_release: bool = False) -> Path:
    """`SKILLYARD_BIN`, or the build in `target/` (debug first unless asked otherwise)."""
    named = os.environ.get("SKILLYARD_BIN")
    if named:
        path = Path(named)
        path = path if path.is_absolute() else ROOT / path
        if path.is_file():
            return path
        raise BinaryNotFound(f"SKILLYARD_BIN names {named}, which is not a file")
    profiles = ("release", "debug") if prefer_release else ("debug", "release")
    for profile in profiles:
        path = ROOT / "target" / profile / "skillyard"
        if path.is_file():
            return path
    raise BinaryNotFound("no target/debug/skillyard or target/release/skillyard; build it or set SKILLYARD_BIN")


def environment(home: str) -> dict[str, str]:
    """A small, fixed environment with an empty home."""
    kept = {key: os.environ[key] for key in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if key in os.environ}
    return kept | {"HOME": home, "SKILLYARD_HOME": os.path.join(home, ".skillyard"), "LANG": "C.UTF-8", "NO_COLOR": "1"}


def run(*arguments: str | os.PathLike[str], cwd: str | os.PathLike[str] | None = None) -> Answer:
    """Run the binary once and wait for it."""
    with tempfile.TemporaryDirectory(prefix="skillyard-home-") as home:
        done = subprocess.run(
            [str(find()), *map(os.fspath, arguments)],
            cwd=cwd or home,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    return Answer(done.returncode, done.stdout, done.stderr)


def validate_all(paths: list[Path], profile: str = "skills-ref") -> list[Finding]:
    """Verdicts in the order of `paths`, many paths to a call."""
    findings: list[Finding] = []
    for start in range(0, len(paths), BATCH):
        findings.extend(_validate_batch(paths[start : start + BATCH], profile))
    return findings


def _validate_batch(paths: list[Path], profile: str) -> list[Finding]:
    answer = run("validate", *paths, "--profile", profile, "--format", "json")
    if answer.code in (0, 1) and not answer.crashed:
        return _read_results(answer, paths)
    if len(paths) > 1:
        # One folder spoilt the call: halve until it stands alone, so the others keep their verdicts.
        middle = len(paths) // 2
        return _validate_batch(paths[:middle], profile) + _validate_batch(paths[middle:], profile)
    trouble = answer.stderr.decode("utf-8", "replace").strip()[-400:]
    return [Finding(False, [f"no verdict, exit code {answer.code}: {trouble}"], crashed=True)]


def _read_results(answer: Answer, paths: list[Path]) -> list[Finding]:
    try:
        results = json.loads(answer.stdout)["results"]
        named = [result["path"] for result in results]
        findings = [Finding(result["valid"], list(result["errors"])) for result in results]
    except (ValueError, KeyError, TypeError) as error:
        raise ContractBroken(f"the JSON is not of the agreed form: {error!r} in {answer.stdout[:300]!r}") from error
    if named != [str(path) for path in paths]:
        odd = next((pair for pair in zip(named, map(str, paths)) if pair[0] != pair[1]), (len(named), len(paths)))
        raise ContractBroken(f"the results are not those of the arguments in order: {odd}")
    if (answer.code == 0) != all(finding.valid for finding in findings):
        raise ContractBroken(f"exit code {answer.code} does not fit the verdicts")
    return findings
