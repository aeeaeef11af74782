"""`skillyard serve` beside the Python peer `skillport-mcp`: the same calls over 1,000 skills, in turns, in one run.

`--minutes 10` watches the memory under load instead, `--streams 10000` tries to open so many event streams and
meanwhile asks for other things. Needs `wrk`; the peer comes from PyPI into `target/peers`.
"""

import argparse
import json
import os
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from catalog import make_skills  # noqa: E402
from measure import Server, ask, free_port, load, wrk  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PEER = "skillport-mcp==1.1.2"
MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def peer_command() -> Path:
    """The peer, installed when it is not there."""
    place = ROOT / "target/peers/skillport"
    if not (place / "bin/skillport-mcp").exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run([place / "bin/pip", "install", "-q", PEER], check=True)
    return place / "bin/skillport-mcp"


def session(server: Server) -> dict:
    """Begins an MCP session; the headers for what follows."""
    hello = {
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
    }
    status, headers, body = ask(server, {"method": "POST", "path": "/mcp", "headers": MCP, "body": hello})
    if status != 200:
        raise SystemExit(f"{server.name} refused the session: {status} {body[:300]}")
    known = {**MCP, "MCP-Protocol-Version": "2025-06-18"}
    if headers.get("mcp-session-id"):
        known["Mcp-Session-Id"] = headers["mcp-session-id"]
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ask(server, {"method": "POST", "path": "/mcp", "headers": known, "body": note})
    return known


def call(headers: dict, tool: str, arguments: dict, number: int) -> dict:
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return {"method": "POST", "path": "/mcp", "headers": headers, "body": body}


def check(server: Server, request: dict, holds: str) -> None:
    """Looks whether an answer is what was asked for, so that no error is measured."""
    status, _, body = ask(server, request)
    text = body.decode()
    if status != 200 or holds not in text or '"isError":true' in text.replace(" ", ""):
        raise SystemExit(f"{server.name} answered {status}: {text[:500]}")


def calls(names: list[str], ours: Server, theirs: Server) -> dict[str, list]:
    """For each kind of call the requests to us and those to the peer, where it has such a call."""
    our, their = session(ours), session(theirs)
    task = lambda name: f"{name.split('-')[0]} {name.split('-')[1]} report"
    pick = names[:200]
    get = lambda path: [{"path": path.format(name=name)} for name in pick]
    both = lambda tool, ours_of, peer_tool, theirs_of: [
        [call(our, tool, ours_of(name), number) for number, name in enumerate(pick)],
        [call(their, peer_tool, theirs_of(name), number) for number, name in enumerate(pick)],
    ]
    path = "references/details.md"
    return {
        "tools/call: search": both("skill_search", lambda name: {"query": task(name), "limit": 10},
                                   "search_skills", lambda name: {"query": name}),
        "tools/call: load": both("skill_load", lambda name: {"name": name}, "load_skill", lambda name: {"skill_id": name}),
        "tools/call: read a file": both("skill_read", lambda name: {"name": name, "path": path},
                                        "read_skill_file", lambda name: {"skill_id": name, "file_path": path}),
        "GET prompt, all skills": [[{"path": "/api/v1/prompt"}], None],
        "GET body": [get("/api/v1/skills/{name}/body"), None],
        "GET resource": [get("/api/v1/skills/{name}/files/" + path), None],
    }


def compare(names: list[str], ours: Server, theirs: Server, rounds: int, seconds: int) -> None:
    table = calls(names, ours, theirs)
    for kind, (us, them) in table.items():
        if them:
            check(ours, us[0], "result")
            check(theirs, them[0], "result")
        else:
            check(ours, us[0], "")
    seen = {}
    for _ in range(rounds):
        for kind, (us, them) in table.items():
            seen.setdefault((kind, "us"), []).append(wrk(ours, us, seconds))
            if them:
                seen.setdefault((kind, "peer"), []).append(wrk(theirs, them, seconds))
    middle = lambda kind, who, what: statistics.median(run[what] for run in seen[kind, who])
    print(f"{'':<26} {'who':<10} {'req/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'CPU µs':>8}  times the peer's rate (by CPU)")
    for kind, (_, them) in table.items():
        for who, name in (("us", "skillyard"), ("peer", "skillport")):
            if (kind, who) not in seen:
                continue
            runs = seen[kind, who]
            bad = sum(run["refused"] + run["broken"] for run in runs)
            note = f"  {bad} FAILED" if bad else ""
            if who == "us" and them:
                times = middle(kind, "us", "rate") / middle(kind, "peer", "rate")
                by_cpu = middle(kind, "peer", "cpu_us") / middle(kind, "us", "cpu_us")
                note += f"  {times:.0f} ({by_cpu:.0f})"
            print(f"{kind:<26} {name:<10} {middle(kind, who, 'rate'):>8.0f} {middle(kind, who, 'p50'):>8.2f} "
                  f"{middle(kind, who, 'p99'):>8.2f} {middle(kind, who, 'cpu_us'):>8.0f}{note}")


