"""What a caller may call: one tool as the client sees it, and how it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from jsonschema_rs import Draft202012Validator

from api.calls import Circumstances
from api.replies import Pending, Reply
from identity.principal import Principal

Schema = dict[str, Any]
Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One tool as it is shown, found and asked for. `writes` is derived from the routes, never from annotations."""

    name: str
    toolset: str
    title: str
    description: str
    input_schema: Schema
    validator: Draft202012Validator
    writes: bool
    annotations: Mapping[str, Any]
    output_schema: Schema | None = None
    keywords: str = ""
    aliases: tuple[str, ...] = ()

    def definition(self) -> dict[str, Any]:
        """As `tools/list` shows it, in both protocol generations."""
        shown: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
        }
        if self.output_schema is not None:
            shown["outputSchema"] = self.output_schema
        shown["annotations"] = dict(self.annotations)
        return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Listing):
    """A listed tool and how it runs: `shape` turns the answer into the tool's value, `text` the value into its text.

    `step_up` names the scopes that the call needs when an access token lacks one of them although its user's role would
    allow the call: the tool is listed, and a call asks for them.
    """

    run: Callable[[Principal, Arguments, Circumstances], Reply | Pending]
    shape: Callable[[Any, Arguments], Any] | None = None
    text: Callable[[Any], str] | None = None
    step_up: tuple[str, ...] = ()

    def with_input(self, input_schema: Schema) -> Self:
        """The same tool with another input."""
        return replace(self, input_schema=input_schema, validator=compiled(input_schema))


@dataclass(slots=True)
class Hidden:
    """How many tools each layer keeps from a caller."""

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("permission", "scope", "allowlist", "readOnly", "unavailable"), 0)
    )

    def add(self, layer: str) -> None:
        """One more."""
        self.counts[layer] += 1


def compiled(schema: Schema) -> Draft202012Validator:
    """A validator that never fetches a remote reference."""
    return Draft202012Validator(schema, retriever=_refuse)


def _refuse(uri: str) -> Any:
    raise ValueError(f"Schemas may not refer to other documents: {uri}")
