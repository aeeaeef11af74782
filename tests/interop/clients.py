"""Real clients see what we install: codex, opencode and gemini, fetched from npm.

Each is asked for its list of skills, without a model. They are installed into `target/interop`
with a home of their own, because some change the user's home when they are installed.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = Path(os.environ.get("INTEROP_PLACE", ROOT / "target/interop"))
PACKAGES = ["@openai/codex@0.166.0", "opencode-ai@1.18.33", "@google/gemini-cli@0.61.0"]
SKILL = "---\nname: {name}\ndescription: Fills {name} forms. Use when a task involves {name}.\n---\n\nDo it.\n"


def fetch_clients() -> None:
    commands = [PLACE / "node_modules/.bin" / name for name in ("codex", "opencode", "gemini")]
    if all(command.exists() for command in commands):
        return
    (PLACE / "home").mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", PLACE, *PACKAGES],
        env={**os.environ, "HOME": str(PLACE / "home")}, check=True,
    )


class Project:
    """A repository with a home beside it, and the commands run in it."""

    def __init__(self, place: Path, binary: Path):
        self.binary, self.folder, self.home = binary, place / "project", place / "home"
        self.folder.mkdir()
        # What shows that the three are in use here.
        for name in (".codex", ".gemini", ".config/opencode"):
            (self.home / name).mkdir(parents=True)
        self.environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
        }
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)

    def run(self, *command, **more) -> str:
        result = subprocess.run(
            [str(part) for part in command], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=600, **more,
        )
        if result.returncode != 0:
            raise RuntimeError(f"{command}: {result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def client(self, name: str) -> Path:
        return PLACE / "node_modules/.bin" / name


def codex(project: Project) -> set[str]:
    """Its app server, asked over its standard input."""
    requests = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "interop", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "skills/list", "params": {"cwds": [str(project.folder)], "forceReload": True}},
    ]
    server = subprocess.Popen(
        [project.client("codex"), "app-server"], cwd=project.folder, env=project.environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    try:
        for request in requests:
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                return {skill["name"] for entry in answer["result"]["data"] for skill in entry["skills"]}
    finally:
        server.kill()
        server.wait()
    return set()


def opencode(project: Project) -> set[str]:
    listed = project.run(project.client("opencode"), "debug", "skill")
    return {skill["name"] for skill in json.loads(listed[listed.index("["): listed.rindex("]") + 1])}


def gemini(project: Project) -> set[str]:
    listed = project.run(project.client("gemini"), "skills", "list")
    return {line.split()[0] for line in listed.splitlines() if "[Enabled]" in line}


def main() -> int:
    binary = Path(os.environ.get("SKILLYARD_BIN", ROOT / "target/debug/skillyard")).resolve()
    fetch_clients()
    wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        project = Project(Path(place), binary)
        for name in ("pdf-forms", "csv-tools"):
            folder = Path(place) / "library" / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(SKILL.format(name=name))
        library = Path(place) / "library"
        project.run(binary, "install", library / "pdf-forms", "--agent", "all", "--scope", "project")
        project.run(binary, "install", library / "csv-tools", "--agent", "all", "--scope", "user")
        for when, expected in (("after install", True), ("after remove", False)):
            for client in (codex, opencode, gemini):
                found = client(project) & {"pdf-forms", "csv-tools"}
                wanted = {"pdf-forms", "csv-tools"} if expected else set()
                mark = "ok" if found == wanted else "WRONG"
                wrong += found != wanted
                print(f"{mark:<6} {when:<14} {client.__name__:<9} lists {', '.join(sorted(found)) or 'neither'}")
            if expected:
                project.run(binary, "remove", "pdf-forms", "--scope", "project")
                project.run(binary, "remove", "csv-tools", "--scope", "user")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
