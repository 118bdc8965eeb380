"""How an action says what happened: on commit, to an audience, at no risk for the action."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID

from django.db import transaction

from events.audience import Audience
from events.entries import written
from events.outbox import outbox
from events.types import Event

_collecting = threading.local()


def publish(event: Event, to: Audience) -> None:
    """Tell the audience once the running transaction is committed; at once when there is none.

    While Valkey is away the event is kept and sent later, in order.
    """
    transaction.on_commit(partial(_send, to.tenant_id, written(event, to)), robust=True)


@contextmanager
def batch() -> Iterator[None]:
    """Collect what is published in this thread; it is sent together at the end, or 20 ms after the first."""
    _collecting.depth = _depth() + 1
    try:
        yield
    finally:
        _collecting.depth -= 1
        if not _collecting.depth:
            outbox().send()


def _depth() -> int:
    return getattr(_collecting, "depth", 0)


def _send(tenant_id: UUID, body: bytes) -> None:
    box = outbox()
    box.put(tenant_id, body)
    if _depth():
        box.send_soon()
    else:
        box.send()
