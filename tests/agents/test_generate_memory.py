"""Threads of POST /agents/:agentId/generate."""

import pytest

from agents.actions import create_agent
from agents.models import Agent
from conversations.models import Message, Thread
from tests.agents.grants import grant
from tests.agents.http import Answer, generate
from tests.cast import Cast


def _kept(cast: Cast, thread_id: str) -> list[str]:
    return [
        f"{message.role}: {message.content['content'].splitlines()[0]}"
        for message in Message.objects.filter(thread__tenant=cast.tenant, thread__thread_id=thread_id)
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"memory": {"thread": "t1"}},
        {"memory": {"thread": {"id": "t1", "title": "Bills", "metadata": {"a": 1}}}},
        {"threadId": "t1"},
        {"threadId": "t1", "memory": {"thread": "t1"}},
    ],
)
def test_a_thread_is_made_under_the_id_that_was_asked_for(cast: Cast, helper: Agent, body: dict[str, object]) -> None:
    answer = generate(cast.ben, "helper", messages="hi", **body)

    thread = Thread.objects.get(tenant=cast.tenant)
    assert answer.body["threadId"] == thread.thread_id == "t1"
    assert answer.body["resourceId"] == thread.resource_id == str(cast.ben.user.id)
    assert thread.agent_id == "helper"
    assert _kept(cast, "t1") == ["user: hi", "assistant: You said: hi"]


def test_title_and_metadata_are_kept_with_a_new_thread(cast: Cast, helper: Agent) -> None:
    generate(
        cast.ben, "helper", messages="hi", memory={"thread": {"id": "t1", "title": "דוח 📄", "metadata": {"a": [1]}}}
    )

    assert Thread.objects.filter(tenant=cast.tenant).values("title", "metadata").get() == {
        "title": "דוח 📄", "metadata": {"a": [1]}
    }  # fmt: skip


@pytest.mark.parametrize("body", [{"memory": {}}, {"resourceId": "own"}, {"memory": {"options": {"lastMessages": 3}}}])
def test_without_an_id_a_thread_is_made_and_named(cast: Cast, helper: Agent, body: dict[str, object]) -> None:
    own = {"resourceId": str(cast.ben.user.id)} if "resourceId" in body else body

    answer = generate(cast.ben, "helper", messages="hi", **own)

    thread = Thread.objects.get(tenant=cast.tenant)
    assert answer.body["threadId"] == thread.thread_id == str(thread.id)


def test_the_next_turn_recalls_the_thread(cast: Cast, helper: Agent) -> None:
    first = generate(cast.ben, "helper", messages="My name is Ben.", memory={}).body

    second = generate(cast.ben, "helper", messages="What is my name?", threadId=first["threadId"]).body

    assert "Earlier you said: My name is Ben." in second["text"]
    assert [message["id"] for message in second["rememberedMessages"]] == [
        message["id"] for message in first["messages"]
    ]
    assert Message.objects.filter(thread__tenant=cast.tenant).count() == 4


def test_only_the_last_ten_messages_are_recalled_unless_asked_otherwise(cast: Cast, helper: Agent) -> None:
    for number in range(7):
        generate(cast.ben, "helper", messages=f"turn {number}", threadId="t")

    def recalled(**options: int) -> list[str]:
        body = generate(
            cast.ben, "helper", messages="?", memory={"thread": "t", "options": options, "readOnly": True}
        ).body
        return [message["content"]["content"].splitlines()[0] for message in body["rememberedMessages"]]

    assert recalled()[0] == "turn 2"
    assert len(recalled()) == 10
    assert recalled(lastMessages=2) == ["turn 6", "You said: turn 6"]
    assert recalled(lastMessages=0) == []


def test_a_turn_that_only_reads_keeps_nothing(cast: Cast, helper: Agent) -> None:
    generate(cast.ben, "helper", messages="hi", threadId="t")

    answer = generate(cast.ben, "helper", messages="again", memory={"thread": "t", "readOnly": True})

    assert answer.status == 200
    assert _kept(cast, "t") == ["user: hi", "assistant: You said: hi"]
    missing = generate(cast.ben, "helper", messages="again", memory={"thread": "none", "readOnly": True})
    assert missing == (404, {"error": "Thread not found"})


def _foreign(cast: Cast, thread_id: str, name: str = "ben") -> Answer:
    return generate(getattr(cast, name), "helper", messages="x", threadId=thread_id, resourceId=str(cast.bea.user.id))


