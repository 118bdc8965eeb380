"""When a sleep of a graph ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

from workflows.context import StepFailed
from workflows.expressions import Scope, mapped
from workflows.graph import SleepNode
from workflows.records import now

MOST_SLEEP = timedelta(days=366)


def end_of_sleep(node: SleepNode, scope: Scope) -> datetime:
    """The moment; StepFailed when the graph computes none."""
    if node.date is not None:
        return _date(node.date if _is_date(node.date) else mapped(node.date, scope))
    duration = mapped(node.duration, scope)
    if isinstance(duration, bool) or not isinstance(duration, int | float) or not duration >= 0:
        raise StepFailed("A sleep needs a number of milliseconds that is not negative.")
    return now() + timedelta(milliseconds=min(duration, MOST_SLEEP / timedelta(milliseconds=1)))


def _is_date(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _date(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else None
    if moment is None and _is_date(value):
        moment = datetime.fromisoformat(value)
    if moment is None:
        raise StepFailed("A sleep until a date needs an ISO date, such as 2030-01-31T09:00:00Z.")
    if not 1970 <= moment.year <= 9998:  # a zone could carry it out of the calendar
        moment = datetime(1970 if moment.year < 1970 else 9998, 1, 1, tzinfo=UTC)
    return min(moment if moment.tzinfo else moment.replace(tzinfo=UTC), datetime.now(UTC) + MOST_SLEEP)
