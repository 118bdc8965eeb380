"""The platform's own tools, for one caller: which layers let them through, and the ids an argument may have."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from api.doors import allows
from api.toolsets import ObjectTool, ToolSpec
from gateway.catalog import wire_name
from gateway.offers import Arguments, Offer, Schema
from gateway.sources.templates import operation_of, run, template
from identity.permissions import SCOPES, covers, holds
from identity.principal import OAUTH, Principal

Choices = Callable[[Principal, str], list[str] | None]

READ, EXECUTE = "mcp:read", "mcp:execute"


class Gate:
    """The layers between a caller and a tool, in their order; each names itself when it refuses."""

    def __init__(self, principal: Principal, *, read_only: bool) -> None:
        self.principal, self.read_only = principal, read_only
        self.credential = principal.credential

    @property
    def is_open(self) -> bool:
        """Whether the caller may call tools at all."""
        return self.principal.may(READ) and self.principal.may(EXECUTE)

    def refuses(self, spec: ToolSpec, name: str, *, writes: bool) -> str | None:
        """The first layer that keeps the tool from this caller, or None."""
        wanted = self._wanted(spec)
        if not all(map(self._held, wanted)):
            return "permission"
        if self.credential.kind != OAUTH and not all(map(self.principal.in_scope, wanted)):
            return "scope"
        allowlist = self.credential.allowlist
        if allowlist is not None and not spec.always and not allows(allowlist, name):
            return "allowlist"
        return "readOnly" if self.read_only and writes else None

    def step_up(self, spec: ToolSpec) -> tuple[str, ...]:
        """All scopes that this tool needs, when an access token lacks one that its user's role would allow."""
        if self.credential.kind != OAUTH or all(map(self.principal.in_scope, self._wanted(spec))):
            return ()
        return tuple(dict.fromkeys(map(_broad_scope, self._wanted(spec))))

    def _wanted(self, spec: ToolSpec) -> tuple[str, ...]:
        permission = operation_of(spec.route).permission
        return (READ, EXECUTE) if permission is None else (READ, EXECUTE, permission)

    def _held(self, permission: str) -> bool:
        """By the role or by a grant, whatever the credential's scopes."""
        return holds(self.principal.permissions, permission) or any(
            covers(grant.permission, permission) for grant in self.principal.grants
        )


def _broad_scope(permission: str) -> str:
    return next(scope for scope, patterns in SCOPES.items() if holds((scope, *patterns), permission))


class Enums:
    """The ids that arguments may have; each question is asked once a surface."""

    def __init__(self, principal: Principal, limit: int) -> None:
        self.principal, self.limit = principal, limit
        self._known: dict[tuple[Choices, str], list[str] | None] = {}

    def narrowed(self, offer: Offer, spec: ToolSpec) -> Offer:
        """The offer with an `enum` where there are few enough values."""
        permission = operation_of(spec.route).permission or READ
        found = {name: self._values(choices, permission) for name, choices in spec.choices.items()}
        if not any(found.values()):
            return offer
        return offer.with_input(_with_enums(offer.input_schema, found))

    def _values(self, choices: Choices, permission: str) -> list[str] | None:
        question = (choices, permission)
        if question not in self._known:
            values = choices(self.principal, permission)
            self._known[question] = values if values and len(values) <= self.limit else None
        return self._known[question]


def _with_enums(schema: Schema, found: Mapping[str, list[str] | None]) -> Schema:
    properties = dict(schema["properties"])
    for name, values in found.items():
        if values and name in properties:
            properties[name] = {**properties[name], "enum": values}
    return {**schema, "properties": properties}


def object_offer(tool: ObjectTool, toolset: str) -> Offer:
    """The tool of one object; the fixed arguments are no longer asked for."""
    base = template(tool.spec, toolset)
    schema = dict(tool.input_schema) if tool.input_schema is not None else _without(base.input_schema, tool.fixed)

    def run_fixed(principal: Principal, arguments: Arguments, circumstances: Any) -> Any:
        given = {tool.gathered: arguments} if tool.gathered else arguments
        return run(tool.spec, principal, {**given, **tool.fixed}, circumstances)

    offer = replace(
        base.with_input(schema),
        name=wire_name(tool.prefix, tool.object_id),
        title=tool.title,
        description=tool.summary,
        run=run_fixed,
        annotations={**base.annotations, **tool.annotations},
        aliases=(),
    )
    if tool.input_schema is None:
        return offer
    return replace(offer, output_schema=dict(tool.output_schema) if tool.output_schema is not None else None)


def _without(schema: Schema, fixed: Mapping[str, Any]) -> Schema:
    return {
        **schema,
        "properties": {name: inner for name, inner in schema["properties"].items() if name not in fixed},
        "required": [name for name in schema.get("required", ()) if name not in fixed],
    }
