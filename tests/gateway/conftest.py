"""The door of this test session: the real application behind uvicorn on a loopback port."""

import threading
from collections.abc import Iterator

import pytest
import uvicorn

from agents.actions import create_agent
from agents.models import Agent
from config.asgi import application
from gateway.door import endpoint
from tests.cast import Cast
from tests.gateway.clients import Door


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: object = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]
        self.listening.set()

    async def shutdown(self, sockets: object = None) -> None:
        await super().shutdown(sockets)  # type: ignore[arg-type]
        await _let_go()


async def _let_go() -> None:
    """Close what the endpoint keeps open as long as its process lives; the loop ends before that here."""
    for keeper in (endpoint.legacy.sessions, endpoint.legacy.relay):
        if keeper._client is not None:
            await keeper._client.aclose()
            keeper._client = None


_open: list[Door] = []  # the endpoint belongs to one event loop, so modules that import the fixture share the server


@pytest.fixture(scope="session")
def door(real_database: None) -> Iterator[Door]:
    """The MCP address of the running server."""
    if _open:
        yield _open[0]
        return
    server = _Server(uvicorn.Config(application, host="127.0.0.1", port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, name="door")
    thread.start()
    assert server.listening.wait(30)
    _open.append(Door(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"))
    yield _open[0]
    _open.clear()
    server.should_exit = True
    thread.join(30)


@pytest.fixture
def helper(cast: Cast) -> Agent:
    """A public agent of the whole tenant that answers offline."""
    return create_agent(
        cast.ana.principal,
        slug="helper",
        name="Helper",
        description="Helps with invoices.",
        instructions="You help with invoices. Invoices are paid within 14 days.",
    )


@pytest.fixture
def ben_key(cast: Cast) -> str:
    """A member's key; made here, because asynchronous tests may not query."""
    return cast.ben.key


def make_agents(cast: Cast, count: int) -> list[Agent]:
    """So many public agents, `agent-001` and on."""
    return [
        create_agent(cast.ana.principal, slug=f"agent-{number:03d}", name=f"Agent {number}", description="Helps.")
        for number in range(1, count + 1)
    ]
