"""What a sandbox costs: `/bin/true` in ours, in plain bubblewrap and in what users have today.

One run, in turns, wall time, ratios as the result. `--peers` installs firejail and the npm
sandbox-runtime where they are missing. Waiting for a processor is not what is measured, so the
bench asks for a real-time priority and says so when it does not get one.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRT = "@anthropic-ai/sandbox-runtime"


def peers(install: bool, folder: Path):
    """The commands of other sandboxes, as far as they are there."""
    place = ROOT / "target/peers"
    if install:
        if not all(map(shutil.which, ("firejail", "socat", "rg"))) and os.geteuid() == 0:
            subprocess.run(["apt-get", "install", "-y", "-qq", "firejail", "socat", "ripgrep"], check=False, stdout=subprocess.DEVNULL)
        if not (place / "node_modules" / SRT).exists():
            place.mkdir(parents=True, exist_ok=True)
            subprocess.run(["npm", "install", "-s", "--prefix", place, SRT], check=False)
    found = {}
    if shutil.which("firejail"):
        found["firejail"] = ["firejail", "--quiet", "--noprofile", "--net=none", "--seccomp", "/bin/true"]
    srt = place / "node_modules/.bin/srt"
    if srt.exists():
        settings = folder / "settings.json"
        settings.write_text(json.dumps({
            "network": {"allowedDomains": [], "deniedDomains": []},
            "filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []},
        }))
        found["sandbox-runtime (npm)"] = [str(srt), "--settings", str(settings), "/bin/true"]
    works = lambda command: subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return {name: command for name, command in found.items() if works(command)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="install what is missing of the others")
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    launcher = os.environ.get("SKILLYARD_BIN", str(target / "skillyard"))
    priority = ["chrt", "-f", "10"]
    if subprocess.run([*priority, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        print("no real-time priority: other processes are part of what is measured")
        priority = []
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for name, command in peers(options.peers, Path(folder)).items():
            words += [f"{name}={command[0]}", *command[1:], ","]
        bench = [*priority, str(target / "examples/overhead"), str(Path(launcher).resolve()), str(options.rounds), *words]
        said = subprocess.run(bench, check=True, capture_output=True, text=True).stdout
    rows = {row["name"]: row for row in map(json.loads, said.splitlines())}
    plain = rows["bwrap --unshare-all"]
    print(f"{'':28}{'min':>9}{'median':>9}{'p90':>9}   ms; median to plain bubblewrap")
    for name, row in rows.items():
        print(f"{name:28}{row['min']:9.2f}{row['median']:9.2f}{row['p90']:9.2f}{row['median'] / plain['median']:9.2f}")
    over = rows["skillyard landlock"]["median"] - rows["bare"]["median"]
    print(f"bubblewrap: {rows['skillyard bubblewrap']['median'] / plain['median']:.2f} times plain bubblewrap (at most 1.5 is the aim)")
    print(f"landlock: {over:.2f} ms over bare exec (at most 3 is the aim)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
