"""The clock."""

from datetime import UTC, datetime

import pytest

from ground.errors import InvalidInput
from tests.cast import Cast
from tests.toolbox.conftest import Use


def test_it_tells_the_time_of_a_zone(cast: Cast, use: Use) -> None:
    told = use(cast.ben, "current_time", {"timezone": "Asia/Tokyo"})

    assert set(told) == {"now", "weekday", "timezone"}
    assert told["now"].endswith("+09:00")
    assert abs((datetime.fromisoformat(told["now"]) - datetime.now(UTC)).total_seconds()) < 60


def test_the_zone_is_utc_unless_said_otherwise(cast: Cast, use: Use) -> None:
    assert use(cast.ben, "current_time")["timezone"] == "UTC"


@pytest.mark.parametrize("timezone", ["Mars/Olympus", "../../etc/passwd", "", "\x00"])
def test_an_unknown_zone_is_named(cast: Cast, use: Use, timezone: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        use(cast.ben, "current_time", {"timezone": timezone})

    message = f"There is no time zone {timezone!r}; use a name such as Europe/Berlin."
    assert refused.value.issues == [{"field": "data.timezone", "message": message}]
