"""Installing 100 skills: beside `cp -r`, `git clone --depth 1` and what users have today.

One run, one machine; wall and CPU time (user + system, children included), ratios as the result.
Peers that are not installed are installed into `target/peers` when `--install-peers` is given.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import catalog  # noqa: E402
from catalog import ROOT, make_skills  # noqa: E402


class Machine:
    """A home, a project and the skills to install."""

    def __init__(self, place: Path, binary: Path, runs: int):
        self.place, self.binary, self.runs = place, binary, runs
        self.skills = place / "library"
        self.remote = place / "remote"
        self.environment = {
            **os.environ,
            "HOME": str(place / "home"),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
        }

    def prepare(self, count: int) -> None:
        make_skills(self.skills, count)
        shutil.copytree(self.skills, self.remote / "skills")
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
        for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "skills"]):
            subprocess.run([*git, *arguments], cwd=self.remote, check=True)
        subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=self.remote, check=True)

    def fresh(self, keep_store: bool = False) -> Path:
        """An empty project, and an empty home unless its store is to stay."""
        project = self.place / "project"
        shutil.rmtree(project, ignore_errors=True)
        (project / ".git").mkdir(parents=True)
        (project / ".agents/skills").mkdir(parents=True)
        home = self.place / "home"
        if not keep_store:
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
        return project

    def measure(self, command, keep_store: bool = False, expected: int | None = None):
        """Median wall and CPU seconds of a command in a fresh project."""
        wall, cpu = [], []
        for _ in range(self.runs):
            project = self.fresh(keep_store)
            # What earlier runs wrote must not be waited for in this one.
            os.sync()
            start = time.perf_counter()
            process = subprocess.Popen(
                command, cwd=project, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, shell=isinstance(command, str),
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall.append(time.perf_counter() - start)
            cpu.append(usage.ru_utime + usage.ru_stime)
            if os.waitstatus_to_exitcode(status) != 0:
                return None
            if expected is not None and installed(project) != expected:
                return None
        return statistics.median(wall), statistics.median(cpu)


def installed(project: Path) -> int:
    """How many skills a tool put into any agent's folder."""
    folders = [project / name / "skills" for name in (".agents", ".agent", ".claude")]
    return max(len(list(folder.glob("*/SKILL.md"))) for folder in folders)


def peers(place: Path):
    """How others install everything from a folder and from a repository, as far as they are there."""
    bin, node = place / "node_modules/.bin", place / "node_modules/.bin/node"
    found = {}
    if (place / "bin/skills").exists():
        add = f"{place}/bin/skills add {{source}} --skill '*' --agent codex --yes --copy"
        found["skills-cli (Rust)"] = (add, add)
    if node.exists() and (bin / "skills").exists():
        add = f"{node} {bin}/skills add {{source}} --skill '*' --agent codex --yes --copy"
        found["skills (npm)"] = (add, add)
    if node.exists() and (bin / "openskills").exists():
        add = f"{node} {bin}/openskills install {{source}} --universal --yes"
        found["openskills (npm)"] = (add, add)
    if (place / "bin/knack").exists():
        # It takes one skill at a time, and no local repository.
        each = f"for skill in {{source}}/*; do {place}/bin/knack install $skill || exit 1; done"
        found["knack (Rust), one by one"] = (each, None)
    return found


def table(title: str, floor: str, rows) -> None:
    base_wall, base_cpu = rows[floor]
    print(f"\n{title}\n{'':<34} {'wall ms':>8} {'ratio':>7} {'CPU ms':>8} {'ratio':>7}")
    for name, result in rows.items():
        if result is None:
            print(f"{name:<34} failed")
            continue
        wall, cpu = result
        print(f"{name:<34} {wall * 1000:>8.1f} {wall / base_wall:>7.2f} {cpu * 1000:>8.1f} {cpu / base_cpu:>7.2f}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=100)
    arguments.add_argument("--runs", type=int, default=9)
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
    with tempfile.TemporaryDirectory() as place:
        machine = Machine(Path(place), binary, options.runs)
        machine.prepare(options.count)
        others = peers(options.peers.resolve())
        count = options.count
        ours = [str(binary), "install", "--all", "--yes", "--scope", "project"]
        remote = f"file://{machine.remote}"
        measure = machine.measure

        print(f"{count} skills of about 4 KB, two further files each; median of {options.runs} runs")
        rows = {"cp -r": measure(f"cp -r {machine.skills}/. .agents/skills/", expected=count)}
        rows["skillyard install FOLDER"] = measure([*ours, str(machine.skills)], expected=count)
        for name, (command, _) in others.items():
            rows[name] = measure(command.format(source=machine.skills), expected=count)
        table("from a folder", "cp -r", rows)

        rows = {"git clone --depth 1": measure(["git", "clone", "-q", "--depth", "1", remote, "clone"])}
        rows["skillyard install REPOSITORY"] = measure([*ours, remote], expected=count)
        for name, (_, command) in others.items():
            if command is not None:
                rows[name] = measure(command.format(source=remote), expected=count)
        table("from a local repository", "git clone --depth 1", rows)

        project = machine.fresh()
        subprocess.run([*ours, str(machine.skills)], cwd=project, env=machine.environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pinned = machine.place / "pinned"
        pinned.mkdir()
        for name in ("skills.toml", "skills.lock"):
            shutil.copy(project / name, pinned)
        rows = {"cp -r": measure(f"cp -r {machine.skills}/. .agents/skills/", keep_store=True, expected=count)}
        sync = f"cp {pinned}/skills.* . && exec {binary} sync --locked --offline"
        rows["skillyard sync, warm store"] = measure(sync, keep_store=True, expected=count)
        rows["skillyard install, warm store"] = measure([*ours, str(machine.skills)], keep_store=True, expected=count)
        table("again, with a warm store", "cp -r", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
