"""A real small model uses skills, through llama.cpp's server and the binary.

1. A probe finds out how the model calls tools, and remembers it.
2. A router picks the right one of five skills, or none, in at least 10 of 12 labelled tasks.
3. A whole loop: the model loads a skill, reads one of its files, and answers with what is in it.

It takes minutes on an idle core; `e2e.py router` or `e2e.py loop` is a part of it. `MODEL_PLACE`
says where the model is kept.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fetch import fetch

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = Path(os.environ.get("MODEL_PLACE", ROOT / "target/model"))
BINARY = Path(os.environ["SKILLYARD_BIN"]).resolve()
CONTEXT = 8192
LEAST = 10

SKILLS = {
    "pdf-forms": "Fills in PDF forms and extracts text and tables from PDF files. Use for anything with PDF documents.",
    "image-resize": "Resizes, crops and converts pictures such as PNG and JPEG. Use for photos, icons and thumbnails.",
    "sql-report": "Writes SQL queries and summarises database tables. Use for questions about data in a database.",
    "git-release": "Tags a version, writes the changelog and publishes a release with git. Use when software is released.",
    "meeting-notes": "Turns transcripts of meetings into minutes with decisions and action items. Use after meetings.",
}
TASKS = [
    ("Fill in the tax form in form.pdf with my address", "pdf-forms"),
    ("Get the table on page 3 out of report.pdf", "pdf-forms"),
    ("Make a 128 pixel thumbnail of holiday.jpg", "image-resize"),
    ("Convert logo.png to JPEG and crop the border", "image-resize"),
    ("How many customers ordered twice in May? The data is in the orders table", "sql-report"),
    ("Write a query that joins users and invoices", "sql-report"),
    ("Tag version 2.1.0 and write the changelog", "git-release"),
    ("Publish the new release of our library", "git-release"),
    ("Here is the transcript of today's call, write the minutes", "meeting-notes"),
    ("List the action items of yesterday's meeting", "meeting-notes"),
    ("Hello! How are you today?", None),
    ("What is seven times eight?", None),
]
BODY = """# Courier codes

Every city has a courier code. The codes are only in the file `references/codes.md` of this skill.

1. Read `references/codes.md` with `skill_read`.
2. Answer with the code of the city that the user asks for.
"""


class Machine:
    """A home, a project in it, and the binary over a model."""

    def __init__(self, place: Path, url: str):
        self.home, self.project = place / "home", place / "project"
        # A copy, so that a build in these minutes does not change what is tried.
        self.binary = shutil.copy2(BINARY, place / "skillyard")
        self.home.mkdir()
        self.project.mkdir()
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_COLOR": "1"}
        self.run("config", "set", "models.local.url", url)

    def skill(self, name: str, description: str, body: str, **files: str) -> None:
        folder = self.home / ".skillyard/skills" / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"
        (folder / "SKILL.md").write_text(text)
        for path, content in files.items():
            file = folder / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(content)

    def run(self, *words: str, codes=(0,)) -> tuple[str, str]:
        command = ["nice", "-n", "5", str(self.binary), *words]
        result = subprocess.run(
            command, cwd=self.project, env=self.environment, capture_output=True, text=True
        )
        if result.returncode not in codes:
            raise SystemExit(f"{words}: {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout, result.stderr

    def chat(self, agent: str, prompt: str, codes=(0,)) -> tuple[dict, str]:
        out, told = self.run("chat", agent, "-p", prompt, "--output-format", "json", codes=codes)
        return json.loads(out), told


def start(model: Path) -> tuple[subprocess.Popen, str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["nice", "-n", "5", sys.executable, Path(__file__).parent / "serve.py"]
    command += [model, port, CONTEXT]
    with (PLACE / "server.log").open("w") as log:
        server = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=log, stderr=log
        )
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return server, f"http://127.0.0.1:{port}/v1"
        except OSError:
            pass
        if server.poll() is not None:
            raise SystemExit(f"the server ended: see {PLACE / 'server.log'}")
        time.sleep(1)
    server.kill()
    raise SystemExit("the server did not start within ten minutes")


def route(machine: Machine) -> int:
    """How many tasks the router gets right. No step is allowed, so only the router is asked."""
    for name, description in SKILLS.items():
        machine.skill(name, description, f"Instructions of {name}.")
    machine.run(
        "agent", "create", "router", "--model", "local/qwen", "--skills", ",".join(SKILLS),
        "--strategy", "router", "--max-steps", "0",
    )
    right = 0
    for task, expected in TASKS:
        begun = time.monotonic()
        answer, _ = machine.chat("router", task, codes=(0, 1))
        chosen = [each["name"] for each in answer["activated"]]
        good = chosen == ([expected] if expected else [])
        right += good
        mark = "ok " if good else "BAD"
        print(f"  {mark} {time.monotonic() - begun:5.0f} s  {chosen or '-'}  {task}", flush=True)
    return right


def loop(machine: Machine) -> None:
    """The model must load the skill and read its file to know the code."""
    code = "Q" + os.urandom(3).hex().upper()
    codes = f"# Codes\n\n- Lisbon: {code}\n- Oslo: ZZTOP\n"
    machine.skill(
        "courier-codes", "Knows the courier code of every city. Use when asked for a courier code.",
        BODY, **{"references/codes.md": codes},
    )
    machine.run(
        "agent", "create", "courier", "--model", "local/qwen", "--skills", "courier-codes",
        "--workspace-tools", "none", "--max-steps", "8",
        "--instructions", "Use skills for what you do not know. Load a skill, read its files, then answer briefly.",
    )
    begun = time.monotonic()
    answer, told = machine.chat("courier", "What is the courier code of Lisbon?", codes=(0, 1))
    print(told, json.dumps(answer, indent=1), f"{time.monotonic() - begun:.0f} s", flush=True)
    names = [call["name"] for call in answer["calls"] if call["outcome"] == "ok"]
    assert [each["name"] for each in answer["activated"]] == ["courier-codes"], names
    assert "skill_load" in names and "skill_read" in names, names
    assert answer["end"] == "answered", answer["end"]
    assert code in answer["answer"], answer["answer"]
    out, _ = machine.run("audit", "replay", answer["session"])
    print(out, flush=True)
    # What the probe found is remembered.
    known = json.loads((machine.home / ".skillyard/index/models.json").read_text())
    assert list(known.values()) == ["json_schema"], known


def main() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    server, url = start(fetch(PLACE))
    try:
        with tempfile.TemporaryDirectory() as place:
            machine = Machine(Path(place), url)
            wanted = sys.argv[1:] or ["router", "loop"]
            if "router" in wanted:
                print("router:", flush=True)
                right = route(machine)
                print(f"router: {right} of {len(TASKS)} right", flush=True)
                assert right >= LEAST
            if "loop" in wanted:
                print("loop:", flush=True)
                loop(machine)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
