"""The demo's workflows really run, with the model that needs no key."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from launch.demo import make_demo, makers
from tests.workflows.client import Runs

QUESTIONS = ["Is the office open now?", "Who answers questions about invoices?", "Where is my parcel?", "Hello"]


@pytest.fixture(scope="module")
def demo(real_database: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The facts of demo.json."""
    folder: Path = tmp_path_factory.mktemp("demo")
    make_demo(folder, makers())
    facts: dict[str, Any] = json.loads((folder / "demo.json").read_text())
    return facts


@pytest.fixture
def member(demo: dict[str, Any]) -> Runs:
    """The runs of the demo's member."""
    return Runs(SimpleNamespace(issue=lambda *_, **__: demo["keys"]["member"]))  # type: ignore[arg-type]


def test_the_facts_name_both(demo: dict[str, Any], member: Runs) -> None:
    assert demo["workflows"] == {
        "approval": "refund-approval", "fanOut": "answer-questions", "featured": "refund-approval",
    }  # fmt: skip
    listed = member.get("")
    assert [listed[slug]["name"] for slug in ("answer-questions", "refund-approval")] == [
        "Answer questions", "Refund approval",
    ]  # fmt: skip


def test_a_small_refund_is_decided_at_once(member: Runs) -> None:
    answer = member.start("refund-approval", {"customer": "Nordlicht", "amount": 42.5, "reason": "Broken lid."})

    assert answer["status"] == "success"
    assert answer["result"] == {
        "customer": "Nordlicht", "amount": 42.5, "approved": True,
        "comment": "Up to 100 EUR are refunded without asking.",
    }  # fmt: skip


@pytest.mark.parametrize("approved", [True, False])
def test_a_large_refund_waits_for_a_person(member: Runs, approved: bool) -> None:
    given = {"customer": "Nordlicht", "amount": 250, "reason": "Parcel lost."}
    first = member.start("refund-approval", given)

    decision = {"approved": approved, "comment": "Seen."}
    second = member.resume("refund-approval", first["runId"], decision, step="decision")

    assert (first["status"], first["suspended"]) == ("suspended", [["decision"]])
    assert first["suspendPayload"] == {
        "decision": {
            "question": "Approve?",
            "about": {"summary": "Refund of 250 EUR to Nordlicht", "amount": 250, "reason": "Parcel lost."},
        }
    }
    assert second["result"] == {"customer": "Nordlicht", "amount": 250, "approved": approved, "comment": "Seen."}


def test_every_question_is_answered_in_order(member: Runs, worker: None) -> None:
    answer = member.start("answer-questions", {"questions": QUESTIONS})

    assert answer["status"] == "success", answer
    assert answer["result"]["questions"] == QUESTIONS
    assert len(answer["result"]["answers"]) == 4
    assert all(answer["result"]["answers"])


def test_the_other_organisation_has_neither(demo: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {demo['other']['keys']['owner']}"}

    assert not set(Client().get("/api/workflows", headers=headers).json()) & {"refund-approval", "answer-questions"}
