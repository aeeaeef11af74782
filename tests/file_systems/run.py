"""What comes out of the store shares its blocks with it, on file systems that can, and what came with an image of
a container can be changed.

Each is a fresh one in a file, which needs root and a loop device; `filefrag` tells which blocks of a file
belong to another one, too. ext4 shares none, and must get the same bytes.

    unshare --mount run.py PROGRAM
"""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = 4096
# One that ends within a block, and one that is too small for sharing.
LARGE, SMALL = 3 * 1024 * 1024 + 17, 40_000
SHARING = {"btrfs": True, "xfs": True, "ext4": False}


def file_system(kind: str, folder: Path) -> Path:
    """A fresh one of a kind, mounted."""
    image, root = folder / f"{kind}.img", folder / kind
    root.mkdir(parents=True)
    with image.open("wb") as file:
        file.truncate(512 << 20)
    subprocess.run([f"mkfs.{kind}", "-q", image], check=True, capture_output=True)
    subprocess.run(["mount", "-o", "loop", image, root], check=True)
    return root


def shared_bytes(path: Path) -> int:
    """How many bytes of a file lie in blocks that another one has, too."""
    os.sync()
    told = subprocess.run(["filefrag", "-v", "-b4096", path], check=True, capture_output=True, text=True).stdout
    extents = re.findall(r"^ *\d+: *\d+\.\. *\d+: *\d+\.\. *\d+: *(\d+):(.*)$", told, re.M)
    return BLOCK * sum(int(length) for length, rest in extents if "shared" in rest)


class Machine:
    """A home and a project on a file system, and a skill elsewhere."""

    def __init__(self, root: Path, library: Path, program: str):
        self.project, self.home, self.program = root / "project", root / "home", program
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()
        skill = library / "measures"
        (skill / "data").mkdir(parents=True, exist_ok=True)
        (skill / "SKILL.md").write_text("---\nname: measures\ndescription: Measures. Use for measures.\n---\nSee data.\n")
        self.contents = {"data/large.bin": os.urandom(LARGE), "data/small.bin": os.urandom(SMALL)}
        for name, content in self.contents.items():
            (skill / name).write_bytes(content)
        self.skill = skill

    def run(self, *arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        done = subprocess.run(
            [self.program, *arguments], cwd=self.project, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def installed(self) -> Path:
        return self.project / ".agents/skills/measures"

    def is_whole(self) -> bool:
        return all((self.installed() / name).read_bytes() == content for name, content in self.contents.items())

    def remove(self):
        subprocess.run(["rm", "-rf", self.installed()], check=True)


def check(kind: str, root: Path, library: Path, program: str):
    machine = Machine(root, library, program)
    machine.run("install", str(machine.skill), "--yes", "--scope", "project")
    assert machine.is_whole()
    # Nothing is lent that could have been changed a moment ago.
    subprocess.run(["sleep", "0.2"], check=True)
    machine.remove()
    machine.run("sync", "--locked", "--offline")
    assert machine.is_whole()
    large = machine.installed() / "data/large.bin"
    shared = shared_bytes(large)
    print(f"{kind}: {shared} of {LARGE} bytes shared")
    assert shared == (LARGE - LARGE % BLOCK if SHARING[kind] else 0)
    assert shared_bytes(machine.installed() / "data/small.bin") == 0
    # Who edits one of the two does not change the other.
    with large.open("r+b") as file:
        file.write(b"mine")
    assert "measures" in json.loads(machine.run("list", "--json"))["skills"][0]["name"]
    machine.run("store", "verify")
    machine.run("sync", "--locked", "--offline", "--force")
    assert machine.is_whole()
    # A pack that was changed lends nothing.
    machine.remove()
    (pack,) = (machine.home / ".skillyard/store/packs").iterdir()
    pack.chmod(0o644)
    with pack.open("r+b") as file:
        file.seek(LARGE)
        file.write(b"other")
    machine.run("sync", "--locked")
    assert machine.is_whole()


def check_layers(folder: Path, library: Path, program: str):
    """What came with the image of a container lies in a layer below, where nothing can be moved."""
    image, mounted = folder / "image", folder / "container"
    for name in ("image", "upper", "work", "container"):
        (folder / name).mkdir()
    built = Machine(image, library, program)
    for name in ("other", "third"):
        subprocess.run(["cp", "-r", built.skill, library / name], check=True)
        text = (library / name / "SKILL.md").read_text().replace("name: measures", f"name: {name}")
        (library / name / "SKILL.md").write_text(text)
    built.run("install", str(library), "--all", "--yes", "--scope", "project")
    layers = f"lowerdir={image},upperdir={folder / 'upper'},workdir={folder / 'work'}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, mounted], check=True)
    try:
        machine = copy.copy(built)
        machine.project, machine.home = mounted / "project", mounted / "home"
        skills = machine.project / ".agents/skills"
        (library / "other/SKILL.md").write_text("---\nname: other\ndescription: Is newer. Use it.\n---\nNew.\n")
        machine.run("update", "--yes", "other")
        assert "Is newer" in (skills / "other/SKILL.md").read_text()
        machine.run("remove", "third", "--yes")
        assert not (skills / "third").exists()
        (machine.installed() / "SKILL.md").write_text("edited")
        machine.run("sync", "--force", "--yes")
        assert machine.is_whole() and "edited" not in (machine.installed() / "SKILL.md").read_text()
        left = [path for path in (machine.project / ".agents").iterdir() if path.name != "skills"]
        assert not left, left
        machine.run("doctor")
        print("overlay: updated, removed and repaired")
    finally:
        subprocess.run(["umount", mounted], check=True)


def main() -> int:
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for kind in SHARING:
            root = file_system(kind, folder)
            try:
                check(kind, root, folder / "library", program)
            finally:
                subprocess.run(["umount", root], check=True)
        layers = file_system("ext4", folder / "layers")
        try:
            check_layers(layers, folder / "layered", program)
        finally:
            subprocess.run(["umount", layers], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
