"""The pause before a program starts again."""

import sys
from collections.abc import Iterator

import pytest

from launch.child import Child, Program
from launch.supervisor import Kept

ENDS_AT_ONCE = Program("brief", (sys.executable, "-I", "-S", "-c", ""))


@pytest.fixture
def kept() -> Iterator[Kept]:
    """A program that ends as soon as it is started."""
    kept = Kept(ENDS_AT_ONCE)
    kept.due = 0.0
    yield kept
    if kept.child:
        kept.child.clear_away()


def run_and_end(kept: Kept, started: float, ended: float) -> float:
    """Start it and let it be found ended; the seconds until it is due again."""
    kept.look_after(started)
    assert isinstance(kept.child, Child)
    kept.child.wait(10)
    kept.look_after(ended)
    return kept.due - ended


def test_it_doubles_up_to_fifteen_seconds(kept: Kept) -> None:
    pauses = []
    for number in range(7):
        started = 100.0 * number
        pauses.append(run_and_end(kept, started, started + 1))

    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]


def test_it_is_short_again_after_half_a_minute_of_health(kept: Kept) -> None:
    for number in range(3):
        run_and_end(kept, 100.0 * number, 100.0 * number + 1)

    assert run_and_end(kept, 500.0, 531.0) == 0.5


def test_it_does_not_start_before_it_is_due(kept: Kept) -> None:
    run_and_end(kept, 0.0, 1.0)

    kept.look_after(1.4)
    assert kept.child is None
    assert kept.seconds_to_wait(1.25) == 0.25
    kept.look_after(1.5)
    assert kept.child is not None
