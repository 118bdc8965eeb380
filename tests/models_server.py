"""A real HTTP server on loopback that speaks the chat API of OpenAI; the name of the model says how it behaves.

`echo` repeats the last message; `clock` calls current_time, then repeats what it returned; `two-clocks` calls it twice
at once; `loop` calls it for ever; `unknown-tool` calls a tool that is not there, then answers; `refuse-429`, `fail-500`
and the like answer with that status; `silent` never answers; `drip` sends a byte at a time; `malformed` is not JSON;
`odd` is JSON of another kind; `huge` is larger than anybody keeps; `packed` is compressed although nobody asked;
`redirect` points elsewhere; `cut` ends in the middle.
"""

import gzip
import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


class ModelsServer(ThreadingHTTPServer):
    """What was asked is kept; `abandoned` names the models whose caller went away while they were working."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Body] = []
        self.authorizations: list[str | None] = []
        self.stopping = threading.Event()
        self.working = threading.Event()
        self.abandoned = threading.Event()

    @property
    def base_url(self) -> str:
        """What an account has as its base URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def serving() -> Iterator[ModelsServer]:
    """A running server; at the end every connection and thread of it is gone."""
    server = ModelsServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ModelsServer
    protocol_version = "HTTP/1.0"  # one request a connection: nothing lingers when a test ends

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Silence."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.authorizations.append(self._credential())
        self.server.working.set()
        try:
            if self.path.endswith("/chat/completions"):
                self._behave(asked["model"], asked["messages"])
            else:
                self._speak_otherwise(asked)
        except (BrokenPipeError, ConnectionResetError):
            self.server.abandoned.set()

    def _behave(self, model: str, messages: list[Body]) -> None:
        if model.startswith(("refuse-", "fail-")):
            self._refuse(int(model.rpartition("-")[2]))
        elif model == "silent":
            self._wait()
        elif model == "drip":
            self._drip()
        elif model in ("malformed", "odd", "huge", "packed", "redirect", "cut"):
            self._spoil(model)
        else:
            self._send(200, json.dumps(_completion(model, messages)).encode())

    def _credential(self) -> str | None:
        names = ("Authorization", "X-Api-Key", "X-Goog-Api-Key")
        return next((self.headers[name] for name in names if name in self.headers), None)

    def _speak_otherwise(self, asked: Body) -> None:
        """The same for the APIs of Anthropic and Google, as far as their first words go."""
        model = asked.get("model") or self.path.rpartition("/")[2].partition(":")[0]
        if model.startswith("fail-"):
            self._refuse(int(model.rpartition("-")[2]))
        elif self.path == "/v1/v1/messages":
            usage = {"input_tokens": 11, "output_tokens": 7}
            words = [{"type": "text", "text": f"Echo: {asked['messages'][-1]['content'][-1]['text']}"}]
            self._send(200, json.dumps({
                "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": words,
                "stop_reason": "end_turn", "stop_sequence": None, "usage": usage,
            }).encode())  # fmt: skip
        elif self.path == f"/v1/v1beta/models/{model}:generateContent":
            content = {"role": "model", "parts": [{"text": f"Echo: {asked['contents'][-1]['parts'][-1]['text']}"}]}
            self._send(200, json.dumps({
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "modelVersion": model,
                "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
            }).encode())  # fmt: skip
        else:
            self._refuse(404)

    def _refuse(self, status: int) -> None:
        error = {"error": {"message": "secret detail of the provider", "type": "test", "code": None}}
        self._send(status, json.dumps(error).encode(), {"Retry-After": "7"} if status == 429 else {})

    def _spoil(self, model: str) -> None:
        match model:
            case "malformed":
                self._send(200, b'{"id": "x", "choices": [{')
            case "odd":
                self._send(200, b'["not", "a", "completion"]')
            case "huge":
                self._send(200, json.dumps(_said("x" * (9 * 1024 * 1024))).encode())
            case "packed":
                self._send(200, gzip.compress(json.dumps(_said("x")).encode()), {"Content-Encoding": "gzip"})
            case "redirect":
                self._send(307, b"", {"Location": f"{self.server.base_url}/elsewhere"})
            case "cut":
                self._send(200, b'{"id": "x"', {"Content-Length": "5000"})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _wait(self) -> None:
        while not self.server.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable and self.connection.recv(1, socket.MSG_PEEK) == b"":
                self.server.abandoned.set()
                return

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        while not self.server.stopping.wait(0.05):
            self.wfile.write(b" ")
            self.wfile.flush()


def _completion(model: str, messages: list[Body]) -> Body:
    results = [message["content"] for message in messages if message["role"] == "tool"]
    berlin, tokyo = {"timezone": "Europe/Berlin"}, {"timezone": "Asia/Tokyo"}
    if model == "loop":
        return _called(("current_time", berlin), number=len(results))
    if not results and model in ("clock", "two-clocks", "unknown-tool"):
        calls: dict[str, tuple[tuple[str, Body], ...]] = {
            "clock": (("current_time", berlin),),
            "two-clocks": (("current_time", berlin), ("current_time", tokyo)),
            "unknown-tool": (("open_the_door", {"code": 1}),),
        }
        return _called(*calls[model])
    if results and not model.startswith("echo"):
        return _said(" and ".join(results))
    return _said(f"Echo: {messages[-1]['content']}")


def _said(text: str) -> Body:
    return _answer({"role": "assistant", "content": text}, "stop")


def _called(*calls: tuple[str, Body], number: int = 0) -> Body:
    written = [
        {
            "id": f"call_{number + index}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for index, (name, arguments) in enumerate(calls, start=1)
    ]
    return _answer({"role": "assistant", "content": None, "tool_calls": written}, "tool_calls")


def _answer(message: Body, reason: str) -> Body:
    return {
        "id": "resp_1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "scripted-1",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
