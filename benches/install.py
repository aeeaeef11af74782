"""Installing 100 skills: beside `cp -r`, `git clone --depth 1` and what users have today.

One run, one machine; wall and CPU time (user + system, children included), ratios as the result.
Peers that are not installed are installed into `target/peers` when `--install-peers` is given. What comes out of
a warm store is also measured on fresh file systems in memory, of the kinds that are named (`--file-systems`, as root):
there, and with a large file in each skill, it shows what it saves that blocks are shared.
"""

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import catalog  # noqa: E402
from catalog import ROOT, make_skills  # noqa: E402


# What keeps one processor busy for a tenth of a second.
BUSY = "import time; end = time.perf_counter() + 0.1\nwhile time.perf_counter() < end: pass"

# Where a file is in memory.
MEMORY = "/dev/shm"
# How large a file system there seems to be: as a disk is. On one of a few GB btrfs begins to write in the middle of a
# command, since what it sets aside for new files is much of all that it has for such.
DISK = 256 << 30
# The bytes of a file that is worth sharing.
LARGE = 1_000_000

# An address that git is told to find on this machine, for a peer that takes no other.
WEB = "https://gitlab.com/acme/skills.git"

PEERS = ("skills-cli (Rust)", "skills (npm)", "openskills (npm)", "knack (Rust), one by one")


def wake() -> None:
    """Keeps all processors busy for a moment.

    Those that slept are slow at first. A command on two of them would feel it twice, and one that comes after a busy
    command hardly at all.
    """
    busy = [subprocess.Popen([sys.executable, "-I", "-S", "-c", BUSY]) for _ in range(os.cpu_count() or 1)]
    for process in busy:
        process.wait()


