"""Our answers at the edges of the format, against the reference asked in the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

import binary
import differences
import edge_inputs
import reference

EDGES = edge_inputs.inputs()
REASONS = differences.allowed()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every input on disk, each in a parent of its own."""
    root = tmp_path_factory.mktemp("edges")
    paths = {}
    for edge in EDGES:
        path = root / edge.name / edge.folder
        path.mkdir(parents=True)
        (path / "SKILL.md").write_bytes(edge.content)
        paths[edge.name] = path
    return paths


@pytest.fixture(scope="session")
def findings(built_binary: Path, folders: dict[str, Path]) -> dict[str, binary.Finding]:
    """Our verdicts, all from one call."""
    return dict(zip(folders, binary.validate_all(list(folders.values())), strict=True))


@pytest.fixture(params=EDGES, ids=lambda edge: edge.name)
def edge(request: pytest.FixtureRequest) -> edge_inputs.Edge:
    """One input; where the list of differences names it, some of its tests may fail."""
    reason = REASONS.get(f"edge:{request.param.name}")
    if reason:
        request.applymarker(pytest.mark.xfail(reason=reason))
    return request.param


def test_messages(edge, folders, findings):
    expected, ours = reference.errors(folders[edge.name]), findings[edge.name]
    assert not ours.crashed, ours.errors
    if isinstance(expected, reference.Crash):
        assert not ours.valid and ours.errors, f"the reference crashes ({expected.kind}); we must refuse and say why"
    else:
        same = differences.without_yaml_text(ours.errors) == differences.without_yaml_text(expected)
        assert same, difference(expected, ours.errors)
        assert ours.valid == (not expected)


def test_report(edge, folders, findings, built_binary):
    expected = reference.errors(folders[edge.name])
    answer = binary.run("validate", folders[edge.name], "--profile", "skills-ref")
    assert not answer.crashed, answer.stderr
    if isinstance(expected, reference.Crash):
        assert answer.code == 1 and answer.stderr
    else:
        if any(error.startswith(differences.INVALID_YAML) for error in expected):
            # The words about broken YAML are ours; `test_messages` compares the rest.
            expected = findings[edge.name].errors
        assert (answer.code, answer.stdout, answer.stderr) == reference.report(folders[edge.name], expected)


def test_properties(edge, folders, built_binary):
    expected = reference.properties(folders[edge.name])
    answer = binary.run("read", folders[edge.name], "--properties", "--json")
    assert not answer.crashed, answer.stderr
    if isinstance(expected, bytes):
        assert (answer.code, answer.stdout) == (0, expected)
    else:
        # Where the reference refuses, reading may still succeed: our loading is lenient.
        assert answer.code in (0, 1)


def test_prompt(edge, folders, built_binary):
    expected = reference.prompt([folders[edge.name]])
    answer = binary.run("prompt", folders[edge.name], "--format", "skills-ref")
    assert not answer.crashed, answer.stderr
    if isinstance(expected, bytes):
        assert (answer.code, answer.stdout) == (0, expected)
    elif isinstance(expected, reference.Refusal):
        assert (answer.code, answer.stdout) == (1, b"")
    else:
        assert answer.code in (0, 1)


def difference(expected: list[str], ours: list[str]) -> str:
    """Both lists of messages, in full, for the failure report."""
    return "\n".join(["", "reference:", *map(repr, expected), "ours:", *map(repr, ours)])


class TestCommand:
    """What the command line itself does, against the real reference command."""

    @pytest.fixture
    def place(self, tmp_path: Path, built_binary: Path) -> Path:
        """A folder with one good skill, one bad skill and one file that is no skill."""
        for name, text in {"good": "name: good\ndescription: Good.\n", "bad": "name: Bad\n"}.items():
            (tmp_path / name).mkdir()
            (tmp_path / name / "SKILL.md").write_text(f"---\n{text}---\n")
        (tmp_path / "odd").mkdir()
        (tmp_path / "odd" / "Skill.md").write_text("---\nname: odd\ndescription: Odd.\n---\n")
        (tmp_path / "note.txt").write_text("a note\n")
        return tmp_path

    @pytest.mark.parametrize(
        "path",
        ["good", "good/", "./good", "good/.", "good//SKILL.md", "good/SKILL.md", "bad", "../{}/bad", "odd", "odd/Skill.md", "note.txt"],
    )
    def test_validate(self, place, path):
        path = path.format(place.name)
        expected = reference.run("validate", path, cwd=place)
        answer = binary.run("validate", path, "--profile", "skills-ref", cwd=place)
        assert (answer.code, answer.stdout, answer.stderr) == (expected.returncode, expected.stdout, expected.stderr)

    def test_validate_missing(self, place):
        answer = binary.run("validate", "nowhere", "--profile", "skills-ref", cwd=place)
        assert answer.code == reference.run("validate", "nowhere", cwd=place).returncode == 2
        assert answer.stdout == b"" and answer.stderr

    def test_validate_several(self, place):
        answer = binary.run("validate", "good", "bad", "good", "--profile", "skills-ref", cwd=place)
        each = [reference.run("validate", name, cwd=place) for name in ("good", "bad", "good")]
        assert answer.code == 1
        assert answer.stdout == b"".join(one.stdout for one in each)
        assert answer.stderr == b"".join(one.stderr for one in each)

    def test_read_properties(self, place):
        expected = reference.run("read-properties", "good", cwd=place)
        answer = binary.run("read", "./good", "--properties", "--json", cwd=place)
        assert (answer.code, answer.stdout) == (expected.returncode, expected.stdout)

    def test_to_prompt(self, place):
        expected = reference.run("to-prompt", "good", "good/SKILL.md", cwd=place)
        answer = binary.run("prompt", "./good", "good/SKILL.md", "--format", "skills-ref", cwd=place)
        assert (answer.code, answer.stdout) == (expected.returncode, expected.stdout)

    def test_to_prompt_through_link(self, place):
        (place / "link").symlink_to(place / "good")
        expected = reference.run("to-prompt", "link", cwd=place)
        answer = binary.run("prompt", "./link", "--format", "skills-ref", cwd=place)
        assert (answer.code, answer.stdout) == (expected.returncode, expected.stdout)

    def test_to_prompt_one_bad_refuses_all(self, place):
        answer = binary.run("prompt", "./good", "./bad", "--format", "skills-ref", cwd=place)
        assert reference.run("to-prompt", "good", "bad", cwd=place).returncode == 1
        assert (answer.code, answer.stdout) == (1, b"")
