"""A message that comes again while its run is under way changes nothing."""

from ground import valkey
from tests.workflows.client import Runs
from tests.workflows.working import working


def test_a_step_longer_than_the_visibility_timeout_counts_once(ben: Runs) -> None:
    with working(VISIBILITY_TIMEOUT="2", RUN_LEASE_SECONDS="2", RUN_MESSAGE_SECONDS="1"):
        answer = ben.start("t-counting", {"n": 1}, run_id="v1")

    assert answer["status"] == "success"
    key = answer["result"]["key"]
    assert valkey.client().get(key) == b"1"
    valkey.client().delete(key)
