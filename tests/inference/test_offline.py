"""What the offline model answers."""

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

from inference.offline import answer
from inference.offline_tools import read_arguments

MODEL = FunctionModel(answer, model_name="demo")
RULES = "You answer questions about orders. Orders leave the warehouse within two days. Be brief."


async def ask(message: str, *, rules: str = RULES, history: list[ModelMessage] | None = None) -> str:
    result = await Agent(MODEL, instructions=rules).run(message, message_history=history)
    return result.output


async def test_it_quotes_the_sentence_of_its_instructions_that_fits() -> None:
    assert await ask("When does my order leave the warehouse?") == (
        "You said: When does my order leave the warehouse?\n"
        "My instructions say: Orders leave the warehouse within two days."
    )


async def test_it_recalls_what_was_said_before() -> None:
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart("My favourite colour is teal.")]),
        ModelResponse([TextPart("Noted.")]),
    ]

    assert "Earlier you said: My favourite colour is teal." in await ask(
        "What is my favourite colour?", history=history
    )


async def test_the_same_question_has_the_same_answer() -> None:
    assert await ask("Hello") == await ask("Hello")


@pytest.mark.parametrize("text", ["😀👩‍👩‍👧", "שלום עולם", "مرحبا", "e\u0301"])
async def test_any_script_comes_back_unchanged(text: str) -> None:
    assert (await ask(text)).startswith(f"You said: {text}\n")


async def test_without_instructions_it_says_what_was_said() -> None:
    assert await ask("Hello", rules="") == "You said: Hello"


async def test_it_calls_a_tool_whose_arguments_it_can_read() -> None:
    agent = Agent(MODEL)

    @agent.tool_plain
    async def convert_currency(amount: float, currency: str) -> dict[str, object]:
        """Convert an amount of money into a currency."""
        return {"amount": amount, "currency": currency}

    result = await agent.run('Convert 12.5 to the currency "EUR" please')

    assert result.output == 'convert_currency returned: {"amount": 12.5, "currency": "EUR"}'


async def test_it_leaves_a_tool_alone_that_the_message_does_not_name() -> None:
    agent = Agent(MODEL)

    @agent.tool_plain
    async def delete_everything() -> str:
        """Remove all records."""
        raise AssertionError

    assert (await agent.run("Good morning")).output == "You said: Good morning"


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ('use {"city": "Oslo", "days": 3}', {"city": "Oslo", "days": 3}),
        ("city: Oslo, days=3", {"city": "Oslo", "days": 3}),
        ('"Oslo" for 3 days', {"city": "Oslo", "days": 3}),
        ("how is Oslo for 3 days", {"city": "how is Oslo for 3 days", "days": 3}),
        ("city: Oslo in fahrenheit, days: 3", {"city": "Oslo", "days": 3, "unit": "fahrenheit"}),
        ("how is the weather", None),
    ],
)
def test_arguments_are_read_out_of_a_message(message: str, arguments: dict[str, object] | None) -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        },
        "required": ["city", "days"],
    }

    assert read_arguments(message, schema) == arguments
