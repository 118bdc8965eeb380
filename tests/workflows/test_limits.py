"""What is too much is refused at the start, or ends the run with one sentence."""

from typing import Any

import pytest
from django.test import override_settings

from tests.cast import Cast
from tests.workflows.client import Runs
from tests.workflows.stored import calls, store


def test_too_many_items_end_the_run(cast: Cast, ben: Runs) -> None:
    each = {"type": "foreach", "step": calls("echo")}
    store(cast.tenant, "many", {"steps": [{"type": "mapping", "mapping": "input.items[]"}, each]})
    with override_settings(LIMIT_ARRAY_ITEMS=20_000):
        answer = ben.start("many", {"items": [0] * 10_001})

    assert answer["error"]["message"] == "foreach echo got 10001 items; 10000 are allowed."


@pytest.mark.parametrize(
    ("given", "kind"), [({"n": 1}, "an object"), ("text", "a text"), (None, "nothing"), (1, "a number")]
)
def test_foreach_needs_an_array(cast: Cast, ben: Runs, given: Any, kind: str) -> None:
    store(cast.tenant, "each", {"steps": [{"type": "foreach", "step": calls("echo")}]})

    answer = ben.start("each", given)

    assert (answer["status"], answer["error"]["message"]) == ("failed", f"foreach echo needs an array, and got {kind}.")


def test_too_large_an_output_fails_its_step(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "big", {"steps": [calls("echo")]})
    with override_settings(LIMIT_RUN_VALUE_BYTES=1000):
        ok = ben.start("big", "x" * 998)
        answer = ben.start("big-reply", "x")

    assert ok["status"] == "success"
    assert answer["steps"]["large"]["error"]["message"] == "The output has 2002 bytes; 1000 are allowed."


def test_a_loop_without_an_end_is_stopped(cast: Cast, ben: Runs, worker: None) -> None:
    never = {"op": "exists", "path": "input.end"}
    loop = {"type": "loop", "step": calls("pure_echo"), "condition": never, "loopType": "dountil"}
    store(cast.tenant, "endless", {"steps": [loop]})

    answer = ben.start("endless", {"n": 1})

    assert (answer["status"], answer["error"]["message"]) == ("failed", "The run has more than 10000 step records.")


@pytest.mark.parametrize("name", ["nul", "not_json", "huge_int"])
def test_what_cannot_be_kept_fails_its_step(cast: Cast, ben: Runs, name: str) -> None:
    store(cast.tenant, "odd", {"steps": [calls(name)]})

    answer = ben.start("odd", 1)

    assert answer["status"] == "failed"
    sentences = {
        "nul": "The output holds the character U+0000, which cannot be kept.",
        "not_json": "The output is nothing that JSON can hold.",
        "huge_int": "The output is nothing that JSON can hold.",
    }
    assert answer["error"]["message"] == sentences[name]


def test_text_of_every_script_survives(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "same", {"steps": [calls("echo")]})
    text = "Größe 漢字 🧜‍♀️ שלום \\u0000 \" ' % ${x} {{y}}"

    answer = ben.start("same", {"t": text})

    assert answer["result"] == {"t": text}
    assert ben.run("same", answer["runId"])["result"] == {"t": text}
