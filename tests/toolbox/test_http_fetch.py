"""Fetching: only public addresses, whatever the address looks like and wherever it redirects."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import ClassVar

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from ground.errors import InvalidInput, PlatformError, Unprocessable, UpstreamFailed
from tests.cast import Cast
from tests.toolbox.conftest import Use
from toolbox.shipped.http_fetch import Fetched, Page, http_fetch
from toolbox.shipped.public_addresses import check_networks, is_allowed


class _Pages(BaseHTTPRequestHandler):
    """Answers by path."""

    hosts: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.hosts.append(self.headers["Host"])
        path, _, rest = self.path.partition("?")
        if path == "/to":
            self.send_response(302)
            self.send_header("Location", rest)
            self.end_headers()
            return
        kind, body = {
            "/text": ("text/plain; charset=iso-8859-1", "Grüße".encode("latin-1")),
            "/json": ("application/json", b'{"a": 1}'),
            "/picture": ("image/png", b"\x89PNG\x00"),
            "/long": ("text/plain", b"x" * 900_000),
            "/missing": ("text/html", b"Nothing here"),
        }.get(path, ("text/plain", path.encode()))
        self.send_response(404 if path == "/missing" else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def pages() -> Iterator[str]:
    """The address of a server on the loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    _Pages.hosts.clear()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def loopback_allowed(settings: Settings) -> None:
    """The loopback counts as public."""
    settings.FETCH_NETWORKS = ["127.0.0.0/8"]


def fetch(url: str, **wishes: int) -> Fetched:
    return http_fetch(Page.model_validate({"url": url, **wishes}))


def refusal(url: str) -> PlatformError:
    with pytest.raises(PlatformError) as refused:
        fetch(url)
    return refused.value


@pytest.mark.usefixtures("loopback_allowed")
def test_a_text_is_decoded(pages: str) -> None:
    assert fetch(f"{pages}/text").model_dump(by_alias=True) == {
        "url": f"{pages}/text",
        "status": 200,
        "contentType": "text/plain; charset=iso-8859-1",
        "text": "Grüße",
        "base64": None,
        "truncated": False,
    }


@pytest.mark.usefixtures("loopback_allowed")
def test_other_bodies_are_base64(pages: str) -> None:
    fetched = fetch(f"{pages}/picture")

    assert (fetched.text, fetched.base64) == (None, "iVBORwA=")


@pytest.mark.usefixtures("loopback_allowed")
def test_a_status_is_an_answer(pages: str) -> None:
    fetched = fetch(f"{pages}/missing")

    assert (fetched.status, fetched.text) == (404, "Nothing here")


@pytest.mark.usefixtures("loopback_allowed")
def test_a_long_body_is_cut_and_says_so(pages: str) -> None:
    fetched = fetch(f"{pages}/long")
    longer = fetch(f"{pages}/long", maxBytes=700_000)

    assert (len(fetched.text or ""), fetched.truncated) == (200_000, True)
    assert (len(longer.text or ""), longer.truncated) == (700_000, True)


@pytest.mark.usefixtures("loopback_allowed")
def test_redirects_are_followed_three_times(pages: str) -> None:
    three = f"{pages}/to?/to?/to?/end"

    assert fetch(three).url == f"{pages}/end"
    assert refusal(f"{pages}/to?{three}").sentence.endswith("redirects more than 3 times.")


@pytest.mark.usefixtures("loopback_allowed")
def test_a_name_is_resolved_once_and_asked_for_by_its_name(pages: str) -> None:
    port = pages.rpartition(":")[2]

    assert fetch(f"http://localhost:{port}/json").text == '{"a": 1}'
    assert _Pages.hosts == [f"localhost:{port}"]


def test_the_loopback_is_not_public(pages: str) -> None:
    refused = refusal(f"{pages}/text")

    assert isinstance(refused, Unprocessable)
    assert refused.sentence == "127.0.0.1 is not a public address; only public addresses can be fetched."
    assert _Pages.hosts == []


def test_a_redirect_to_a_private_address_is_refused(pages: str, settings: Settings) -> None:
    settings.FETCH_NETWORKS = ["127.0.0.1/32"]

    for target in ("http://127.0.0.2/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "//10.0.0.1/x"):
        assert "is not a public address" in refusal(f"{pages}/to?{target}").sentence
    assert isinstance(refusal(f"{pages}/to?file:///etc/passwd"), InvalidInput)


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.1", "2130706433", "0x7f000001", "0", "0.0.0.0", "10.1.2.3", "192.168.0.1", "172.16.0.1",
     "100.64.0.1", "169.254.169.254", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[fe80::1]", "[fd00::1]",
     "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "224.0.0.1", "255.255.255.255", "[ff02::1]"],
)  # fmt: skip
def test_no_spelling_of_an_inner_address_is_fetched(host: str) -> None:
    refused = refusal(f"http://{host}/")

    assert isinstance(refused, Unprocessable), refused.sentence
    assert refused.sentence.endswith("is not a public address; only public addresses can be fetched.")


@pytest.mark.parametrize(
    "address",
    ["192.88.99.1", "192.88.99.255", "192.0.0.8", "192.0.0.9", "192.0.0.10", "192.0.0.170", "3fff::1", "3fff:fff::1",
     "::ffff:192.88.99.1", "64:ff9b::c000:9", "2002:c058:6301::"],
)  # fmt: skip
def test_addresses_for_relays_and_examples_are_not_public(address: str) -> None:
    assert not is_allowed(ip_address(address))


@pytest.mark.parametrize("address", ["192.88.98.255", "192.88.100.0", "192.0.1.1", "3ffe:ffff::1", "2600::1"])
def test_their_neighbours_are_judged_by_themselves(address: str) -> None:
    assert is_allowed(ip_address(address)) is ip_address(address).is_global


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(ip_address(address))


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "file:///etc/passwd", "gopher://example.com", "example.com", "http://", "http://a:b@c.de/",
     "http://example.com:99999/", "http://[::1", "javascript:alert(1)", "http://example.com:0/"],
)  # fmt: skip
def test_only_addresses_of_the_web_are_taken(url: str) -> None:
    refused = refusal(url)

    assert isinstance(refused, InvalidInput)
    assert [issue["field"] for issue in refused.issues] == ["data.url"]


@pytest.mark.usefixtures("loopback_allowed")
def test_who_does_not_answer_is_named() -> None:
    refused = refusal("http://127.0.0.1:9/")

    assert isinstance(refused, UpstreamFailed)
    assert refused.sentence.startswith("127.0.0.1 could not be reached")


def test_what_is_no_network_stops_the_start(settings: Settings) -> None:
    settings.FETCH_NETWORKS = ["10.0.0.0/8", "the office"]

    with pytest.raises(ImproperlyConfigured, match=r"^FETCH_NETWORKS must hold networks such as .*, not 'the office'"):
        check_networks()


def test_it_is_a_tool_that_refuses_in_its_process(cast: Cast, use: Use, pages: str) -> None:
    with pytest.raises(Unprocessable, match="is not a public address"):
        use(cast.ben, "http_fetch", {"url": pages})
