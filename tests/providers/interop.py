"""The secret-codeword test, for every provider, through a strict mock from npm.

A skill's body and one of its files each hold a random word. The mock, `@copilotkit/aimock` in its
strict mode, makes the model load the skill, read the file and answer. Every request is recorded on
its way and checked against the types of the vendor's SDK, and each word may be in a request only
after its tier was loaded. A trace of every turn goes to a receiver here, and is parsed with the
official `opentelemetry-proto`.
"""

import base64
import json
import os
import secrets
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from recorder import Recorder
from schemas import check

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = Path(os.environ.get("PROVIDERS_PLACE", ROOT / "target/providers"))
BINARY = Path(os.environ["SKILLYARD_BIN"]).resolve()
MOCK = "@copilotkit/aimock@1.43.0"
KEY = "sk-test-" + secrets.token_hex(16)
PROVIDERS = [
    # Name, what it speaks, what stands behind the mock's address, where requests go.
    ("anthropic", "anthropic", "", "/v1/messages"),
    ("openai", "openai", "/v1", "/v1/responses"),
    ("compatible", "openai-chat", "/v1", "/v1/chat/completions"),
    ("ollama", "openai-chat", "/v1", "/v1/chat/completions"),
]
READ = {"name": "vault", "path": "references/word.md"}
FIXTURES = {"fixtures": [
    {"match": {"toolCallId": "call_read"}, "response": {"content": "Both words are known now."}},
    {"match": {"toolCallId": "call_load"},
     "response": {"toolCalls": [{"id": "call_read", "name": "skill_read", "arguments": READ}]}},
    {"match": {"userMessage": "open the vault"},
     "response": {"content": "I load the skill.",
                  "toolCalls": [{"id": "call_load", "name": "skill_load", "arguments": {"name": "vault"}}]}},
]}


def start_mock(place: Path) -> tuple[subprocess.Popen, str]:
    command = PLACE / "node_modules/.bin/llmock"
    if not command.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", PLACE, MOCK]
        subprocess.run([str(word) for word in install], check=True)
    fixtures = place / "fixtures.json"
    fixtures.write_text(json.dumps(FIXTURES))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    mock = subprocess.Popen(
        [command, "-p", str(port), "-f", fixtures, "--strict", "--validate-on-load", "-c", "7"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/__aimock/journal", timeout=2).close()
            return mock, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.2)
    mock.kill()
    raise SystemExit("the mock did not start")


def codewords(place: Path, mock: str, provider: tuple[str, str, str, str]) -> None:
    name, api, path, expected = provider
    body_word, file_word = secrets.token_hex(12), secrets.token_hex(12)
    home, project = place / name / "home", place / name / "project"
    skill = home / ".skillyard/skills/vault"
    (skill / "references").mkdir(parents=True)
    project.mkdir()
    (skill / "SKILL.md").write_text(
        "---\nname: vault\ndescription: Opens vaults. Use when a vault is to be opened.\n---\n\n"
        f"The word of the body is {body_word}. Read references/word.md.\n"
    )
    (skill / "references/word.md").write_text(f"The word of the file is {file_word}.\n")
    recorder, traces = Recorder(mock), Recorder()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TEST_KEY": KEY}
    settings = {
        f"models.{name}.api": api,
        f"models.{name}.url": recorder.url + path,
        f"models.{name}.key": "${TEST_KEY}",
        f"models.{name}.tool_mode": "native",
        "telemetry.endpoint": traces.url + "/otel",
        "telemetry.headers.x-api-key": "${TEST_KEY}",
    }
    flags = [word for key, value in settings.items() for word in ("--config", f"{key}={value}")]
    result = subprocess.run(
        [BINARY, *flags, "chat", "--model", f"{name}/m", "-p", "please open the vault", "--json"],
        cwd=project, env=environment, capture_output=True, text=True, timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    answer = json.loads(result.stdout)
    assert answer["answer"].endswith("Both words are known now."), answer
    assert [call["name"] for call in answer["calls"]] == ["skill_load", "skill_read"]
    assert KEY not in result.stdout + result.stderr

    requests = recorder.requests
    assert [path for path, _, _ in requests] == [expected] * 3, requests
    seen = []
    for path, headers, body in requests:
        check(path, body)
        assert KEY in headers.get("x-api-key", "") + headers.get("authorization", "")
        text = json.dumps(body)
        seen.append((body_word in text, file_word in text))
    assert seen == [(False, False), (True, False), (True, True)], seen
    spans = traced(traces, (body_word, file_word, "open the vault"))
    replay = subprocess.run(
        [BINARY, "audit", "replay", answer["session"]], cwd=project, env=environment,
        capture_output=True, text=True, timeout=120,
    )
    assert replay.returncode == 0, replay.stdout
    print(f"✓ {name} ({api}): 3 requests valid, words {seen}, {spans} spans, replayed", flush=True)


def traced(traces: Recorder, secret: tuple[str, ...]) -> int:
    """The spans of the one turn, as the official package understands them."""
    ((path, headers, body),) = traces.requests
    assert path == "/otel/v1/traces" and headers["x-api-key"] == KEY
    text = json.dumps(body)
    assert not any(word in text for word in (*secret, KEY))
    # OTLP writes ids in hexadecimal digits, where the JSON of protocol buffers has base64.
    for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for key, size in (("traceId", 16), ("spanId", 8), ("parentSpanId", 8)):
            if key in span:
                raw = bytes.fromhex(span[key])
                assert len(raw) == size and any(raw), span[key]
                span[key] = base64.b64encode(raw).decode()
    # Unknown names and wrong types are errors here.
    parsed = json_format.ParseDict(body, ExportTraceServiceRequest())
    spans = parsed.resource_spans[0].scope_spans[0].spans
    names = [span.name for span in spans]
    assert names == [
        "invoke_agent skillyard", "chat m", "execute_tool skill_load vault", "chat m",
        "execute_tool skill_read vault references/word.md", "chat m",
    ], names
    attributes = [{each.key: each.value for each in span.attributes} for span in spans]
    assert attributes[2]["gen_ai.skill.name"].string_value == "vault"
    assert attributes[2]["gen_ai.skill.source.uri"].string_value == "skillyard:user/vault"
    assert attributes[4]["gen_ai.skill.resource.name"].string_value == "references/word.md"
    assert attributes[0]["gen_ai.usage.input_tokens"].HasField("int_value")
    assert all(span.trace_id == spans[0].trace_id for span in spans)
    assert all(span.parent_span_id == spans[0].span_id for span in spans[1:])
    return len(spans)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        mock, url = start_mock(Path(place))
        try:
            for provider in PROVIDERS:
                codewords(Path(place), url, provider)
        finally:
            mock.kill()
            mock.wait()


if __name__ == "__main__":
    main()
