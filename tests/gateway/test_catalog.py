"""The catalogue: every tool against the documentation's tables, the reviewed copy, and the rules for definitions."""

import io
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from jsonschema_rs import meta

from api.toolsets import canonical_names, specs, toolsets
from gateway.catalog import TARGET, clash, wire_name
from gateway.catalog_text import arguments_of
from gateway.offers import Listing
from gateway.router import router_listings
from gateway.sources.templates import operation_of, template

HERE = Path(__file__).parent
DOCUMENTED = {row["name"]: row for row in tomllib.loads((HERE.parent / "documented_tools.toml").read_text())["tool"]}


def listings() -> dict[str, Listing]:
    own: dict[str, Listing] = {
        spec.name: template(spec, toolset.name) for toolset in toolsets() for spec in toolset.tools
    }
    return {**own, **router_listings()}


def described(listing: Listing) -> dict[str, Any]:
    row: dict[str, Any] = {"toolset": listing.toolset, "name": listing.name}
    spec = specs().get(listing.name)
    facts = {
        "aliases": list(listing.aliases),
        "arguments": sorted(arguments_of(listing)),
        "routes": [str(route) for route in spec.routes] if spec else [],
        "permission": operation_of(spec.route).permission if spec else None,
        "read_only": listing.annotations["readOnlyHint"],
        "destructive": listing.annotations["destructiveHint"],
    }
    return {**row, **{name: fact for name, fact in facts.items() if fact}}


def test_the_catalogue_is_what_the_documentation_says() -> None:
    found = {name: described(listing) for name, listing in listings().items()}

    documented = {name: {**row, "arguments": sorted(row.get("arguments", []))} for name, row in DOCUMENTED.items()}
    assert found == {name: {key: value for key, value in row.items() if value} for name, row in documented.items()}


def test_the_printed_catalogue_is_the_reviewed_one() -> None:
    out = io.StringIO()

    call_command("tools", stdout=out)

    assert out.getvalue() == (HERE / "catalog.txt").read_text()


def test_no_alias_is_a_canonical_name() -> None:
    aliases = {alias for spec in specs().values() for alias in spec.aliases}

    assert aliases.isdisjoint(specs())
    assert {name for name, canonical in canonical_names().items() if name != canonical} == aliases


@pytest.mark.parametrize("name", list(DOCUMENTED))
def test_a_definition_keeps_the_rules(name: str) -> None:
    listing = listings()[name]
    shown = listing.definition()

    assert re.fullmatch(r"[A-Za-z0-9_-]{1,44}", name)
    assert 0 < len(shown["description"]) < 300
    assert shown["title"]
    assert set(shown["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert shown["inputSchema"]["type"] == "object"
    assert shown["inputSchema"]["additionalProperties"] is False
    assert {"oneOf", "anyOf", "allOf", "not"}.isdisjoint(shown["inputSchema"])
    assert shown.get("outputSchema", {"type": "object"})["type"] == "object"
    for schema in (shown["inputSchema"], shown.get("outputSchema", {})):
        assert meta.is_valid(schema)
        assert not {"exclusiveMinimum", "$schema", "propertyNames", "const"} & set(
            re.findall(r"'([$\w]+)':", str(schema))
        )


@pytest.mark.parametrize("name", list(DOCUMENTED))
def test_every_argument_is_described(name: str) -> None:
    undescribed = [
        argument
        for argument, schema in listings()[name].input_schema["properties"].items()
        if not schema.get("description")
    ]

    assert undescribed == []


def test_a_plain_short_id_is_its_own_name() -> None:
    assert wire_name("agent_", "helper-2") == "agent_helper-2"


def test_a_long_id_is_cut_and_keeps_apart_from_its_like() -> None:
    one = wire_name("billing-cost-management__", "get_cost_and_usage_comparisons_by_dimension")
    two = wire_name("billing-cost-management__", "get_cost_and_usage_comparisons_by_dimensions")

    assert len(one) == len(two) == TARGET
    assert one != two
    assert one.startswith("billing-cost-management__get_cost_")


@pytest.mark.parametrize("object_id", ["Größe & Co (v2)", "a/b", "a.b", "日本語", "", "x" * 300, " _5gpt "])
def test_other_letters_become_a_name_that_every_client_takes(object_id: str) -> None:
    assert re.fullmatch(r"agent_[A-Za-z0-9_-]{1,38}", wire_name("agent_", object_id))


def test_ids_that_look_alike_have_different_names() -> None:
    assert len({wire_name("agent_", object_id) for object_id in ("a/b", "a.b", "a_b", "a b")}) == 4


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("agent_list", "agent_list is the name of a tool of the platform."),
        ("list_agents", "list_agents is an older name of agent_list."),
        ("execute_tool", "execute_tool is the name of a router tool."),
        ("agent_helper", None),
    ],
)
def test_a_name_of_the_catalogue_is_taken(name: str, reason: str | None) -> None:
    assert clash(name) == reason
