"""Power cuts while skills are installed, updated and removed, and in the seconds after.

A file system of its own is told to stop in an instant, as xfstests does it: nothing that is not on the
disk by then gets there. It is mounted again, and whatever is there must be the state before or after
the change, but for files that lost bytes; those must be noticed, and `sync` must put them right.

Needs root and a loop device, and mounts that nobody else sees, or a sandbox of somebody could keep a file system that was cut:
    unshare --mount cut.py PROGRAM [CUTS [SEED]]
"""

import fcntl
import hashlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

# _IOR('X', 125, __u32), and "without writing the log first".
SHUTDOWN, AT_ONCE = 0x8004587D, 2
# So few that their files are waited for, and so many that they are not.
COUNTS = (3, 20)


class Disk:
    """A small file system in a file, which can lose its power."""

    def __init__(self, folder: Path):
        self.image, self.root = folder / "image", folder / "disk"
        self.root.mkdir()
        with self.image.open("wb") as file:
            file.truncate(96 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.image], check=True)
        self.mount()

    def mount(self):
        subprocess.run(["mount", "-o", "loop", self.image, self.root], check=True)

    def cut(self):
        folder = os.open(self.root, os.O_RDONLY)
        fcntl.ioctl(folder, SHUTDOWN, struct.pack("I", AT_ONCE))
        os.close(folder)

    def unmount(self):
        subprocess.run(["umount", self.root], check=True)


class Machine:
    """A home and a project on a disk, and skills elsewhere."""

    def __init__(self, disk: Disk, library: Path, program: str, count: int):
        self.disk, self.library, self.program, self.count = disk, library, program, count
        self.project, self.home = disk.root / "project", disk.root / "home"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()

    def command(self, *arguments: str) -> dict:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        command = [self.program, *arguments]
        return {"args": command, "cwd": self.project, "env": environment}

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(**self.command(*arguments), capture_output=True, text=True)

    def lock(self) -> str:
        file = self.project / "skills.lock"
        return file.read_text() if file.exists() else ""

    def skills(self) -> dict[str, str]:
        """What each installed skill is, by a digest of our own."""
        found = {}
        for folder in sorted((self.project / ".agents/skills").glob("*")):
            digest = hashlib.sha256()
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
            found[folder.name] = digest.hexdigest()
        return found

    def write_library(self, version: str):
        for number in range(self.count):
            folder = self.library / f"skill-{number}"
            (folder / "references").mkdir(parents=True, exist_ok=True)
            text = f"---\nname: skill-{number}\ndescription: Does {number}. Use when {number} is asked for.\n---\n"
            (folder / "SKILL.md").write_text(text + f"{version}\n" * 400)
            (folder / "references/more.md").write_text(f"{version} {number}\n" * 50)


CHANGES = {
    "install": (None, ["install", "LIBRARY", "--all", "--yes"]),
    "update": ("one", ["update", "--yes"]),
    "remove": ("one", ["remove", "SKILLS"]),
}


def one_cut(folder: Path, program: str, count: int, change: str, wait: float) -> str:
    """Makes a change, cuts the power so many seconds after it began, and says what came of it."""
    disk = Disk(folder)
    try:
        machine = Machine(disk, folder / "library", program, count)
        first, arguments = CHANGES[change]
        meant = {"LIBRARY": [str(machine.library)], "SKILLS": [f"skill-{number}" for number in range(count)]}
        arguments = [word for each in arguments for word in meant.get(each, [each])]
        machine.write_library("one")
        if first:
            ran = machine.run("install", str(machine.library), "--all", "--yes")
            assert ran.returncode == 0 and len(machine.skills()) == count, ran.stderr
            machine.write_library("two")
        os.sync()
        before = (machine.lock(), machine.skills())
        changing = subprocess.Popen(**machine.command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        done = changing.poll() == 0
        disk.cut()
        changing.kill()
        changing.wait()
        disk.unmount()
        disk.mount()
        machine.run("list")
        lock, skills = machine.lock(), machine.skills()
        if (lock, skills) == before:
            assert not done, (change, wait, "undone although the command had ended")
            return "as before"
        # Files that were not synced may count as changed by the user.
        ran = machine.run("sync", "--force", "--json")
        healed = (machine.lock(), machine.skills())
        whole = machine.run("sync", "--locked", "--check")
        assert whole.returncode == 0, (change, wait, ran.stdout, ran.stderr, whole.stdout)
        locked = {line.split('"')[1] for line in healed[0].splitlines() if line.startswith("name = ")}
        assert set(healed[1]) == locked, (change, wait, set(healed[1]) ^ locked)
        versions = {(machine.project / ".agents/skills" / name / "SKILL.md").read_text().split()[-1] for name in locked}
        assert len(versions) <= 1, (change, wait, versions)
        audit = machine.run("audit", "verify")
        # That lines may be missing is all it can say where the newest file about it was lost.
        damage = [line for line in audit.stdout.splitlines() if line.startswith("✗") and "audit.head" not in line]
        assert not damage, (change, wait, damage)
        if healed == (lock, skills):
            return "as after"
        assert count == max(COUNTS), (change, wait, "files that were waited for lost bytes")
        return "as after, once `sync` had put files right"
    finally:
        disk.unmount()


def main():
    program = str(Path(sys.argv[1]).resolve())
    cuts = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    outcomes = {f"{change} of {count}": Counter() for count in COUNTS for change in CHANGES}
    for _ in range(cuts):
        for what, outcome in outcomes.items():
            change, count = what.split(" of ")
            # Most within the change, some in the moments after it.
            wait = chance.choice([chance.uniform(0, 0.03), chance.uniform(0.01, 0.06), chance.uniform(0.05, 8)])
            folder = Path(tempfile.mkdtemp(prefix="skillyard-power-"))
            outcome[one_cut(folder, program, int(count), change, wait)] += 1
            shutil.rmtree(folder)
    print(json.dumps(outcomes, indent=2))


main()