class Machine:
    """A home, a project and the skills to install."""

    def __init__(self, place: Path, binary: Path, runs: int, again: bool, shares: bool = False):
        self.place, self.binary, self.runs, self.again, self.shares = place, binary, runs, again, shares
        self.skills = place / "library"
        self.remote = place / "remote"
        self.projects = 0
        self.environment = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": str(place / "gitconfig"),
            "DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
        }

    def prepare(self, count: int, library: Path | None, large: bool = False) -> None:
        if library:
            shutil.copytree(library, self.skills)
        else:
            make_skills(self.skills, count)
        if large:
            for skill in self.skills.iterdir():
                (skill / "table.bin").write_bytes(os.urandom(LARGE))
        shutil.copytree(self.skills, self.remote / "skills")
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
        for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "skills"]):
            subprocess.run([*git, *arguments], cwd=self.remote, check=True)
        (self.place / "gitconfig").write_text(f'[url "file://{self.remote}"]\n\tinsteadOf = {WEB}\n')
        subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=self.remote, check=True)

    def fresh(self, work: "Work") -> tuple[Path, dict[str, str]]:
        """A project, and the environment with its home.

        Unless it is asked for, nothing is removed before the end: file systems look for a place for a new file among
        those that were removed last, which would be measured too.
        """
        if self.again and self.projects:
            shutil.rmtree(self.place / f"project-{self.projects}")
            shutil.rmtree(self.place / f"home-{self.projects}", ignore_errors=True)
        self.projects += 1
        project = self.place / f"project-{self.projects}"
        (project / ".git").mkdir(parents=True)
        # As a clone is: the folder of skills is not there yet.
        (project / ".agents").mkdir()
        for file in work.files:
            shutil.copy(file, project)
        home = self.place / ("home" if work.keep_store else f"home-{self.projects}")
        home.mkdir(exist_ok=True)
        return project, {**self.environment, "HOME": str(home)}

    def run(self, work: "Work"):
        """Wall and CPU seconds of a command in a fresh project; nothing if it failed."""
        project, environment = self.fresh(work)
        # What earlier runs wrote must not be waited for in this one.
        os.sync()
        wake()
        start = time.perf_counter()
        process = subprocess.Popen(
            work.command, cwd=project, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, shell=isinstance(work.command, str),
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        failed = os.waitstatus_to_exitcode(status) != 0
        if failed or (work.expected is not None and installed(project) != work.expected):
            return None
        return wall, usage.ru_utime + usage.ru_stime

    def compare(self, title: str, works: dict[str, "Work"]) -> None:
        """Runs all in turn, so that a busy minute slows down all of them, and prints the medians.

        The first is the measure of the others.
        """
        results = {name: [] for name in works}
        for _ in range(self.runs):
            for name, work in works.items():
                if None not in results[name]:
                    results[name].append(self.run(work))
        print(f"\n{title}\n{'':<34} {'wall ms':>8} {'ratio':>7} {'CPU ms':>8} {'ratio':>7}")
        floor = None
        for name, runs in results.items():
            if None in runs:
                print(f"{name:<34} failed")
                continue
            wall, cpu = (statistics.median(each) * 1000 for each in zip(*runs))
            floor = floor or (wall, cpu)
            print(f"{name:<34} {wall:>8.1f} {wall / floor[0]:>7.2f} {cpu:>8.1f} {cpu / floor[1]:>7.2f}")


    def describe(self) -> int:
        """Says what is installed, and how many skills that are."""
        count = len(list(self.skills.glob("*/SKILL.md")))
        files = [path for path in self.skills.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) // 1000
        print(f"{count} skills, {len(files)} files, {size} KB; median of {self.runs} runs")
        return count

    def install_anew(self, others: dict, count: int) -> None:
        """From a folder and from a repository, with nothing in the store."""
        works = {
            **self.copies(count, keep_store=False),
            "skillyard install FOLDER": Work(self.install(self.skills), count),
        }
        for name, (command, _) in others.items():
            works[name] = Work(command.format(source=self.skills), count)
        self.compare("from a folder", works)

        remote = f"file://{self.remote}"
        works = {
            "git clone --depth 1": Work(["git", "clone", "-q", "--depth", "1", remote, "clone"]),
            "skillyard install REPOSITORY": Work(self.install(remote), count),
        }
        for name, (_, command) in others.items():
            if command is not None:
                works[name] = Work(command.format(source=remote, web=WEB), count)
        self.compare("from a local repository", works)

    def install_again(self, others: dict, count: int, title: str) -> None:
        """From the store, and from a folder whose skills are in it."""
        warm = Work(self.install(self.skills), count, keep_store=True)
        project, environment = self.fresh(warm)
        subprocess.run(warm.command, cwd=project, env=environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pinned = tuple(Path(shutil.copy(project / name, self.place)) for name in ("skills.toml", "skills.lock"))
        sync = [str(self.binary), "sync", "--locked", "--offline"]
        works = {
            **self.copies(count, keep_store=True),
            "skillyard sync, warm store": Work(sync, count, keep_store=True, files=pinned),
            "skillyard install, warm store": warm,
        }
        for name, (command, _) in others.items():
            works[name] = Work(command.format(source=self.skills), count, keep_store=True)
        self.compare(title, works)

    def install(self, source: Path | str) -> list[str]:
        return [str(self.binary), "install", "--all", "--yes", "--scope", "project", str(source)]

    def copies(self, count: int, keep_store: bool) -> dict[str, "Work"]:
        copy = ["cp", "-r", str(self.skills), ".agents/skills"]
        works = {"cp -r": copy}
        if self.shares:
            works["cp -r --reflink=never"] = ["cp", "-r", "--reflink=never", *copy[2:]]
        # What we write is on the disk at the end, which the copy alone is not.
        works["cp -r, then sync"] = f"{' '.join(copy)} && sync -f .agents/skills"
        return {name: Work(command, count, keep_store) for name, command in works.items()}


def touch_memory() -> None:
    """Takes memory and gives it back: what a virtual machine has not had before is slow the first time."""
    with tempfile.TemporaryFile(dir=MEMORY) as file:
        for _ in range(2048):
            file.write(bytes(1 << 20))


@contextlib.contextmanager
def file_system(kind: str):
    """A fresh one in a file in memory, as long as it is needed; nothing where there can be none."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        image, root = Path(place) / "image", Path(place) / "root"
        root.mkdir()
        with image.open("wb") as file:
            file.truncate(DISK)
        commands = ([f"mkfs.{kind}", "-q", image], ["mount", "-o", "loop", image, root])
        for command in commands:
            made = shutil.which(command[0]) and subprocess.run(command, capture_output=True).returncode == 0
            if not made:
                print(f"{command[0]} does not work here, so {kind} is not measured", file=sys.stderr)
                yield None
                return
        touch_memory()
        try:
            yield root
        finally:
            subprocess.run(["umount", root], check=True)


@dataclass
class Work:
    """A command, what it needs and what it must lead to."""

    command: str | list[str]
    expected: int | None = None
    keep_store: bool = False
    # What the project has from the start.
    files: tuple[Path, ...] = ()


def installed(project: Path) -> int:
    """How many skills a tool put into any agent's folder."""
    folders = [project / name / "skills" for name in (".agents", ".agent", ".claude")]
    return max(len(list(folder.glob("*/SKILL.md"))) for folder in folders)


def peers(place: Path):
    """How others install everything from a folder and from a repository, as far as they are there."""
    scripts, node = place / "node_modules/.bin", place / "node_modules/.bin/node"
    rust, skills, openskills, knack = PEERS
    found = {}
    if (place / "bin/skills").exists():
        add = f"{place}/bin/skills add {{source}} --skill '*' --agent codex --yes --copy"
        found[rust] = (add, add)
    if node.exists() and (scripts / "skills").exists():
        add = f"{node} {scripts}/skills add {{source}} --skill '*' --agent codex --yes --copy"
        found[skills] = (add, add)
    if node.exists() and (scripts / "openskills").exists():
        add = f"{node} {scripts}/openskills install"
        found[openskills] = (f"{add} {{source}} --universal --yes", f"{add} {{web}} --universal --yes")
    if (place / "bin/knack").exists():
        # It takes one skill at a time, and no local repository.
        each = f"for skill in {{source}}/*; do {place}/bin/knack install $skill || exit 1; done"
        found[knack] = (each, None)
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=100)
    arguments.add_argument("--runs", type=int, default=9)
    arguments.add_argument("--library", type=Path, help="a folder of skills to install instead of made-up ones")
    arguments.add_argument("--again", action="store_true", help="remove what a run has made before the next one")
    arguments.add_argument("--file-systems", nargs="*", default=[], metavar="KIND", help="such as xfs and btrfs")
    arguments.add_argument("--peers", type=Path, default=ROOT / "target/peers", help="where the peers are installed")
    arguments.add_argument("--install-peers", action="store_true", help="install peers that are missing")
    options = arguments.parse_args()
    if options.install_peers:
        catalog.peers(install=True)
        if not (options.peers / "bin/skills").exists():
            subprocess.run(["cargo", "install", "-q", "skills-cli", "--root", options.peers], check=False)
    binary = Path(os.environ.get("SKILLYARD_BIN", ROOT / "target/release/skillyard")).resolve()
    if not binary.exists():
        print(f"{binary} is missing: run `cargo build --release` first", file=sys.stderr)
        return 2
    others = peers(options.peers.resolve())
    for name in PEERS:
        if name not in others:
            print(f"{name} is not there, so it is not measured (--install-peers installs it)", file=sys.stderr)
    with tempfile.TemporaryDirectory() as bin:
        # As it is installed: what a linker wrote is spread over more pages of memory, and starts later.
        measure(Path(shutil.copy(binary, bin)), others, options)
    return 0


def measure(binary: Path, others: dict, options: argparse.Namespace) -> None:
    """All rows, on this file system and on those that are named."""
    with tempfile.TemporaryDirectory() as place:
        machine = Machine(Path(place), binary, options.runs, options.again)
        machine.prepare(options.count, options.library)
        count = machine.describe()
        machine.install_anew(others, count)
        machine.install_again(others, count, "again, with a warm store")
    for kind in options.file_systems:
        with file_system(kind) as root:
            for large in (False, True) if root else ():
                place = root / ("large" if large else "small")
                machine = Machine(place, binary, options.runs, options.again, shares=True)
                machine.prepare(options.count, options.library, large)
                title = f"again, with a warm store, on {kind}" + ", and a large file in each" * large
                print()
                machine.install_again({}, machine.describe(), title)


if __name__ == "__main__":
    sys.exit(main())
