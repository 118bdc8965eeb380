"""Messages as they come in-process, where no parser looked at them first."""

import pytest
from rest_framework.exceptions import ValidationError

from agents.input_messages import clean_json, read_messages, read_text


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udc00"])
def test_text_that_cannot_be_kept_is_refused_wherever_it_is(text: str) -> None:
    for sent in (text, [text], {"role": "user", "content": text}, [{"role": "user", "content": [text]}]):
        with pytest.raises(ValidationError, match="must not contain"):
            read_messages(sent)
    with pytest.raises(ValidationError, match="must not contain"):
        clean_json({"deep": [{"er": text}]})
    with pytest.raises(ValidationError, match="must not contain"):
        clean_json({text: 1})


def test_kept_parts_of_an_answer_are_taken_back_as_they_were() -> None:
    call: dict[str, object] = {"state": "result", "toolCallId": "1", "toolName": "t", "args": {}, "result": None}
    parts = [{"type": "tool-invocation", "toolInvocation": call}, {"type": "step-start"}, {"type": "text", "text": "x"}]

    turn = read_messages([{"role": "assistant", "content": {"format": 2, "parts": parts}}, "go on"])[0]

    assert [part["type"] for part in turn.content["parts"]] == ["tool-invocation", "step-start", "text"]
    assert turn.content["toolInvocations"] == [call]


@pytest.mark.parametrize(
    "call", [None, {}, {"state": "result", "toolCallId": "1", "toolName": "t", "args": {}}, {"state": 1}]
)
def test_a_tool_call_that_is_not_whole_is_refused(call: object) -> None:
    with pytest.raises(ValidationError, match="toolInvocation"):
        read_messages([{"role": "assistant", "parts": [{"type": "tool-invocation", "toolInvocation": call}]}])


def test_instructions_may_be_several_messages() -> None:
    assert read_text(["Be kind.", {"role": "system", "content": "Be brief."}]) == "Be kind.\n\nBe brief."
