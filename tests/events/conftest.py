"""The server processes of these tests."""

from collections.abc import Iterator

import pytest

from tests.cast import Cast, make_cast
from tests.gateway.clients import Door
from tests.gateway.servers import atrium


@pytest.fixture
def cast() -> Cast:
    """The people, whose keys are issued before an event loop runs."""
    made = make_cast()
    for person in (made.ana, made.ben, made.bea, made.zoe):
        assert person.key
    return made


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def door(request: pytest.FixtureRequest) -> Iterator[Door]:
    """Atrium, served in both ways."""
    with atrium(request.param) as served:
        yield served


@pytest.fixture(scope="module")
def uvicorn() -> Iterator[Door]:
    """Atrium, served by uvicorn, for what does not depend on the server."""
    with atrium("uvicorn") as served:
        yield served
