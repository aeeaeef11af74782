"""Asks the server and the registry whatever their OpenAPI documents allow, and what they do not.

No answer may be a 5xx, and every answer has to be one that the document describes: status, type, headers and body.
`run.py server|registry [--closed] [--minutes 10]`; the binary is `$SKILLYARD_BIN`. With `--closed` nobody is
answered without a token, and schemathesis has one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))
from catalog import make_skills  # noqa: E402
from measure import Server, ask, free_port  # noqa: E402

CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_headers_conformance,response_schema_conformance")


TOKEN = "admin-token-0123456789abcdef"


def server(binary: Path, home: Path, closed: bool) -> tuple[Server, str, list[str]]:
    """The server over a few skills, on this machine, where everybody is an admin, or whoever has the token."""
    skills = home / ".agents/skills"
    skills.mkdir(parents=True)
    make_skills(skills, 20)
    broken = skills / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("no frontmatter\n")
    port = free_port()
    flags = []
    if closed:
        tokens = home / "tokens.txt"
        tokens.write_text(f"admin {TOKEN}\n")
        tokens.chmod(0o600)
        flags = ["--token-file", tokens]
    command = [binary, "serve", "--port", port, *flags]
    started = Server("server", command, port, "/healthz", cwd=home, env={"HOME": str(home)})
    return started, "/api/v1/openapi.json", ["--header", f"Authorization: Bearer {TOKEN}"] if closed else []


def registry(binary: Path, home: Path, closed: bool) -> tuple[Server, str, list[str]]:
    """The registry with three versions of a skill and a token for everything."""
    env = {"HOME": str(home), "SKILLYARD_HOME": str(home / ".skillyard")}
    port = free_port()
    limits = ["--reads-per-minute", 0, "--writes-per-minute", 0, *(["--private"] if closed else [])]
    started = Server("registry", [binary, "registry", "serve", "--port", port, *limits], port, "/health", env=env)
    run = lambda *words: subprocess.run([binary, *words], env={**os.environ, **env}, cwd=home, capture_output=True, text=True,
                                        check=True).stdout
    scopes = [word for scope in ("publish", "yank", "owners") for word in ("--scope", scope)]
    token = json.loads(run("registry", "token", "create", "--user", "ada", *scopes, "--json"))["token"]
    run("config", "set", "registry.url", f"http://127.0.0.1:{port}")
    subprocess.run([binary, "login", "--token", token], env={**os.environ, **env}, cwd=home, capture_output=True, check=True)
    for version in ("1.0.0", "1.1.0", "2.0.0-beta.1"):
        skill = home / "pdf"
        skill.mkdir(exist_ok=True)
        (skill / "SKILL.md").write_text(
            f'---\nname: pdf\ndescription: Fills forms. Use when a task has forms.\nmetadata:\n  version: "{version}"\n---\n\n# pdf\n'
        )
        run("publish", "pdf", "--yes")
    return started, "/openapi.json", ["--header", f"Authorization: Bearer {token}"]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("which", choices=["server", "registry"])
    arguments.add_argument("--closed", action="store_true")
    arguments.add_argument("--minutes", type=float, default=0.5)
    arguments.add_argument("--binary", type=Path, default=os.environ.get("SKILLYARD_BIN"))
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as home:
        start = {"server": server, "registry": registry}[options.which]
        started, document, further = start(Path(options.binary).resolve(), Path(home), options.closed)
        with started:
            headers = dict([further[1].split(": ")] if further else [])
            if ask(started, {"path": document, "headers": headers})[0] != 200:
                raise SystemExit(f"there is no document at {document}")
            command = [
                Path(sys.executable).parent / "schemathesis", "run", f"http://127.0.0.1:{started.port}{document}",
                "--checks", CHECKS, "--max-time", str(int(options.minutes * 60)), "--request-timeout", "10",
                "--continue-on-failure", "--suppress-health-check", "all", "--warnings", "off", *further,
            ]
            hooks = {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(Path(__file__).resolve().parent)}
            outcome = subprocess.run(command, cwd=home, env={**os.environ, **hooks}).returncode
            if started.process.poll() is not None:
                print("the server has ended")
                return 1
            print(f"memory at the end: {started.memory():.0f} MB")
    return outcome


if __name__ == "__main__":
    sys.exit(main())
