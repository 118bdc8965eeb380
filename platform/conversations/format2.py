"""Format 2 of messages: how text and tool calls are written into `content`, and how a kept message is shown."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import UUID

Content = dict[str, Any]
Part = dict[str, Any]


class Shown(Protocol):
    """What a message shows, kept or not."""

    @property
    def id(self) -> UUID: ...
    @property
    def role(self) -> str: ...
    @property
    def content(self) -> Content: ...
    @property
    def created_at(self) -> datetime: ...


def is_storable(text: str) -> bool:
    """Whether a database and a model can take the text: no U+0000, no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def iso(at: datetime) -> str:
    """ISO-8601 in UTC with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(at: datetime) -> int:
    """Epoch milliseconds, as parts carry them."""
    return int(at.timestamp() * 1000)


def text_part(text: str, at: datetime) -> Part:
    """A part that is text."""
    return {"type": "text", "text": text, "createdAt": milliseconds(at)}


def content_of(parts: Sequence[Part], metadata: Mapping[str, Any] | None = None) -> Content:
    """The content with these parts; `content` repeats the last text, `toolInvocations` the calls."""
    content: Content = {"format": 2, "parts": list(parts)}
    if texts := [part["text"] for part in parts if part["type"] == "text"]:
        content["content"] = texts[-1]
    if calls := [part["toolInvocation"] for part in parts if part["type"] == "tool-invocation"]:
        content["toolInvocations"] = calls
    if metadata:
        content["metadata"] = dict(metadata)
    return content


def text_of(content: Content) -> str:
    """The text of a message; `content.content` may be absent, so the parts decide."""
    return "\n".join(part["text"] for part in content.get("parts", ()) if part.get("type") == "text")


def shown(message: Shown, thread_id: str | None, resource_id: str | None) -> dict[str, Any]:
    """A message as callers read it; one that is not kept in a thread names none."""
    body: dict[str, Any] = {
        "id": str(message.id),
        "role": message.role,
        "type": "text",
        "createdAt": iso(message.created_at),
        "content": message.content,
    }
    return body if thread_id is None else {**body, "threadId": thread_id, "resourceId": resource_id}


def ui_message(body: Mapping[str, Any]) -> dict[str, Any]:
    """A shown message in the form of chat interfaces: every part is one thing to draw."""
    metadata = {name: body[name] for name in ("createdAt", "threadId", "resourceId") if name in body}
    return {
        "id": body["id"],
        "role": body["role"],
        "metadata": {**body["content"].get("metadata", {}), **metadata},
        "parts": list(_ui_parts(body["content"]["parts"])),
    }


def _ui_parts(parts: Iterable[Part]) -> Iterable[Part]:
    for part in parts:
        if part["type"] == "tool-invocation":
            call = part["toolInvocation"]
            drawn = {"type": f"tool-{call['toolName']}", "toolCallId": call["toolCallId"], "input": call["args"]}
            done = call["state"] == "result"
            yield {**drawn, "state": "output-available", "output": call["result"]} if done else {
                **drawn, "state": "input-available"
            }  # fmt: skip
        elif part["type"] == "text":
            yield {"type": "text", "text": part["text"]}
        else:
            yield part