def watch(names: list[str], ours: Server, minutes: float) -> None:
    """The memory of the server under a mixture of all calls."""
    headers = session(ours)
    mixture = []
    for number, name in enumerate(names):
        mixture += [
            # No two calls under way have one id: a session has to be able to tell them apart.
            call(headers, "skill_search", {"query": name.replace("-", " ")}, 2 * number),
            call(headers, "skill_load", {"name": name}, 2 * number + 1),
            {"path": f"/api/v1/skills/{name}/body"},
            {"path": f"/api/v1/skills/{name}/files/references/details.md"},
            {"path": f"/skills/{name}"},
            {"path": f"/api/v1/skills/{name}/files/missing.md"},
        ]
    end = time.monotonic() + minutes * 60
    first, requests = None, 0
    print("minute  requests    MB")
    while time.monotonic() < end:
        requests += wrk(ours, mixture, 10, connections=8)["requests"]
        now = ours.memory()
        first = first or now
        print(f"{minutes - (end - time.monotonic()) / 60:>6.1f} {requests:>9} {now:>5.1f}", flush=True)
    print(f"from the first sample to the last: {first:.1f} to {ours.memory():.1f} MB")


def streams(ours: Server, wanted: int) -> None:
    """Tries to follow a session over and over; others are answered meanwhile."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, wanted + 200), most))
    _, _, body = ask(ours, {"method": "POST", "path": "/api/v1/sessions", "headers": {"Content-Type": "application/json"}})
    identity = json.loads(body)["id"]
    text = f"GET /api/v1/sessions/{identity}/events HTTP/1.1\r\nHost: 127.0.0.1:{ours.port}\r\n\r\n".encode()
    selector = selectors.DefaultSelector()
    answers: dict[str, int] = {}
    waits = []
    places = []

    def hear(patience: float) -> None:
        for key, _ in selector.select(patience):
            try:
                got = key.fileobj.recv(4096)
            except OSError:
                got = b""
            status = got[9:12].decode(errors="replace") if got else "closed"
            answers[status] = answers.get(status, 0) + 1
            selector.unregister(key.fileobj)

    memory = ours.memory()
    for number in range(wanted):
        place = socket.socket()
        place.settimeout(20)
        try:
            place.connect(("127.0.0.1", ours.port))
            place.sendall(text)
            place.setblocking(False)
            selector.register(place, selectors.EVENT_READ)
            places.append(place)
        except OSError:
            answers["no connection"] = answers.get("no connection", 0) + 1
        hear(0)
        if number % 200 == 199:
            start = time.monotonic()
            status, _, _ = ask(ours, {"path": "/api/v1/skills?limit=1"})
            waits.append(time.monotonic() - start)
            if status != 200:
                raise SystemExit(f"another request got {status}")
    end = time.monotonic() + 20
    while selector.get_map() and time.monotonic() < end:
        hear(0.2)
    answers["no answer yet"] = len(selector.get_map())
    print(f"{wanted} attempts to follow a session: {answers}")
    print(f"{len(waits)} other requests meanwhile, all answered: median {statistics.median(waits) * 1e3:.1f} ms, "
          f"slowest {max(waits) * 1e3:.1f} ms; memory {memory:.1f} to {ours.memory():.1f} MB")
    for place in places:
        place.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=1_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=int, default=4)
    arguments.add_argument("--minutes", type=float)
    arguments.add_argument("--streams", type=int)
    options = arguments.parse_args()
    binary = Path(os.environ.get("SKILLYARD_BIN", ROOT / "target/release/skillyard")).resolve()
    if not binary.exists():
        print(f"{binary} is missing: run `cargo build --release` first", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        home = place / "home"
        skills = home / ".agents/skills"
        skills.mkdir(parents=True)
        make_skills(skills, options.count)
        names = sorted(folder.name for folder in skills.iterdir())
        port, peer_port = free_port(), free_port()
        ours = Server("skillyard", [binary, "serve", "--port", port], port, "/healthz", cwd=home, env={"HOME": str(home)})
        with ours:
            print(f"{options.count} skills; {load()}")
            if options.minutes:
                watch(names, ours, options.minutes)
            elif options.streams:
                streams(ours, options.streams)
            else:
                theirs = Server(
                    "skillport", [peer_command(), "--http", "--port", peer_port, "--skills-dir", skills,
                                  "--db-path", place / "lance"], peer_port, "/mcp", cwd=home, env={"HOME": str(home)},
                )
                with theirs:
                    compare(names, ours, theirs, options.rounds, options.seconds)
                    print(f"memory: skillyard {ours.memory():.0f} MB, skillport {theirs.memory():.0f} MB; {load()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
