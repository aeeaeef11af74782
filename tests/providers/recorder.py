"""A server that passes requests on and keeps them as they came."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Recorder:
    """Listens on this machine; `requests` are `(path, headers, body)`. Without a target it says 200."""

    def __init__(self, target: str | None = None):
        self.requests: list[tuple[str, dict, dict]] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                recorder.requests.append((self.path, headers, json.loads(body)))
                if target is None:
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.end_headers()
                    self.wfile.write(b"{}")
                    return
                there = http.client.HTTPConnection(urlsplit(target).netloc, timeout=60)
                passed = {name: value for name, value in headers.items() if name != "host"}
                there.request("POST", self.path, body, passed)
                answer = there.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(name, value)
                self.end_headers()
                while piece := answer.read1(65536):
                    self.wfile.write(piece)
                    self.wfile.flush()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
