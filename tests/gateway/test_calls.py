"""Calls inside the process: what runs, what waits, what is stopped, and what each failure becomes."""

import asyncio
import json
from concurrent.futures import Future
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from agents.models import Agent
from api.calls import Circumstances
from api.replies import Pending, Reply
from gateway import calls
from gateway import surface as surfaces
from gateway.calls import Context, InsufficientScope, Mistake, UnknownTool
from gateway.offers import Arguments, Offer, compiled
from gateway.surface import Options
from ground.bridge import in_django
from ground.errors import Conflict, RateLimited, Unavailable
from identity.principal import OAUTH, Principal
from receipts.models import AuditEntry
from tests.cast import Cast
from tests.queries import counted_queries

CONTEXT = Context(request_id="r1")


@pytest.fixture
def ben(cast: Cast) -> Principal:
    return cast.ben.by_key()


@pytest.fixture
def ana(cast: Cast) -> Principal:
    return cast.ana.by_key()


def offer_that(run: Any) -> Offer:
    schema: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    return Offer(
        name="probe", toolset="agents", title="Probe", description="Probes.", input_schema=schema,
        validator=compiled(schema), writes=False, annotations={}, run=run,
    )  # fmt: skip


async def offered(principal: Principal, run: Any) -> Context:
    """A context of its own whose surface also has `probe`."""
    options = Options(toolsets=frozenset({uuid4().hex}))
    seen = await in_django(surfaces.surface, principal, options)
    seen.offers["probe"] = offer_that(run)
    return replace(CONTEXT, options=options)


def value(result: bytes) -> Any:
    return json.loads(json.loads(result)["content"][0]["text"])


async def test_a_warm_call_with_one_read_costs_two_queries_at_most(ben: Principal) -> None:
    await calls.call(ben, "agent_list", {}, CONTEXT)

    with counted_queries() as queries:
        await calls.call(ben, "agent_list", {}, CONTEXT)

    assert len(queries) <= 2, queries


async def test_pending_answers_hold_no_threads(ben: Principal) -> None:
    patient = replace(ben, credential=replace(ben.credential, id=uuid4().hex, burst=100, concurrent_calls=100))
    waiting: Future[Reply] = Future()
    begun, loop = asyncio.Semaphore(0), asyncio.get_running_loop()

    def run(*_: Any) -> Pending:
        loop.call_soon_threadsafe(begun.release)
        return Pending(waiting)

    context = await offered(patient, run)
    running = [asyncio.create_task(calls.call(patient, "probe", {}, context)) for _ in range(50)]
    for _ in running:
        await begun.acquire()
    meanwhile = await calls.call(patient, "whoami", {}, CONTEXT)
    waiting.set_result(Reply({"done": True}))

    assert value(meanwhile)["role"] == "member"
    assert [value(result) for result in await asyncio.gather(*running)] == [{"done": True}] * 50


async def test_a_cancelled_call_stops_the_work_and_gives_its_slot_back(ben: Principal) -> None:
    begun, waiting = asyncio.Event(), Future[Reply]()
    loop = asyncio.get_running_loop()

    def run(*_: Any) -> Pending:
        loop.call_soon_threadsafe(begun.set)
        return Pending(waiting)

    context = await offered(ben, run)
    for _ in range(10):  # more than the slots of one credential
        begun.clear()
        waiting = Future()
        task = asyncio.create_task(calls.call(ben, "probe", {}, context))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await _cancelled(waiting)


async def _cancelled(future: "Future[Reply]") -> None:
    cancelled = asyncio.wrap_future(future)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(cancelled, 5)


async def test_a_call_that_takes_too_long_ends_with_a_sentence(ben: Principal, settings: Any) -> None:
    settings.LIMIT_CALL_SECONDS = -calls.GRACE + 0.2
    context = await offered(ben, lambda *_: Pending(Future()))

    result = await calls.call(ben, "probe", {}, context)

    assert json.loads(result)["isError"] is True
    assert "was stopped; ask for less." in value(result)["error"]


async def test_progress_is_told_after_a_second(ben: Principal) -> None:
    waiting: Future[Reply] = Future()
    told: list[float] = []

    async def progress(seconds: float) -> None:
        told.append(seconds)
        waiting.set_result(Reply({"done": True}))

    context = replace(await offered(ben, lambda *_: Pending(waiting)), progress=progress)

    assert value(await calls.call(ben, "probe", {}, context)) == {"done": True}
    assert told == [1.0]


async def test_a_quick_call_tells_no_progress(ben: Principal) -> None:
    async def progress(seconds: float) -> None:
        raise AssertionError("too early")

    await calls.call(ben, "whoami", {}, replace(CONTEXT, progress=progress))


@pytest.mark.parametrize("is_pending", [True, False])
async def test_an_error_of_the_route_is_a_result(ben: Principal, is_pending: bool) -> None:
    def run(*_: Any) -> Pending:
        if not is_pending:
            raise Conflict("The agent is disabled.")
        failed: Future[Reply] = Future()
        failed.set_exception(Conflict("The agent is disabled."))
        return Pending(failed)

    result = await calls.call(ben, "probe", {}, await offered(ben, run))

    assert json.loads(result)["isError"] is True
    assert value(result) == {"error": "The agent is disabled."}


