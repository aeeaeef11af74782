"""The registry at 1,000, 10,000 and 100,000 published skills, in one run.

At each size: search at 200 requests a second, index and archives as fast as they come beside nginx with the same
files from the same disk, memory when idle, and publishing over HTTP with SQLite and with PostgreSQL, both with
everything on disk before the answer. Skills are published by `examples/seed`, which goes through the crate's own
`Registry::publish`. Needs `wrk` and `nginx`; PostgreSQL is used where it is installed.
"""

import argparse
import json
import os
import pwd
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from glob import glob
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measure import Server, ask, free_port, load, real_time, wrk  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
NGINX = """
daemon off; pid {place}/nginx.pid; error_log {place}/nginx.log; worker_processes {workers}; {user}
events {{ worker_connections 4096; }}
http {{
  access_log off; sendfile on; tcp_nopush on; etag on; keepalive_requests 1000000; default_type application/gzip;
  server {{ listen 127.0.0.1:{port}; root {files}; }}
}}
"""


class Yard:
    """A registry that grows."""

    def __init__(self, place: Path, binary: Path, examples: Path, database: str | None = None):
        self.place, self.binary, self.examples = place, binary, examples
        self.database = database or f"sqlite:{place}/registry.db"
        self.blobs = place / "blobs"
        self.storage = ["--database", self.database, "--blobs", self.blobs]
        self.env = {"HOME": str(place), "SKILLYARD_HOME": str(place / "home")}
        self.published = 0

    def grow(self, count: int) -> float:
        """Publishes until there are so many; skills a second."""
        more = count - self.published
        done = subprocess.run([self.examples / "seed", *self.storage, "--first", str(self.published), "--count", str(more)],
                              capture_output=True, text=True, check=True)
        self.published = count
        return more / json.loads(done.stdout)["seconds"]

    def serve(self, before: list[str] = ()) -> Server:
        port = free_port()
        limits = ["--reads-per-minute", 0, "--writes-per-minute", 0]
        return Server("skillyard", [*before, self.binary, "registry", "serve", "--port", port, *limits, *self.storage], port,
                      "/health", env=self.env)

    def token(self) -> str:
        made = subprocess.run([self.binary, "registry", "token", "create", "--user", "seed", "--scope", "publish", "--json",
                               *self.storage], capture_output=True, text=True, env={**os.environ, **self.env}, check=True)
        return json.loads(made.stdout)["token"]


