"""The where-grammar: one compiler from predicates to Django's Q."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from api.conditions import condition
from api.fields import OPERATORS, Field, FieldTable, is_number
from api.predicate_shapes import is_predicate

MAX_NODES, MAX_DEPTH, MAX_RELATED, MAX_LITERALS = 100, 12, 8, 1000
METADATA = "metadata."

Path = tuple[str | int, ...]
Issue = dict[str, Any]


class PredicateError(Exception):
    """A predicate that cannot be compiled; `issues` say where and why, and never repeat a literal."""

    def __init__(self, issues: list[Issue]) -> None:
        super().__init__("The predicate is invalid")
        self.issues = issues


@dataclass(slots=True)
class Budget:
    """What was counted so far: predicates of one request that count together are compiled with one budget."""

    nodes: int = 0
    depth: int = 0
    related: int = 0
    literals: int = 0

    def faults(self) -> list[str]:
        """A sentence for each limit that is passed."""
        faults = []
        if self.nodes > MAX_NODES or self.depth > MAX_DEPTH:
            faults.append(f"Predicates are limited to {MAX_NODES} nodes and {MAX_DEPTH} levels")
        if self.related > MAX_RELATED:
            faults.append(f"Trace queries are limited to {MAX_RELATED} related collection clauses")
        if self.literals > MAX_LITERALS:
            faults.append(f"Trace queries are limited to {MAX_LITERALS} literal units")
        return faults


def compile(  # noqa: A001  (callers read `predicates.compile`)
    predicate: Any, table: FieldTable, root: Path = ("where",), budget: Budget | None = None
) -> Q:
    """The predicate as a Q over the table's lookups; raises PredicateError with every issue."""
    if not is_predicate(predicate, frozenset(table.related)):
        raise PredicateError([_issue("invalid_request", root, "Invalid input")])
    compiler = _Compiler(budget or Budget())
    found = compiler.visit(predicate, table, root, 1)
    too_much = [_issue("predicate_too_complex", root, text) for text in compiler.budget.faults()]
    if issues := too_much + compiler.issues:
        raise PredicateError(issues)
    return found


def _issue(code: str, path: Path, message: str) -> Issue:
    return {"code": code, "path": list(path), "message": message}


class _Compiler:
    """One compilation of a predicate of the right shape: what was counted and what was wrong."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.issues = budget, list[Issue]()

    def refuse(self, code: str, path: Path, message: str) -> Q:
        """Note an issue; the Q stands in until the issues are raised."""
        self.issues.append(_issue(code, path, message))
        return Q()

    def visit(self, node: Any, table: FieldTable, at: Path, depth: int) -> Q:
        """The Q of one node."""
        self.budget.nodes += 1
        self.budget.depth = max(self.budget.depth, depth)
        if self.budget.nodes > MAX_NODES or depth > MAX_DEPTH:
            return Q()  # it is refused anyway
        match node.get("op"):
            case "and" | "or" as op:
                return self._joined(node["args"], op, table, (*at, "args"), depth)
            case "not":
                return ~self.visit(node["arg"], table, (*at, "arg"), depth + 1)
            case "in" | "notIn":
                return self._member(node, table, at)
            case "exists" | "notExists" | "includes" | "notIncludes":
                return self._present(node, table, at)
            case None:
                return self._related(node, table, at, depth)
        return self._compared(node, table, at)

    def _joined(self, args: list[Any], op: str, table: FieldTable, at: Path, depth: int) -> Q:
        parts = [self.visit(arg, table, (*at, index), depth + 1) for index, arg in enumerate(args)]
        found = parts[0]
        for part in parts[1:]:
            found = found & part if op == "and" else found | part
        return found

    def _related(self, node: Any, table: FieldTable, at: Path, depth: int) -> Q:
        self.budget.related += 1
        [(name, quantifier)] = node.items()
        [(which, inner)] = quantifier.items()
        found = self.visit(inner, table.related_tables[name], (*at, name, which), depth + 1)
        return table.related[name](which, found)

    def _compared(self, node: Any, table: FieldTable, at: Path) -> Q:
        self.budget.literals += 1
        op, left, right = node["op"], node["left"], node["right"]
        if "path" not in left or "literal" not in right:
            text = "Comparison predicates require a field on the left and a literal on the right"
            return self.refuse("invalid_operands", at, text)
        if (found := self._field(left["path"], op, table, at, (*at, "left", "path"))) is None:
            return Q()
        if not found.accepts(right["literal"], op):
            text = "The literal does not match the selected field type"
            return self.refuse("invalid_literal", (*at, "right", "literal"), text)
        return condition(found, op, right["literal"])

    def _member(self, node: Any, table: FieldTable, at: Path) -> Q:
        members = node["set"]
        self.budget.literals += len(members)
        if "path" not in node["value"]:
            return self.refuse("invalid_operands", at, "Membership predicates require an allowlisted field path")
        if (found := self._field(node["value"]["path"], node["op"], table, at, (*at, "value", "path"))) is None:
            return Q()
        one_kind = len({is_number(member) for member in members}) == 1
        if not one_kind or not all(found.accepts(member) for member in members):
            text = "Membership values must be homogeneous and match the selected field type"
            return self.refuse("invalid_literal", (*at, "set"), text)
        return condition(found, node["op"], members)

    def _present(self, node: Any, table: FieldTable, at: Path) -> Q:
        self.budget.literals += "value" in node
        if (found := self._field(node["path"], node["op"], table, at, (*at, "path"))) is None:
            return Q()
        if "value" in node and not found.accepts(node["value"]):
            text = "The literal does not match the selected field type"
            return self.refuse("invalid_literal", (*at, "value"), text)
        return condition(found, node["op"], node.get("value"))

    def _field(self, path: str, op: str, table: FieldTable, at: Path, at_path: Path) -> Field | None:
        name = _unwrapped(path)
        found = table.fields.get(name)
        if found is None and table.metadata is not None and name.startswith(METADATA):
            key = name.removeprefix(METADATA)
            if not key.strip() or "." in key or "\x00" in key:
                text = "Metadata predicates require one non-empty top-level key"
                self.refuse("invalid_metadata_key", at_path, text)
                return None
            found = table.metadata(key)
        if found is None:
            self.refuse("field_not_allowed", at_path, "The predicate field is not allowed here")
        elif op not in OPERATORS[found.kind]:
            self.refuse("operator_not_allowed", (*at, "op"), f"Operator {op} is not supported for field {name}")
            return None
        return found


def _unwrapped(path: str) -> str:
    name = path.strip()
    return name[2:-1].strip() if name.startswith("${") and name.endswith("}") else name
