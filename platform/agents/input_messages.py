"""What callers send as messages, in any of the accepted forms, read into turns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from django.utils import timezone
from rest_framework.exceptions import ValidationError

from conversations.actions import Turn
from conversations.format2 import Part, content_of, is_storable, text_of, text_part

ROLES = ("user", "assistant", "system")

# Parts that messages of this server carry besides text; the model does not get the last two again.
KEPT_PARTS = frozenset({"tool-invocation", "step-start", "reasoning"})

KNOWN_KEYS = frozenset(
    {"id", "role", "content", "parts", "type", "createdAt", "threadId", "resourceId", "metadata", "name"}
)


def read_messages(sent: Any) -> list[Turn]:
    """Turns out of a string, a message, or an array of both."""
    items = sent if isinstance(sent, list) else [sent]
    if not items:
        raise ValidationError("must hold at least one message", code="empty")
    turns: list[Turn] = []
    faults: dict[int, Any] = {}
    for index, item in enumerate(items):
        try:
            turns.append(_turn(item))
        except ValidationError as fault:
            faults[index] = fault.detail
    if faults:
        raise ValidationError(detail=cast(Any, faults) if isinstance(sent, list) else faults[0])
    return turns


def read_text(sent: Any) -> str:
    """Instructions out of a string, a message, or an array of both, one paragraph each."""
    items = sent if isinstance(sent, list) else [sent]
    return "\n\n".join(text_of(_turn(item).content) for item in items)


def _turn(item: Any) -> Turn:
    if isinstance(item, str):
        return Turn("user", content_of([text_part(_clean(item), timezone.now())]))
    if not isinstance(item, Mapping):
        raise ValidationError("must be a string or a message with role and content")
    if unknown := sorted(set(item) - KNOWN_KEYS):
        raise ValidationError({name: [f"unknown key; known keys: {', '.join(sorted(KNOWN_KEYS))}"] for name in unknown})
    role = item.get("role")
    if role not in ROLES:
        raise ValidationError({"role": [f"must be one of {', '.join(ROLES)}"]})
    parts = list(_parts(item))
    if not parts:
        raise ValidationError({"content": ["must not be empty"]})
    return Turn(role, content_of(parts))


def _parts(item: Mapping[str, Any]) -> Iterator[Part]:
    name = "content" if item.get("content") is not None else "parts"
    written = item.get(name)
    if isinstance(written, Mapping):  # as this server stores it
        name, written = "content.parts", written.get("parts")
    if isinstance(written, str):
        yield text_part(_clean(written), timezone.now())
        return
    if not isinstance(written, Sequence):
        raise ValidationError({name: ["must be a string or an array of parts"]})
    for index, part in enumerate(written):
        yield _part(part, f"{name}.{index}")


def _part(part: Any, path: str) -> Part:
    if isinstance(part, str):
        return text_part(_clean(part), timezone.now())
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return text_part(_clean(part["text"]), timezone.now())
    if kind == "tool-invocation" and not _is_invocation(part.get("toolInvocation")):
        raise ValidationError({path: ["must hold toolInvocation with state, toolCallId, toolName and args"]})
    if kind in KEPT_PARTS:
        return cast(Part, clean_json(dict(part)))
    raise ValidationError({path: [f"parts of type {str(kind)[:40]!r} are not supported; send text"]})


def _is_invocation(call: Any) -> bool:
    return (
        isinstance(call, Mapping)
        and all(isinstance(call.get(name), str) and call[name] for name in ("state", "toolCallId", "toolName"))
        and isinstance(call.get("args"), Mapping)
        and (call["state"] != "result" or "result" in call)
    )


def _clean(text: str) -> str:
    """The text as it came; refused when it could not be kept so."""
    if not is_storable(text):
        raise ValidationError("must not contain U+0000 or half of a surrogate pair")
    return text


def clean_json(value: Any) -> Any:
    """The value, with every text in it checked the same way."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, Mapping):
        return {_clean(str(name)): clean_json(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [clean_json(inner) for inner in value]
    return value
