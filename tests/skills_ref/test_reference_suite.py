"""The forty cases of the reference package's own suite, asked of the reference and of our binary.

The case names and outcomes are those of that suite; the code and the texts are ours. Each case runs twice:
`reference` shows that the case is right, `skillyard` that our binary gives the same answer.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture(params=["reference", "skillyard"])
def library(request: pytest.FixtureRequest) -> SimpleNamespace:
    """The functions under test, from the reference or from the shim."""
    if request.param == "skillyard":
        request.getfixturevalue("built_binary")
        sources = [importlib.import_module("skills_ref_shim")]
    else:
        sources = [importlib.import_module(f"skills_ref.{part}") for part in ("errors", "parser", "prompt", "validator")]
    names = ("ParseError", "ValidationError", "find_skill_md", "parse_frontmatter", "read_properties", "to_prompt", "validate")
    return SimpleNamespace(**{name: next(getattr(s, name) for s in sources if hasattr(s, name)) for name in names})


@pytest.fixture
def skill(tmp_path: Path):
    """Writes one skill folder and returns its path."""

    def write(*fields: str, folder: str = "weather-report", file: str = "SKILL.md", body: str = "Read the sky.") -> Path:
        path = tmp_path / folder
        path.mkdir(exist_ok=True)
        (path / file).write_text("\n".join(["---", *fields, "---", body, ""]), encoding="utf-8")
        return path

    return write


NAME = "name: weather-report"
DESCRIPTION = "description: Says what the weather will be."


class TestParser:
    def test_valid_frontmatter(self, library):
        fields, body = library.parse_frontmatter(f"---\n{NAME}\n{DESCRIPTION}\n---\n# Weather\n\nLook up.\n")
        assert fields["name"] == "weather-report"
        assert fields["description"] == "Says what the weather will be."
        assert "# Weather" in body

    def test_missing_frontmatter(self, library):
        with pytest.raises(library.ParseError, match="must start with YAML frontmatter"):
            library.parse_frontmatter("# Only a heading")

    def test_unclosed_frontmatter(self, library):
        with pytest.raises(library.ParseError, match="not properly closed"):
            library.parse_frontmatter(f"---\n{NAME}\n{DESCRIPTION}\n")

    def test_invalid_yaml(self, library):
        with pytest.raises(library.ParseError, match="Invalid YAML"):
            library.parse_frontmatter("---\nname: [open\ndescription: never closed\n---\nText\n")

    def test_non_dict_frontmatter(self, library):
        with pytest.raises(library.ParseError, match="must be a YAML mapping"):
            library.parse_frontmatter("---\n- rain\n- snow\n---\nText\n")

    def test_read_valid_skill(self, library, skill):
        found = library.read_properties(skill(NAME, DESCRIPTION, "license: Apache-2.0"))
        assert (found.name, found.description) == ("weather-report", "Says what the weather will be.")
        assert found.license == "Apache-2.0"

    def test_read_with_metadata(self, library, skill):
        found = library.read_properties(skill(NAME, DESCRIPTION, "metadata:", "  author: Ada", "  version: 1.0"))
        assert found.metadata == {"author": "Ada", "version": "1.0"}

    def test_missing_skill_md(self, library, tmp_path):
        with pytest.raises(library.ParseError, match="SKILL.md not found"):
            library.read_properties(tmp_path)

    def test_missing_name(self, library, skill):
        with pytest.raises(library.ValidationError, match="Missing required field.*name"):
            library.read_properties(skill(DESCRIPTION))

    def test_missing_description(self, library, skill):
        with pytest.raises(library.ValidationError, match="Missing required field.*description"):
            library.read_properties(skill(NAME))

    def test_find_skill_md_prefers_uppercase(self, library, skill):
        folder = skill(NAME, DESCRIPTION)
        skill(NAME, DESCRIPTION, file="skill.md")
        assert library.find_skill_md(folder).name == "SKILL.md"

    def test_find_skill_md_accepts_lowercase(self, library, skill):
        found = library.find_skill_md(skill(NAME, DESCRIPTION, file="skill.md"))
        assert found is not None
        assert found.name.lower() == "skill.md"

    def test_find_skill_md_returns_none_when_missing(self, library, tmp_path):
        assert library.find_skill_md(tmp_path) is None

    def test_read_properties_with_lowercase_skill_md(self, library, skill):
        found = library.read_properties(skill(NAME, DESCRIPTION, file="skill.md"))
        assert (found.name, found.description) == ("weather-report", "Says what the weather will be.")

    def test_read_with_allowed_tools(self, library, skill):
        found = library.read_properties(skill(NAME, DESCRIPTION, "allowed-tools: Bash(curl:*) Read"))
        assert found.allowed_tools == "Bash(curl:*) Read"
        assert found.to_dict()["allowed-tools"] == "Bash(curl:*) Read"


class TestPrompt:
    def test_empty_list(self, library):
        assert library.to_prompt([]) == "<available_skills>\n</available_skills>"

    def test_single_skill(self, library, skill):
        block = library.to_prompt([skill(NAME, DESCRIPTION)])
        assert block.startswith("<available_skills>\n") and block.endswith("\n</available_skills>")
        assert "<name>\nweather-report\n</name>" in block
        assert "<description>\nSays what the weather will be.\n</description>" in block
        assert "<location>" in block and "SKILL.md" in block

    def test_multiple_skills(self, library, skill):
        tide = skill("name: tide-table", "description: Says when the tide turns.", folder="tide-table")
        block = library.to_prompt([skill(NAME, DESCRIPTION), tide])
        assert block.count("<skill>") == block.count("</skill>") == 2
        assert "weather-report" in block and "tide-table" in block

    def test_special_characters_escaped(self, library, skill):
        block = library.to_prompt([skill(NAME, "description: Turn <rain> & <snow> into words")])
        assert "&lt;rain&gt;" in block and "&amp;" in block and "&lt;snow&gt;" in block
        assert "<rain>" not in block and "<snow>" not in block


class TestValidator:
    def test_valid_skill(self, library, skill):
        assert library.validate(skill(NAME, DESCRIPTION)) == []

    def test_nonexistent_path(self, library, tmp_path):
        (error,) = library.validate(tmp_path / "nowhere")
        assert "does not exist" in error

    def test_not_a_directory(self, library, tmp_path):
        (tmp_path / "note.txt").write_text("only a note")
        (error,) = library.validate(tmp_path / "note.txt")
        assert "Not a directory" in error

    def test_missing_skill_md(self, library, tmp_path):
        (error,) = library.validate(tmp_path)
        assert "Missing required file: SKILL.md" in error

    def test_invalid_name_uppercase(self, library, skill):
        assert_any(library.validate(skill("name: WeatherReport", DESCRIPTION, folder="WeatherReport")), "lowercase")

    def test_name_too_long(self, library, skill):
        name = "w" * 70
        assert_any(library.validate(skill(f"name: {name}", DESCRIPTION, folder=name)), "exceeds", "character limit")

    def test_name_leading_hyphen(self, library, skill):
        errors = library.validate(skill("name: -weather", DESCRIPTION, folder="-weather"))
        assert_any(errors, "cannot start or end with a hyphen")

    def test_name_consecutive_hyphens(self, library, skill):
        assert_any(library.validate(skill("name: wind--speed", DESCRIPTION, folder="wind--speed")), "consecutive hyphens")

    def test_name_invalid_characters(self, library, skill):
        assert_any(library.validate(skill("name: wind_speed", DESCRIPTION, folder="wind_speed")), "invalid characters")

    def test_name_directory_mismatch(self, library, skill):
        assert_any(library.validate(skill(NAME, DESCRIPTION, folder="forecast")), "must match skill name")

    def test_unexpected_fields(self, library, skill):
        assert_any(library.validate(skill(NAME, DESCRIPTION, "colour: blue")), "Unexpected fields")

    def test_valid_with_all_fields(self, library, skill):
        assert library.validate(skill(NAME, DESCRIPTION, "license: MIT", "metadata:", "  author: Ada")) == []

    def test_allowed_tools_accepted(self, library, skill):
        assert library.validate(skill(NAME, DESCRIPTION, "allowed-tools: Bash(curl:*) Read")) == []

    def test_i18n_chinese_name(self, library, skill):
        assert library.validate(skill("name: 天气", DESCRIPTION, folder="天气")) == []

    def test_i18n_russian_name_with_hyphens(self, library, skill):
        assert library.validate(skill("name: прогноз-погоды", DESCRIPTION, folder="прогноз-погоды")) == []

    def test_i18n_russian_lowercase_valid(self, library, skill):
        assert library.validate(skill("name: погода", DESCRIPTION, folder="погода")) == []

    def test_i18n_russian_uppercase_rejected(self, library, skill):
        assert_any(library.validate(skill("name: ПОГОДА", DESCRIPTION, folder="ПОГОДА")), "lowercase")

    def test_description_too_long(self, library, skill):
        assert_any(library.validate(skill(NAME, "description: " + "d" * 1100)), "exceeds", "1024")

    def test_valid_compatibility(self, library, skill):
        assert library.validate(skill(NAME, DESCRIPTION, "compatibility: Needs curl 8 or later")) == []

    def test_compatibility_too_long(self, library, skill):
        assert_any(library.validate(skill(NAME, DESCRIPTION, "compatibility: " + "c" * 550)), "exceeds", "500")

    def test_nfkc_normalization(self, library, skill):
        # The name is spelt with a combining diaeresis, the folder with the one-character letter.
        assert library.validate(skill("name: fo\u0308hn", DESCRIPTION, folder="f\u00f6hn")) == []


def assert_any(errors: list[str], *parts: str) -> None:
    """At least one message contains all of the parts."""
    assert any(all(part in error for part in parts) for error in errors), errors
