"""Real signed skills beside the repository, each verified as it is labelled, offline.

Passes with a word where they are not there. `SKILLYARD_BIN` names the binary.
"""

import base64
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parents[3] / "shared/corpus/signed.jsonl.zst"
VERDICTS = {
    "trusted": ("trusted", "trusted"),
    "trusted+changed": ("invalid", "changed"),
    "untrusted-root": ("untrusted", "unknown-authority"),
    "untrusted-root+changed": ("invalid", "changed"),
}


def main() -> int:
    if not CORPUS.exists():
        print("signing: the signed skills are not beside the repository")
        return 0
    binary = pathlib.Path(os.environ["SKILLYARD_BIN"]).resolve()
    lines = subprocess.run(["zstd", "-dc", CORPUS], capture_output=True, check=True).stdout.splitlines()
    wrong, counted = [], collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        environment = {"HOME": str(place), "SKILLYARD_HOME": str(place / "home"), "PATH": "/usr/bin:/bin"}

        def run(*arguments):
            return subprocess.run([binary, *arguments], capture_output=True, env=environment)

        root = place / "root.pem"
        root.write_text(json.loads(lines[0])["pem"])
        assert run("key", "trust", root, "--name", "root").returncode == 0
        for line in lines[1:]:
            row = json.loads(line)
            folder = place / row["dir"]
            for file in row["files"]:
                path = folder / file["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(base64.b64decode(file["base64"]))
            told = run("verify", folder, "--json")
            answer = json.loads(told.stdout)
            found = (answer.get("verdict"), answer.get("code"))
            counted[row["label"]] += 1
            if found != VERDICTS[row["label"]] or (told.returncode == 0) != (row["label"] == "trusted"):
                wrong.append((row["dir"], row["label"], found, answer.get("reason")))
    for each in wrong:
        print("wrong:", *each)
    print(f"signing: {sum(counted.values()) - len(wrong)} of {sum(counted.values())} as labelled {dict(counted)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
