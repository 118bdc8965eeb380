"""What a graph computes between its steps: mappings in JMESPath, conditions in the where-grammar, or functions."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from jmespath.exceptions import JMESPathError

from api import predicate_facts
from workflows import jmes
from workflows.context import StepFailed
from workflows.functions import function, source_of
from workflows.values import copied, kept

logger = logging.getLogger(__name__)

LITERAL = "$literal"
MOST_CHARACTERS = 2000  # of one expression


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions see. `input`: what arrives here; `init`: what the workflow was started with."""

    input: Any
    init: Any
    steps: Mapping[str, Any]
    state: Mapping[str, Any]
    iteration_count: int = 0

    def facts(self) -> dict[str, Any]:
        """By the names that expressions use."""
        return {
            "input": self.input,
            "init": self.init,
            "steps": self.steps,
            "state": self.state,
            "iterationCount": self.iteration_count,
        }


def mapping_fault(mapping: Any) -> str | None:
    """What is wrong with a mapping, as the end of a sentence; None when nothing is."""
    try:
        return _mapping_fault(mapping)
    except RecursionError:
        return "is nested too deep"


def _mapping_fault(mapping: Any) -> str | None:
    match mapping:
        case str():
            if len(mapping) > MOST_CHARACTERS:
                return f"has an expression of more than {MOST_CHARACTERS} characters"
            try:
                jmes.compiled(mapping)
            except (JMESPathError, RecursionError):
                return f'holds {mapping[:80]!r}, which is no JMESPath expression; write a text as {{"{LITERAL}": …}}'
        case {"$literal": _} if len(mapping) == 1:
            return None
        case {"function": str(name)} if len(mapping) == 1 and "/" in name:
            return None if function(name) else f"names the function {name}, which does not exist"
        case dict() | list():
            values = mapping.values() if isinstance(mapping, dict) else mapping
            return next((found for found in map(_mapping_fault, values) if found), None)
    return None


def mapped(mapping: Any, scope: Scope) -> Any:
    """The value of a mapping: each text in it is an expression; objects and arrays keep their form."""
    if isinstance(mapping, dict) and len(mapping) == 1 and "/" in str(mapping.get("function", "")):
        return kept(called(mapping["function"], scope), "What a mapping gives")
    return kept(_mapped(mapping, scope.facts()), "What a mapping gives")


def _mapped(mapping: Any, facts: dict[str, Any]) -> Any:
    match mapping:
        case str():
            try:
                return jmes.search(mapping, facts)
            except jmes.TooLarge:
                raise StepFailed(f"What the expression {mapping[:80]!r} builds grows too large.") from None
            except JMESPathError as failure:
                raise StepFailed(
                    f"The expression {mapping[:80]!r} failed: {str(failure).splitlines()[0][:200]}"
                ) from None
            except (RecursionError, TypeError, ValueError, OverflowError) as failure:
                raise StepFailed(f"The expression {mapping[:80]!r} failed with {type(failure).__name__}.") from None
        case {"$literal": value} if len(mapping) == 1:
            return value
        case dict():
            return {name: _mapped(inner, facts) for name, inner in mapping.items()}
        case list():
            return [_mapped(inner, facts) for inner in mapping]
    return mapping


def condition_fault(condition: Any) -> str | None:
    """What is wrong with a condition, as the end of a sentence; None when nothing is."""
    if isinstance(condition, dict) and set(condition) == {"function"}:
        name = condition["function"]
        return None if function(str(name)) else f"names the function {str(name)[:120]}, which does not exist"
    return predicate_facts.fault(condition)


def is_true(condition: Mapping[str, Any], scope: Scope) -> bool:
    """Whether a condition holds; paths are those of a mapping: `input.amount`, `steps.fetch.total`, `state.count`."""
    if "function" in condition:
        return bool(called(condition["function"], scope))
    facts = scope.facts()
    return predicate_facts.holds(condition, lambda path: _found(path, facts))


def called(name: str, scope: Scope) -> Any:
    """The answer of a Python function that a graph names: it takes the input, and the scope if it takes two."""
    found = function(name)
    if found is None:
        raise StepFailed(f"The function {name} does not exist any more.")
    given = replace(scope, input=copied(scope.input))
    try:
        return found.call(given.input, given) if found.takes_context else found.call(given.input)
    except StepFailed:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as raised:
        logger.exception("The function %s of a graph failed", name)
        kind = type(raised).__name__
        raise StepFailed(f"The function {name} failed with {kind}; the server's log has the details.") from None


def _found(path: str, facts: Any) -> Any:
    for part in path.split("."):
        match facts:
            case Mapping():
                facts = facts.get(part)
            case list() if part.isdecimal() and int(part) < len(facts):
                facts = facts[int(part)]
            case _:
                return None
    return facts


def shown(value: Any) -> str:
    """A condition or mapping as the API shows it: the source of a function, or its JSON."""
    if isinstance(value, dict) and "function" in value and (found := function(str(value["function"]))):
        return source_of(found.call).strip()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
