"""A page of the public web, read without ever reaching an address inside the house."""

import base64
import http.client
import socket
import ssl
from contextlib import closing
from typing import Annotated
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from ground.errors import InvalidInput, Issue, PlatformError, Unprocessable, UpstreamFailed
from toolbox.declaring import tool
from toolbox.shipped.public_addresses import checked_address

SECONDS = 10.0
MOST_REDIRECTS = 3
MOST_BYTES, SOME_BYTES = 700_000, 200_000  # as base64 the most still fits into a result
REDIRECTS = frozenset({301, 302, 303, 307, 308})
TEXTUAL = ("json", "xml", "javascript", "x-www-form-urlencoded", "yaml", "csv")


class Page(BaseModel):
    """What to fetch."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    url: Annotated[str, Field(min_length=1, max_length=2000, description="An http or https address.")]
    max_bytes: Annotated[
        int, Field(ge=1, le=MOST_BYTES, description="How much of the body to return at most, in bytes.")
    ] = SOME_BYTES


class Fetched(BaseModel):
    """What came back."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    url: str = Field(description="The address after redirects.")
    status: int = Field(description="The HTTP status.")
    content_type: str = Field(description="The Content-Type header.")
    text: str | None = Field(description="The body, when it is text.")
    base64: str | None = Field(description="The body in base64, when it is not text.")
    truncated: bool = Field(description="Whether the body is longer than what is returned.")


@tool(
    id="http_fetch",
    timeout=SECONDS,
    memory_mb=256,
    annotations={"title": "Fetch a page", "readOnlyHint": True, "openWorldHint": True},
)
def http_fetch(data: Page) -> Fetched:
    """Fetches a public http or https address with GET and returns status, content type and body; follows redirects."""
    url = data.url
    for _ in range(MOST_REDIRECTS + 1):
        parts = _parts(url)
        with closing(_connection(parts)) as connection:
            try:
                with _response(connection, parts) as response:
                    location = response.getheader("Location")
                    if response.status not in REDIRECTS or not location:
                        return _fetched(url, response, data.max_bytes)
            except (OSError, http.client.HTTPException, ValueError) as failure:
                raise _unreached(parts, failure) from None
        url = urljoin(url, location)
    raise UpstreamFailed(f"{data.url[:200]} redirects more than {MOST_REDIRECTS} times.")


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _invalid("is not an address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise _invalid("must be an http or https address, such as https://example.com/page")
    if parts.username or parts.password:
        raise _invalid("must not hold a user name or a password")
    return parts


def _invalid(message: str) -> PlatformError:
    return InvalidInput("Invalid input for the tool http_fetch", [Issue(field="data.url", message=message)])


def _connection(parts: SplitResult) -> http.client.HTTPConnection:
    """A connection to the checked address that asks for the host by its name."""
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = checked_address(host, port)
    if parts.scheme == "http":
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    else:
        connection = http.client.HTTPSConnection(host, port, timeout=SECONDS)
    try:
        stream = socket.create_connection((address, port), timeout=SECONDS)
    except OSError as failure:
        raise _unreached(parts, failure) from None
    connection.sock = stream
    if isinstance(connection, http.client.HTTPSConnection):
        try:
            connection.sock = ssl.create_default_context().wrap_socket(stream, server_hostname=host)
        except (OSError, ValueError) as failure:
            stream.close()
            raise _unreached(parts, failure) from None
    return connection


def _response(connection: http.client.HTTPConnection, parts: SplitResult) -> http.client.HTTPResponse:
    target = quote(parts.path or "/", safe="%/:=&~+!$,;'@()*")
    if parts.query:
        target += "?" + quote(parts.query, safe="%/:=&?~+!$,;'@()*[]")
    connection.request("GET", target, headers={"Accept-Encoding": "identity", "User-Agent": "atrium-http-fetch"})
    return connection.getresponse()


def _fetched(url: str, response: http.client.HTTPResponse, limit: int) -> Fetched:
    body = response.read(limit + 1)
    kept, kind = body[:limit], response.getheader("Content-Type") or ""
    text = _text(kept, kind, response.headers.get_content_charset() or "utf-8")
    return Fetched(
        url=url,
        status=response.status,
        content_type=kind,
        text=text,
        base64=base64.b64encode(kept).decode() if text is None else None,
        truncated=len(body) > limit,
    )


def _text(body: bytes, kind: str, charset: str) -> str | None:
    main = kind.partition(";")[0].strip().lower()
    if not main.startswith("text/") and not main.endswith(TEXTUAL):
        return None
    try:
        return body.decode(charset, errors="replace").replace("\x00", "\ufffd")
    except LookupError:  # a character set that nobody knows
        return None


def _unreached(parts: SplitResult, failure: Exception) -> PlatformError:
    host = parts.hostname or ""
    if isinstance(failure, ssl.SSLError):
        return UpstreamFailed(f"{host} has no certificate that can be trusted for this name.")
    if isinstance(failure, TimeoutError):
        return UpstreamFailed(f"{host} did not answer in time; try again, or fetch another address.")
    if isinstance(failure, http.client.InvalidURL):
        return Unprocessable(f"The address on {host} holds characters that no address may hold.")
    return UpstreamFailed(f"{host} could not be reached, or its answer could not be read; check the address.")
