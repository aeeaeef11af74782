"""A model that only pretends: it speaks the Responses API, calls one tool once, and then ends."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    def __init__(self, tool: str, arguments: dict):
        self.tool, self.arguments, self.requests, self.url = tool, arguments, [], ""

    def answer(self, body: str) -> list[dict]:
        """The items of an answer: a call while the tool was not used, words after that."""
        request = json.loads(body)
        named = find(request.get("tools", []), self.tool)
        used = any(item.get("type") == "function_call_output" for item in request["input"])
        # Requests without tools, such as one for a title, are not part of the conversation.
        if named:
            self.requests.append(body)
        if named and not used:
            return [{"type": "function_call", "call_id": "call_1", "arguments": json.dumps(self.arguments), **named}]
        text = {"type": "output_text", "text": "Done.", "annotations": []}
        return [{"type": "message", "role": "assistant", "id": "m1", "content": [text]}]


def find(tools: list, name: str, namespace: str | None = None) -> dict | None:
    """The tool whose name ends so, also inside a namespace."""
    for tool in tools:
        if tool.get("type") == "namespace":
            found = find(tool.get("tools", []), name, tool["name"])
            if found:
                return found
        elif tool.get("name", "").endswith(name):
            return {"name": tool["name"], **({"namespace": namespace} if namespace else {})}
    return None


@contextmanager
def serving(tool: str, arguments: dict):
    model = Model(tool, arguments)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            self.reply("application/json", b'{"object":"list","data":[],"models":[]}')

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            items = model.answer(body)
            usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
            events = [{"type": "response.created", "response": {"id": "r1"}}]
            for at, item in enumerate(items):
                events.append({"type": "response.output_item.done", "output_index": at, "item": item})
            events.append({"type": "response.completed", "response": {"id": "r1", "output": items, "usage": usage}})
            stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
            self.reply("text/event-stream", stream.encode())

        def reply(self, kind: str, content: bytes):
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
