"""What a scan costs beside the peer: processor time a skill, both warm, in one run.

The same labelled skills (beside the repository) go through both. The peer is
cisco-ai-skill-scanner with its default analysers, in the Python that `--peer` names; without it
only our own numbers are printed. Nothing is run of what the skills hold.
"""

import argparse
import base64
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "../shared/corpus/labelled.jsonl.zst"
PEER = """
import sys, time
start = time.process_time()
from skill_scanner.core.scanner import SkillScanner
scanner = SkillScanner()
print("start", time.process_time() - start)
for folder in sys.argv[1:]:
    begun = time.process_time()
    try:
        scanner.scan_skill(folder)
    except Exception:
        continue
    print("skill", time.process_time() - begun)
"""


def sample(count: int):
    """Skills of every set in turn, so that no campaign counts more than another."""
    lines = subprocess.run(["zstd", "-dc", CORPUS], check=True, capture_output=True).stdout.splitlines()
    sets = {}
    for line in lines:
        row = json.loads(line)
        sets.setdefault((row["set"], row["label"]), []).append(row)
    rows = [row for each in zip(*(each * count for each in sets.values())) for row in each]
    seen, chosen = set(), []
    for row in rows:
        key = (row["set"], row["label"], row["dir"])
        if key not in seen and len(chosen) < count:
            seen.add(key)
            chosen.append(row)
    return chosen


def unpack(rows, folder: Path):
    """Writes the skills below a folder; paths that lead elsewhere are left out."""
    places = []
    for at, row in enumerate(rows):
        place = folder / str(at)
        for file in row["files"]:
            parts = Path(file["path"]).parts
            if ".." in parts or not parts or Path(file["path"]).is_absolute():
                continue
            path = place.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = file.get("text")
            path.write_bytes(text.encode() if text is not None else base64.b64decode(file.get("base64", "")))
        places.append(str(place))
    return places


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="a Python that has the peer")
    parser.add_argument("--count", type=int, default=60)
    arguments = parser.parse_args()
    if not CORPUS.exists():
        sys.exit("scan: the labelled skills are not beside the repository")
    rows = sample(arguments.count)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    command = ["cargo", "run", "--release", "-q", "-p", "skillyard-scan", "--example", "scan_eval"]
    # Ten times over, so that what is built once weighs as little as it does for the peer.
    told = subprocess.run(command, cwd=ROOT, check=True, input=lines * 10, text=True, capture_output=True).stdout
    ours = float(re.search(r"takes ([\d.]+) ms", told).group(1))
    print(f"skillyard: {ours:.2f} ms a skill, {len(rows)} skills")
    if not arguments.peer:
        return
    with tempfile.TemporaryDirectory() as folder:
        places = unpack(rows, Path(folder))
        told = subprocess.run(
            [arguments.peer, "-c", PEER, *places],
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PATH": "/usr/bin:/bin", "HOME": folder},
        ).stdout.split()
    times = [float(value) * 1e3 for word, value in zip(told, told[1:]) if word == "skill"]
    start = next(float(value) for word, value in zip(told, told[1:]) if word == "start")
    theirs = sum(times) / len(times)
    print(f"peer: {theirs:.0f} ms a skill, {len(times)} skills, after {start:.1f} s to start")
    print(f"ratio: {theirs / ours:.0f} times less processor time")


main()
