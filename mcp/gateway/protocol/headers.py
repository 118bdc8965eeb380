"""Request headers: read once, trimmed, and compared with the body that they repeat."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from gateway.protocol.envelope import Message
from gateway.protocol.errors import INVALID_REQUEST, ProtocolError, header_mismatch
from gateway.protocol.versions import NAMED, VERSION_KEY

# Those that must not come twice: two readers might take two different ones.
SINGLE = frozenset({"mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "authorization", "x-api-key"})


NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?")


class Headers(dict[str, str]):
    """Lower-case names; values without blanks around them, which some servers leave in. `repeated` came twice."""

    repeated: frozenset[str] = frozenset()


def read(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers of an ASGI scope."""
    found, repeated = Headers(), set()
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")
        if key in found:
            if key in SINGLE or key.startswith("mcp-param-"):
                repeated.add(key)
            text = f"{found[key]}, {text}"
        found[key] = text
    if repeated:
        found.repeated = frozenset(repeated)
    return found


def decoded(value: str) -> str | None:
    """A header value with its `=?base64?…?=` wrapper undone; None when the wrapper holds nothing sensible."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def accepts(headers: Headers) -> bool:
    """Whether the client reads both JSON and event streams."""
    accept = headers.get("accept")
    if accept is None:
        return True
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    if "*/*" in kinds:
        return True
    return not kinds.isdisjoint({"application/json", "application/*"}) and not kinds.isdisjoint(
        {"text/event-stream", "text/*"}
    )


def is_json(headers: Headers) -> bool:
    """Whether the body is declared as JSON."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def check_mirrors(headers: Headers, message: Message, parameters: Mapping[str, Any] | None) -> None:
    """Raise a header mismatch unless version, method, name and parameter headers say what the body says.

    `parameters`: header name in lower case → the value in the arguments, for a tool whose schema asks for such headers.
    """
    if headers.repeated:
        raise header_mismatch(f"The header {min(headers.repeated)} came twice")
    _equal(headers, "mcp-protocol-version", message.meta.get(VERSION_KEY))
    _equal(headers, "mcp-method", message.method)
    if (name := NAMED.get(message.method or "")) and message.id is not None:
        _equal(headers, "mcp-name", message.params.get(name))
    for header, value in (parameters or {}).items():
        _parameter(headers, header, value)


def _equal(headers: Headers, header: str, wanted: Any) -> None:
    shown = headers.get(header)
    if shown is None:
        raise header_mismatch(f"The header {header} is missing")
    # Only names may be wrapped; the others are plain by definition.
    if (decoded(shown) if header == "mcp-name" else shown) != wanted:
        raise header_mismatch(f"The header {header} differs from the body")


def _parameter(headers: Headers, header: str, value: Any) -> None:
    shown = headers.get(header)
    if (shown is None) != (value is None):
        raise header_mismatch(f"The header {header} must be there exactly when its argument is")
    if shown is None:
        return
    text = decoded(shown)
    if isinstance(value, bool):
        same = text == ("true" if value else "false")
    elif isinstance(value, int):
        same = _number(text) == value
    else:
        same = text == value
    if not same:
        raise header_mismatch(f"The header {header} differs from the argument")


def _number(text: str | None) -> Decimal | None:
    """Exact also beyond 2**53, where a float would not tell neighbours apart."""
    return Decimal(text) if text is not None and NUMBER.fullmatch(text) else None


def not_acceptable() -> ProtocolError:
    """The client must be able to read both kinds of answer."""
    return ProtocolError(INVALID_REQUEST, "Accept must list application/json and text/event-stream", status=406)


def unsupported_media() -> ProtocolError:
    """Only JSON is read."""
    return ProtocolError(INVALID_REQUEST, "Content-Type must be application/json", status=415)