def steady(examples: Path, server: Server, requests: list[dict], *options) -> dict:
    """Asks with the example `load`."""
    with tempfile.NamedTemporaryFile("w") as file:
        for request in requests:
            file.write(json.dumps(request) + "\n")
        file.flush()
        command = [examples / "load", "--address", f"127.0.0.1:{server.port}", "--requests", file.name, *options]
        done = subprocess.run([*real_time(), *map(str, command)], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    good = sum(count for status, count in result["statuses"].items() if status.startswith("2"))
    if good != result["requests"] or result["broken"]:
        raise SystemExit(f"some requests failed: {result}")
    return result


def names(server: Server, count: int, published: int) -> list[str]:
    """Names of skills, from all over the registry."""
    found, step = [], max(1, published // max(1, count // 100))
    for offset in range(0, published, step):
        _, _, body = ask(server, {"path": f"/skills?limit=100&offset={offset}&sort=name"})
        found += [skill["name"] for skill in json.loads(body)["skills"]]
    found = sorted(set(found))
    random.Random(7).shuffle(found)
    return found[:count]


def index_path(name: str) -> str:
    return f"/index/{name[:2]}/{name[2:4]}/{name}"


def nginx(place: Path, yard: Yard, server: Server, chosen: list[str]) -> Server:
    """The same answers as files, served by nginx."""
    files = place / f"files-{yard.published}"
    for name in chosen:
        _, _, lines = ask(server, {"path": index_path(name)})
        file = files / index_path(name)[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(lines)
        digest = json.loads(lines.splitlines()[-1])["digest"].removeprefix("sha256:")
        folder = files / f"skills/{name}/1.0.0"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(yard.blobs / "sha256" / digest[:2] / digest[2:], folder / "download")
    for folder in [place, *place.glob("files-*")]:
        folder.chmod(0o755)
    port = free_port()
    config = place / "nginx.conf"
    user = "user root;" if os.getuid() == 0 else ""
    config.write_text(NGINX.format(place=place, files=files, port=port, workers=os.cpu_count(), user=user))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    return Server("nginx", [program, "-p", place, "-c", config], port, "/")


def compare(ours: Server, theirs: Server, requests: list[dict], rounds: int, seconds: int) -> dict:
    """Our rate and nginx's, in turns."""
    us, them = [], []
    for _ in range(rounds):
        us.append(wrk(ours, requests, seconds, connections=32))
        them.append(wrk(theirs, requests, seconds, connections=32))
    bad = sum(run["refused"] + run["broken"] for run in us + them)
    if bad:
        raise SystemExit(f"{bad} requests failed")
    middle = lambda runs, what: statistics.median(run[what] for run in runs)
    return {
        "rate": middle(us, "rate"), "nginx": middle(them, "rate"), "p99": middle(us, "p99"),
        "times": middle(them, "rate") / middle(us, "rate"),
        "cpu_us": middle(us, "cpu_us"), "nginx_cpu_us": middle(them, "cpu_us"),
    }


def publish(yard: Yard, count: int, connections: int, first: int) -> float:
    """Uploads a second over HTTP, each on disk before it is answered."""
    archives = yard.place / "archives"
    subprocess.run([yard.examples / "seed", "--archives", archives, "--first", str(first), "--count", str(count)],
                   check=True, capture_output=True)
    token = yard.token()
    requests = [{"method": "POST", "path": "/skills", "headers": {"authorization": f"Bearer {token}"},
                 "body_file": str(archives / f"{number}.tar.gz")} for number in range(first, first + count)]
    with yard.serve() as server:
        before = server.cpu()
        done = steady(yard.examples, server, requests, "--once", "--connections", connections, "--seconds", 600)
        cpu = (server.cpu() - before) / count * 1e3
    shutil.rmtree(archives)
    return {"rate": count / done["seconds"], "p99": done["p99"], "cpu_ms": cpu}


class Postgres:
    """A PostgreSQL of its own, as it is installed: what it acknowledges is on disk."""

    def __init__(self, place: Path):
        self.place = place
        self.bin = Path(sorted(glob("/usr/lib/postgresql/*/bin"))[-1])
        place.mkdir()
        if os.getuid() == 0:
            shutil.chown(place, "nobody")
        self._run("initdb", "--auth=trust", "--username=yard", "--encoding=UTF8", "--locale=C.UTF-8", "-D", place / "data")
        self._run("pg_ctl", "-D", place / "data", "-w", "-l", place / "log", "-o", f"-c listen_addresses= -k {place}", "start")
        self.url = f"postgres://yard@{urllib.parse.quote(str(place), safe='')}/postgres"

    def _run(self, program: str, *arguments) -> None:
        user = pwd.getpwnam("nobody").pw_uid if os.getuid() == 0 else None
        subprocess.run([self.bin / program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, user=user,
                       cwd=self.place)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-D", self.place / "data", "-m", "fast", "stop")


def at_size(place: Path, yard: Yard, questions: list[str], options) -> dict:
    """Everything that is read, at the size that the registry has."""
    row = {"skills": yard.published}
    # Before the programs of others, where we may: a wait for the processor is none of the server's doing.
    with yard.serve(real_time()) as server:
        ask(server, {"path": "/skills?q=first"})
        searches = [{"path": f"/skills?q={urllib.parse.quote(words)}"} for words in questions]
        before = server.cpu()
        runs = [steady(yard.examples, server, searches, "--rate", 200, "--seconds", options.seconds)
                for _ in range(options.rounds)]
        asked = sum(run["requests"] for run in runs)
        row["search_cpu_us"] = (server.cpu() - before) / asked * 1e6
        row["search_p50"] = statistics.median(run["p50"] for run in runs)
        row["search_p99"] = statistics.median(run["p99"] for run in runs)
    start = time.monotonic()
    with yard.serve() as server:
        row["start_ms"] = (time.monotonic() - start) * 1e3
        row["empty_mb"] = server.memory()
        start = time.monotonic()
        ask(server, {"path": "/skills?q=first"})
        row["picture_ms"] = (time.monotonic() - start) * 1e3
        row["picture_mb"] = server.memory()
        chosen = names(server, options.names, yard.published)
        with nginx(place, yard, server, chosen) as theirs:
            index = [{"path": index_path(name)} for name in chosen]
            row["index"] = compare(server, theirs, index, options.rounds, options.seconds)
            archives = [{"path": f"/skills/{name}/1.0.0/download"} for name in chosen]
            row["download"] = compare(server, theirs, archives, options.rounds, options.seconds)
        time.sleep(3)
        row["idle_mb"] = server.memory()
    database = Path(yard.database.removeprefix("sqlite:"))
    row["database_mb"] = database.stat().st_size / 1e6
    return row


def told(rows: list[dict]) -> None:
    print(f"\n{'skills':>8} {'search p50':>10} {'p99 ms':>7} {'CPU µs':>7} | {'index/s':>8} {'nginx':>8} {'times':>6} {'by CPU':>6} | "
          f"{'fetch/s':>8} {'nginx':>8} {'times':>6} {'by CPU':>6} | {'start':>6} {'first':>7} {'new MB':>6} {'searched':>8} {'idle':>6} {'db MB':>6}")
    for row in rows:
        index, fetch = row["index"], row["download"]
        cpu = lambda part: part["cpu_us"] / part["nginx_cpu_us"]
        print(f"{row['skills']:>8} {row['search_p50']:>10.2f} {row['search_p99']:>7.2f} {row['search_cpu_us']:>7.0f} | "
              f"{index['rate']:>8.0f} {index['nginx']:>8.0f} {index['times']:>6.2f} {cpu(index):>6.2f} | "
              f"{fetch['rate']:>8.0f} {fetch['nginx']:>8.0f} {fetch['times']:>6.2f} {cpu(fetch):>6.2f} | "
              f"{row['start_ms']:>6.0f} {row['picture_ms']:>7.0f} {row['empty_mb']:>6.1f} {row['picture_mb']:>8.1f} {row['idle_mb']:>6.1f} {row['database_mb']:>6.0f}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    arguments.add_argument("--names", type=int, default=10_000, help="how many skills are fetched in turns")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=int, default=4)
    arguments.add_argument("--uploads", type=int, default=400)
    arguments.add_argument("--seeded", type=Path, help="a folder that keeps the seeded registries for the next run")
    arguments.add_argument("--place", type=Path, help="where to work; a folder with room for half a gigabyte")
    options = arguments.parse_args()
    binary = Path(os.environ.get("SKILLYARD_BIN", ROOT / "target/release/skillyard")).resolve()
    if not (binary.parent / "examples/seed").exists():
        print(f"{binary.parent}/examples/seed is missing: `make bench-registry` builds it", file=sys.stderr)
        return 2
    print(load())
    with tempfile.TemporaryDirectory(dir=options.place) as place:
        place = Path(place)
        examples = binary.parent / "examples"
        asked = subprocess.run([examples / "seed", "--questions", "--count", "2000"], capture_output=True, text=True, check=True)
        # What is kept in memory is quick to fill; the folder on disk gets a copy of it.
        quick = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else place
        rows = []
        with tempfile.TemporaryDirectory(dir=quick) as memory:
            seeded = options.seeded or Path(memory)
            before = None
            for size in options.sizes:
                home = seeded / f"yard-{size}"
                seeding = Yard(home, binary, examples)
                rate = 0
                if not home.exists():
                    if before:
                        shutil.copytree(before.place, home)
                        seeding.published = before.published
                    home.mkdir(parents=True, exist_ok=True)
                    rate = seeding.grow(size)
                seeding.published = size
                before = seeding
                copy = place / f"yard-{size}"
                shutil.copytree(home, copy)
                yard = Yard(copy, binary, examples)
                yard.published = size
                how = f"published, {rate:.0f} a second by `Registry::publish` without a disk" if rate else "there from before"
                print(f"{size} skills, {how}; {load()}", flush=True)
                rows.append(at_size(place, yard, asked.stdout.splitlines(), options))
                told(rows[-1:])
                row = publish(yard, options.uploads, 8, 10_000_000)
                rows[-1]["sqlite"] = row
                print(f"publishing over HTTP, SQLite: {row['rate']:.0f} a second, p99 {row['p99']:.0f} ms, CPU {row['cpu_ms']:.1f} ms each", flush=True)
                shutil.rmtree(copy)
                shutil.rmtree(place / f"files-{size}")
        if glob("/usr/lib/postgresql/*/bin/initdb"):
            place.chmod(0o755)
            with Postgres(place / "postgres") as database:
                (place / "yard-postgres").mkdir()
                yard = Yard(place / "yard-postgres", binary, examples, database.url)
                row = publish(yard, options.uploads, 8, 10_000_000)
                print(f"publishing over HTTP, PostgreSQL: {row['rate']:.0f} a second, p99 {row['p99']:.0f} ms, CPU {row['cpu_ms']:.1f} ms each")
        else:
            print("PostgreSQL is not installed")
        told(rows)
        print(load())
    return 0


if __name__ == "__main__":
    sys.exit(main())