async def test_a_mistake_of_ours_shows_the_request_id_and_nothing_else(
    ben: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    def run(*_: Any) -> Reply:
        raise ZeroDivisionError("secret")

    with pytest.raises(Mistake) as raised:
        await calls.call(ben, "probe", {}, await offered(ben, run))

    assert raised.value.request_id == "r1"
    assert "secret" not in str(raised.value)
    assert "Call r1 failed" in caplog.text


async def test_what_came_with_the_call_reaches_the_route(ben: Principal) -> None:
    seen: list[Circumstances] = []

    def run(principal: Principal, arguments: Arguments, circumstances: Circumstances) -> Reply:
        seen.append(circumstances)
        return Reply({})

    await calls.call(ben, "probe", {}, replace(await offered(ben, run), idempotency_key="k1"))

    assert seen == [Circumstances("mcp", "probe", "r1", "k1", False, wait_seconds=45)]


async def test_a_call_with_an_idempotency_key_happens_once(cast: Cast, ana: Principal, helper: Agent) -> None:
    context = replace(CONTEXT, idempotency_key=uuid4().hex)
    first = await calls.call(ana, "agent_update", {"agentId": "helper", "name": "Once"}, context)
    await calls.call(ana, "agent_update", {"agentId": "helper", "name": "Twice"}, CONTEXT)

    again = await calls.call(ana, "agent_update", {"agentId": "helper", "name": "Once"}, context)
    other = await calls.call(ana, "agent_update", {"agentId": "helper", "name": "Other"}, context)

    assert value(again) == value(first)
    assert "another" in value(other)["error"] or "other arguments" in value(other)["error"]
    assert await _name(helper) == "Twice"


async def _name(agent: Agent) -> str:
    await in_django(agent.refresh_from_db)
    return agent.name


async def test_a_refused_call_is_written_down(ben: Principal) -> None:
    with pytest.raises(UnknownTool):
        await calls.call(ben, "agent_update", {}, CONTEXT)

    entries = await in_django(list, AuditEntry.objects.filter(credential_id=ben.credential.id))
    assert [(entry.tool, entry.outcome, entry.status, entry.door) for entry in entries] == [
        ("agent_update", "refused", 404, "mcp")
    ]


async def test_arguments_that_are_refused_are_written_down(ben: Principal) -> None:
    await calls.call(ben, "get_context", {"maxTokens": "many"}, CONTEXT)

    entries = await in_django(list, AuditEntry.objects.filter(credential_id=ben.credential.id))
    assert [(entry.tool, entry.outcome, entry.status) for entry in entries] == [("get_context", "refused", 400)]


async def test_work_that_somebody_else_stopped_may_be_tried_again(ben: Principal) -> None:
    stopped: Future[Reply] = Future()
    stopped.cancel()

    with pytest.raises(Unavailable):
        await calls.call(ben, "probe", {}, await offered(ben, lambda *_: Pending(stopped)))


async def test_more_calls_than_allowed_are_refused(cast: Cast, ben: Principal) -> None:
    slow = replace(ben, credential=replace(ben.credential, id=uuid4().hex, calls_per_minute=1, burst=2))
    for _ in range(2):
        await calls.call(slow, "whoami", {}, CONTEXT)

    with pytest.raises(RateLimited) as raised:
        await calls.call(slow, "whoami", {}, CONTEXT)

    assert raised.value.retry_after > 0


async def test_more_calls_at_once_than_allowed_are_refused(ben: Principal) -> None:
    narrow = replace(ben, credential=replace(ben.credential, id=uuid4().hex, concurrent_calls=1))
    waiting: Future[Reply] = Future()
    begun, loop = asyncio.Event(), asyncio.get_running_loop()

    def run(*_: Any) -> Pending:
        loop.call_soon_threadsafe(begun.set)
        return Pending(waiting)

    context = await offered(narrow, run)
    first = asyncio.create_task(calls.call(narrow, "probe", {}, context))
    await begun.wait()

    with pytest.raises(RateLimited):
        await calls.call(narrow, "whoami", {}, CONTEXT)

    waiting.set_result(Reply({}))
    await first
    await calls.call(narrow, "whoami", {}, CONTEXT)


def token(principal: Principal, *scopes: str) -> Principal:
    """The same user with an access token of these scopes."""
    credential = replace(
        principal.credential, kind=OAUTH, id=uuid4().hex, scopes=frozenset(scopes), allowlist=None, router=False
    )
    return replace(principal, credential=credential, _answers={})


def test_an_access_token_is_shown_what_its_role_would_allow(ana: Principal) -> None:
    seen = surfaces.surface(token(ana, "mcp:read", "mcp:execute"))

    assert "agent_update" in seen.offers
    assert seen.hidden["scope"] == 0


async def test_an_access_token_that_lacks_a_scope_is_asked_for_it(ana: Principal, helper: Agent) -> None:
    narrow = token(ana, "mcp:read", "mcp:execute")

    with pytest.raises(InsufficientScope) as raised:
        await calls.call(narrow, "agent_update", {"agentId": "helper", "name": "New"}, CONTEXT)

    assert raised.value.scopes == ("mcp:read", "mcp:execute", "mcp:write")
    assert raised.value.sentence == "This access token lacks the scope mcp:write."
    assert await _name(helper) == "Helper"


async def test_an_access_token_never_gets_what_its_role_lacks(cast: Cast, ben: Principal, helper: Agent) -> None:
    with pytest.raises(UnknownTool):
        await calls.call(token(ben, "mcp:read", "mcp:execute", "mcp:write"), "agent_update", {}, CONTEXT)
