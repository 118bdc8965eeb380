"""Content that the conformance suite asks for, word for word."""

import base64
import struct
import zlib
from typing import Any


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _pixel() -> str:
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    image = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    return base64.b64encode(image + _chunk(b"IEND", b"")).decode()


def _silence() -> str:
    samples = b"\x00\x00" * 8
    head = (
        b"RIFF"
        + struct.pack("<I", 36 + len(samples))
        + b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    )
    return base64.b64encode(head + b"data" + struct.pack("<I", len(samples)) + samples).decode()


PNG, WAV = _pixel(), _silence()
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}


def text(said: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": said}


def resource(uri: str, said: str, kind: str = "text/plain") -> dict[str, Any]:
    """An embedded resource."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


RESOURCES = [
    {"uri": "test://static-text", "name": "Static text", "mimeType": "text/plain"},
    {"uri": "test://static-binary", "name": "Static binary", "mimeType": "image/png"},
    {"uri": "test://watched-resource", "name": "Watched resource", "mimeType": "text/plain"},
]
TEMPLATES = [{"uriTemplate": "test://template/{id}/data", "name": "Template", "mimeType": "application/json"}]


def contents(uri: str) -> list[dict[str, Any]] | None:
    """What stands at an address; None where nothing does."""
    if uri == "test://static-text":
        return [{"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."}]
    if uri == "test://static-binary":
        return [{"uri": uri, "mimeType": "image/png", "blob": PNG}]
    if uri == "test://watched-resource":
        return [{"uri": uri, "mimeType": "text/plain", "text": "Watched."}]
    if uri.startswith("test://template/") and uri.endswith("/data"):
        number = uri.removeprefix("test://template/").removesuffix("/data")
        said = f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'
        return [{"uri": uri, "mimeType": "application/json", "text": said}]
    return None


def _argument(name: str) -> dict[str, Any]:
    return {"name": name, "description": f"The {name}", "required": True}


PROMPTS = [
    {"name": "test_simple_prompt", "description": "A prompt without arguments"},
    {
        "name": "test_prompt_with_arguments",
        "description": "A prompt with two arguments",
        "arguments": [_argument("arg1"), _argument("arg2")],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "A prompt with a resource",
        "arguments": [_argument("resourceUri")],
    },
    {"name": "test_prompt_with_image", "description": "A prompt with an image"},
    {"name": "test_input_required_result_prompt", "description": "A prompt that asks for context first"},
]


def _said(content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": content}


def messages(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The messages of a prompt; None for an unknown one."""
    if name == "test_simple_prompt":
        return [_said(text("This is a simple prompt for testing."))]
    if name == "test_prompt_with_arguments":
        return [_said(text(f"Prompt with arguments: arg1='{arguments['arg1']}', arg2='{arguments['arg2']}'"))]
    if name == "test_prompt_with_embedded_resource":
        embedded = resource(arguments["resourceUri"], "Embedded resource content for testing.")
        return [_said(embedded), _said(text("Please process the embedded resource above."))]
    if name == "test_prompt_with_image":
        return [_said(IMAGE), _said(text("Please analyze the image above."))]
    return None