def test_a_foreign_resource_is_not_found_whether_the_thread_exists_or_not(cast: Cast, helper: Agent) -> None:
    generate(cast.bea, "helper", messages="hi", threadId="beas")

    assert _foreign(cast, "beas") == _foreign(cast, "nothing") == (404, {"error": "Thread not found"})
    assert _foreign(cast, "beas", "adam") == (404, {"error": "Thread not found"})
    assert _kept(cast, "beas") == ["user: hi", "assistant: You said: hi"]
    assert Thread.objects.filter(tenant=cast.tenant).count() == 1


def test_the_same_id_of_two_owners_is_two_threads(cast: Cast, helper: Agent) -> None:
    generate(cast.bea, "helper", messages="from bea", threadId="t")
    answer = generate(cast.ben, "helper", messages="from ben", threadId="t")

    assert answer.body["rememberedMessages"] == []
    assert Thread.objects.filter(tenant=cast.tenant, thread_id="t").count() == 2


def test_the_owner_continues_a_members_thread_and_makes_none_for_members(cast: Cast, helper: Agent) -> None:
    generate(cast.bea, "helper", messages="hi", threadId="beas")

    assert _foreign(cast, "beas", "ana").status == 200
    assert _foreign(cast, "nothing", "ana") == (404, {"error": "Thread not found"})


def test_a_grant_opens_one_thread(cast: Cast, helper: Agent) -> None:
    generate(cast.bea, "helper", messages="hi", threadId="beas")
    generate(cast.bea, "helper", messages="hi", threadId="other")
    thread = Thread.objects.get(tenant=cast.tenant, thread_id="beas")
    grant(cast, "memory:write", str(thread.id), object_type="thread", user=cast.ben.user)

    assert _foreign(cast, "beas").status == 200
    assert _foreign(cast, "other").status == 404


def test_another_tenants_thread_is_out_of_reach(cast: Cast, helper: Agent) -> None:
    create_agent(cast.zoe.principal, slug="helper", name="Zoe's helper")
    generate(cast.ben, "helper", messages="hi", threadId="t")

    answer = generate(cast.zoe, "helper", messages="hi", threadId="t", resourceId=str(cast.ben.user.id))

    assert answer == (404, {"error": "Thread not found"})


def test_where_threads_do_not_belong_to_users_the_resource_is_required(cast: Cast, helper: Agent) -> None:
    cast.tenant.maps_users = False
    cast.tenant.save()

    refused = generate(cast.ben, "helper", messages="hi", threadId="t")
    taken = generate(cast.ben, "helper", messages="hi", threadId="t", resourceId="customer-7")
    shared = generate(cast.bea, "helper", messages="hi", threadId="t", resourceId="customer-7")

    assert (refused.status, refused.body["error"]) == (400, "A resource ID is required when using memory.")
    assert (taken.body["resourceId"], len(shared.body["rememberedMessages"])) == ("customer-7", 2)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"threadId": "a", "memory": {"thread": "b"}}, "threadId"),
        ({"resourceId": "a", "memory": {"thread": "b", "resource": "c"}}, "resourceId"),
        ({"memory": {"thread": "t", "colour": 1}}, "memory.colour"),
        ({"memory": {"thread": 7}}, "memory.thread"),
        ({"memory": "t"}, "memory"),
        ({"memory": {"thread": "t", "options": {"lastMessages": 101}}}, "memory.options.lastMessages"),
        ({"memory": {"thread": "t", "options": {"semanticRecall": True}}}, "memory.options.semanticRecall"),
        ({"threadId": "x" * 201}, "threadId"),
        ({"threadId": "a\u0000b"}, "body"),
        ({"memory": {"thread": "a\u0000b"}}, "body"),
    ],
)
def test_memory_that_contradicts_or_is_unknown_is_refused(
    cast: Cast, helper: Agent, body: dict[str, object], field: str
) -> None:
    answer = generate(cast.ben, "helper", messages="x", **body)

    assert (answer.status, answer.body["issues"][0]["field"]) == (400, field)
    assert not Thread.objects.filter(tenant=cast.tenant).exists()


def test_an_agent_without_memory_says_that_the_thread_was_left_alone(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="forgetful", name="Forgetful", memory=False)

    body = generate(cast.ben, "forgetful", messages="hi", threadId="t").body

    assert (body["threadId"], body["text"]) == (None, "You said: hi")
    assert body["warnings"] == [
        {"type": "other", "message": "This agent keeps no conversations; the thread was left alone."}
    ]
    assert not Thread.objects.filter(tenant=cast.tenant).exists()


def test_system_messages_are_not_kept(cast: Cast, helper: Agent) -> None:
    generate(cast.ben, "helper", messages=[{"role": "system", "content": "Be kind."}, "hi"], threadId="t")

    assert _kept(cast, "t") == ["user: hi", "assistant: You said: hi"]
