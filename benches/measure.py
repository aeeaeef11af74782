"""What the benches of servers share: starting them, asking them with `wrk`, reading their CPU and memory."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")

# Each thread of wrk goes through the requests from a place of its own, and the end prints one line of JSON.
LUA = r"""
local requests, place, threads = {}, 0, 0
function setup(thread) thread:set("first", threads * 977); threads = threads + 1 end
function init()
  for line in io.lines(os.getenv("WRK_REQUESTS")) do
    local method, path, headers, body = line:match("^(%S+)\t([^\t]*)\t([^\t]*)\t(.*)$")
    local set = {}
    for name, value in headers:gmatch("([^:;]+): ([^;]+)") do set[name] = value end
    requests[#requests + 1] = wrk.format(method, path, set, body ~= "" and body or nil)
  end
  place = first
end
function request() place = place + 1; return requests[place % #requests + 1] end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "refused": %d, "broken": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
"""


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def load() -> str:
    """How busy the machine is, in words."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def may_go_first() -> bool:
    """Whether a command of ours can be put before those of others."""
    return shutil.which("chrt") is not None and subprocess.run(["chrt", "-r", "1", "true"], capture_output=True).returncode == 0


def real_time() -> list[str]:
    """What puts a command before those of others, where we may."""
    return ["chrt", "-r", "1"] if may_go_first() else []


def one_run(command: list, cwd: Path, env: dict, first: bool):
    """CPU seconds, elapsed seconds and peak memory in MB of a command; none if it failed.

    It is started without a copy of this process and without a program in between: both would be measured too,
    and they take longer than a quick command does.
    """
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, 1, 2)]
    order = {"scheduler": (os.SCHED_RR, os.sched_param(1))} if first else {}
    here = os.getcwd()
    os.chdir(cwd)
    try:
        started = time.perf_counter()
        process = os.posix_spawn(command[0], command, env, file_actions=quiet, **order)
        _, status, usage = os.wait4(process, 0)
        elapsed = time.perf_counter() - started
    finally:
        os.chdir(here)
    if os.waitstatus_to_exitcode(status) != 0:
        return None
    return usage.ru_utime + usage.ru_stime, elapsed, usage.ru_maxrss / 1024


class Server:
    """A server that was started, with all its processes."""

    def __init__(self, name: str, command: list, port: int, path: str = "/", cwd=None, env=None, patience: int = 120):
        self.name, self.port = name, port
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=self.log, stderr=self.log, cwd=cwd, start_new_session=True,
            env={**os.environ, **(env or {})},
        )
        end = time.monotonic() + patience
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5)
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.log.seek(0)
                    said = self.log.read().decode(errors="replace")[-2000:]
                    self.stop()
                    raise SystemExit(f"{name} did not start:\n{said}") from None
                time.sleep(0.05)

    def processes(self) -> list[Path]:
        """Its processes: all of its group."""
        found = []
        for place in Path("/proc").iterdir():
            try:
                fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
                if place.name.isdigit() and int(fields[2]) == self.process.pid:
                    found.append(place)
            except (OSError, IndexError, ValueError):
                pass
        return found

    def cpu(self) -> float:
        """Seconds of CPU so far, user and system."""
        total = 0
        for place in self.processes():
            fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self) -> float:
        """MB that are in memory and not shared with files."""
        total = 0
        for place in self.processes():
            for line in (place / "status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1])
        return total / 1024

    def stop(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(timeout=15)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def write_requests(file: Path, requests: list[dict]) -> None:
    """Requests in the form that the script for `wrk` reads."""
    with file.open("w") as out:
        for request in requests:
            headers = ";".join(f"{name}: {value}" for name, value in request.get("headers", {}).items())
            body = json.dumps(request["body"], separators=(",", ":")) if "body" in request else ""
            out.write(f"{request.get('method', 'GET')}\t{request['path']}\t{headers}\t{body}\n")


def wrk(server: Server, requests: list[dict], seconds: int, connections: int = 16, threads: int = 1) -> dict:
    """Asks as fast as the server answers; CPU of the server a request comes with the result."""
    with tempfile.TemporaryDirectory() as place:
        script, file = Path(place) / "wrk.lua", Path(place) / "requests"
        script.write_text(LUA)
        write_requests(file, requests)
        before = server.cpu()
        done = subprocess.run(
            ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", str(script),
             f"http://127.0.0.1:{server.port}"],
            capture_output=True, text=True, env={**os.environ, "WRK_REQUESTS": str(file)},
        )
        cpu = server.cpu() - before
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"wrk failed: {done.stderr or done.stdout}")
    result = json.loads(lines[-1])
    result["rate"] = result["requests"] / result["seconds"]
    result["cpu_us"] = cpu / max(result["requests"], 1) * 1e6
    return result


def ask(server: Server, request: dict):
    """One request: its status, headers and body."""
    body = json.dumps(request["body"]).encode() if "body" in request else None
    asked = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{request['path']}", data=body, method=request.get("method", "GET"),
        headers=request.get("headers", {}),
    )
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
