"""Ids that sort by time."""

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import RFC_4122

from ground.uuid7 import uuid7


def test_an_id_is_of_version_seven() -> None:
    made = uuid7()

    assert (made.version, made.variant) == (7, RFC_4122)


def test_an_id_tells_its_millisecond() -> None:
    before = time.time_ns() // 1_000_000
    stamp = uuid7().int >> 80
    after = time.time_ns() // 1_000_000

    assert before <= stamp <= after + 1


def test_ids_of_one_thread_rise() -> None:
    made = [uuid7() for _ in range(20_000)]

    assert made == sorted(made)
    assert [str(one) for one in made] == sorted(str(one) for one in made)


def test_ids_of_many_threads_are_distinct() -> None:
    with ThreadPoolExecutor(8) as pool:
        batches = list(pool.map(lambda _: [uuid7() for _ in range(2_000)], range(8)))

    assert all(batch == sorted(batch) for batch in batches)
    assert len({one for batch in batches for one in batch}) == 16_000
