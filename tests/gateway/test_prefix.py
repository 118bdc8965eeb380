"""Everything moves with API_PREFIX."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import legacy_headers, message, send
from tests.gateway.servers import atrium


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def elsewhere(request: pytest.FixtureRequest, real_database: None) -> Iterator[Door]:
    """A server whose API is below /v9."""
    with atrium(request.param, API_PREFIX="/v9") as door:
        yield door


def mcp(door: Door, key: str, method: str, params: Any = None, path: str = "/v9/mcp") -> Any:
    """The result of an older request."""
    answer = send(door, message(method, params), legacy_headers(key), path=path)
    assert answer.status == 200
    return answer.result


def get(door: Door, path: str, headers: dict[str, str] | None = None) -> httpx2.Response:
    """One plain request."""
    return httpx2.get(door.base + path, headers=headers, trust_env=False)


@pytest.mark.parametrize("path", ["/v9/mcp", "/v9/mcp/"])
def test_tools_are_listed_and_called(cast: Cast, elsewhere: Door, path: str) -> None:
    names = [tool["name"] for tool in mcp(elsewhere, cast.ben.key, "tools/list", path=path)["tools"]]
    called = mcp(elsewhere, cast.ben.key, "tools/call", {"name": "agent_list"}, path)

    assert names[0] == "whoami"
    assert called["structuredContent"] == {"agents": []}


def test_the_description_names_the_new_paths(elsewhere: Door) -> None:
    paths = get(elsewhere, "/v9/openapi.json").json()["paths"]

    assert "/v9/whoami" in paths
    assert {path.split("/")[1] for path in paths} == {"v9"}


def test_the_caller_is_told_over_http(cast: Cast, elsewhere: Door) -> None:
    assert get(elsewhere, "/v9/whoami", cast.ben.headers).json()["role"] == "member"


@pytest.mark.parametrize("path", ["/api/mcp", "/api/whoami", "/api/openapi.json"])
def test_nothing_is_left_at_the_old_place(cast: Cast, elsewhere: Door, path: str) -> None:
    assert get(elsewhere, path, cast.ben.headers).status_code == 404
