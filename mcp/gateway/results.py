"""Replies out: a text block of compact JSON, the same bytes as structured content, and no more than a client reads."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.conf import settings

from gateway.offers import Arguments, Listing, Offer
from ground.errors import Forbidden, InvalidInput, PlatformError, UpstreamFailed

_JSON = orjson.OPT_NON_STR_KEYS
ROOM = 400  # characters kept free for what is said about a cut


def of_reply(offer: Offer, arguments: Arguments, body: Any) -> bytes:
    """The result of a successful call, as JSON."""
    value = offer.shape(body, arguments) if offer.shape is not None else body
    if offer.text is not None and not _is_preview(value):
        return of_value(offer, value, offer.text(value))
    return of_value(offer, value)


def of_value(listing: Listing, value: Any, text: str | None = None) -> bytes:
    """The result with this value; `text` is the text block where it is not the value's JSON."""
    if isinstance(value, str):
        text, structured = value, None
    else:
        payload = _fitted(value)
        structured = payload if listing.output_schema is not None else None
        if text is None:
            shown = orjson.dumps(payload.decode())
            return _result(shown, structured)
    return _result(orjson.dumps(_cut_text(text, settings.LIMIT_RESULT_CHARACTERS)), structured)


def of_error(error: PlatformError) -> bytes:
    """The result of a call that failed in a way that the caller can act on."""
    said: dict[str, Any] = {"error": sentence(error)}
    if isinstance(error, UpstreamFailed) and error.trace_id:
        said["traceId"] = error.trace_id
    return b'{"content":[{"type":"text","text":' + orjson.dumps(orjson.dumps(said).decode()) + b'}],"isError":true}'


def sentence(error: PlatformError) -> str:
    """One sentence: what is wrong, with every issue named."""
    if isinstance(error, InvalidInput):
        return error.said()
    if isinstance(error, Forbidden):
        return f"{error.sentence}." if not error.sentence.endswith(".") else error.sentence
    return error.sentence


def _result(text: bytes, structured: bytes | None) -> bytes:
    block = b'{"content":[{"type":"text","text":' + text + b"}]"
    if structured is not None:
        block += b',"structuredContent":' + structured
    return block + b',"isError":false}'


def _is_preview(value: Any) -> bool:
    return isinstance(value, Mapping) and ("dryRun" in value or "confirmRequired" in value)


def _fitted(value: Any) -> bytes:
    limit = settings.LIMIT_RESULT_CHARACTERS
    payload = orjson.dumps(value, option=_JSON)
    if len(payload) <= limit or len(payload.decode()) <= limit:
        return payload
    return orjson.dumps(cut(value, limit), option=_JSON)


def cut(value: Any, limit: int) -> Any:
    """The value with at most `limit` characters of JSON: lists end at an item, texts end early, and it says so."""
    if isinstance(value, list):
        value = {"items": value}
    if not isinstance(value, dict):
        return value
    shorter = _shorter(value, limit - ROOM)
    lists = [name for name, inner in shorter.items() if isinstance(inner, list) and len(inner) < len(value[name])]
    if lists:
        _continue(shorter, lists[0], len(value[lists[0]]))
    return {**shorter, "truncated": True, "rest": _rest(shorter)}


def _shorter(value: dict[str, Any], share: int) -> dict[str, Any]:
    """The object with its largest parts shortened, each once; what still does not fit is left out from the end."""
    sizes = {name: _size(inner) for name, inner in value.items()}
    total, shorter = _size(value), dict(value)
    for name in sorted(sizes, key=lambda name: sizes[name], reverse=True):
        if total <= share:
            return shorter
        shorter[name] = _shortened(value[name], max(2, share - (total - sizes[name])))
        total += _size(shorter[name]) - sizes[name]
    while total > share and shorter:
        total -= _size(dict([shorter.popitem()])) - 1
    return shorter


def _shortened(value: Any, share: int) -> Any:
    if isinstance(value, list):
        kept, used = [], 2
        for item in value:
            used += _size(item) + 1
            if used > share:
                break
            kept.append(item)
        # Better a part of the first item than nothing of any.
        return kept or [_shortened(item, share - 2) for item in value[:1] if isinstance(item, dict | list | str)]
    if isinstance(value, str):
        return _cut_json_text(value, share)
    return _shorter(value, share) if isinstance(value, dict) else value


def _continue(reply: dict[str, Any], name: str, whole: int) -> None:
    """Make a cut page the page of a smaller size that it is; give other lists the offset of what follows."""
    kept, page, size = len(reply[name]), reply.get("page"), reply.get("perPage")
    if type(page) is int and type(size) is int and kept:
        start = page * size
        fit = next(width for width in range(kept, 0, -1) if start % width == 0)
        reply[name] = reply[name][:fit]
        reply |= {"page": start // fit, "perPage": fit, "hasMore": True}
    else:
        reply |= {"nextOffset": kept, "totalItems": whole}


def _rest(reply: Mapping[str, Any]) -> str:
    if reply.get("hasMore") and "perPage" in reply:
        return f"Cut to fit. Ask for page {reply['page'] + 1} with perPage {reply['perPage']} to go on."
    if "nextOffset" in reply:
        return (
            f"Cut after {reply['nextOffset']} of {reply['totalItems']} items. Send offset {reply['nextOffset']} where "
            "the tool takes one, else ask for less."
        )
    return "A long text was cut to fit. Ask for a part of it, or read it over HTTP, where nothing is cut."


def _size(value: Any) -> int:
    return len(orjson.dumps(value, option=_JSON).decode())


def _cut_json_text(text: str, share: int) -> str:
    """The longest beginning whose JSON fits."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(text[:middle]) <= share:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _cut_text(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - ROOM] + "\n\n[truncated: true. Ask for less, or read it over HTTP, where nothing is cut.]"
