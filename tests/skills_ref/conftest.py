"""Shared by the tests here: where the shim lives, and skipping what needs a binary when none is built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "shim")]

import binary  # noqa: E402


@pytest.fixture(scope="session")
def built_binary() -> Path:
    """Our binary; tests that ask for it are skipped when it is not built."""
    try:
        return binary.find()
    except binary.BinaryNotFound as missing:
        pytest.skip(str(missing))
