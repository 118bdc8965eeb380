"""The where-grammar: one compiler from predicates to Django's Q."""

from typing import Any

from django.db.models import Q

from api.fields import OPERATORS, Field, FieldTable

MAX_NODES, MAX_DEPTH, MAX_RELATED, MAX_LITERALS, MAX_SET = 100, 12, 8, 1000, 100
_COMPARED = {"eq": "exact", "ne": "exact", "lt": "lt", "lte": "lte", "gt": "gt", "gte": "gte"}
Path = tuple[str | int, ...]


class PredicateError(Exception):
    """A predicate that cannot be compiled; `issues` say where and why."""

    def __init__(self, issues: list[dict[str, Any]]) -> None:
        super().__init__("The predicate is invalid")
        self.issues = issues


class _Malformed(Exception):
    """The shape is none of the grammar."""


def compile(predicate: Any, table: FieldTable, root: Path = ("where",)) -> Q:  # noqa: A001 - callers read `predicates.compile`
    """The predicate as a Q over the table's lookups; raises PredicateError with every issue."""
    compiler = _Compiler(root)
    try:
        found = compiler.visit(predicate, table, root, 1, False)
    except _Malformed:
        raise PredicateError([_issue("invalid_request", root, "Invalid input")]) from None
    compiler.check_limits()
    if compiler.issues:
        raise PredicateError(compiler.issues)
    return found


def _issue(code: str, path: Path, message: str) -> dict[str, Any]:
    return {"code": code, "path": list(path), "message": message}


def _shaped(node: dict[str, Any], *keys: str) -> None:
    if set(node) != set(keys):
        raise _Malformed


class _Compiler:
    """One compilation: what was counted and what was wrong."""

    def __init__(self, root: Path) -> None:
        self.root, self.issues = root, list[dict[str, Any]]()
        self.nodes = self.related = self.literals = 0

    def check_limits(self) -> None:
        """Report what is too much."""
        for count, most, what in (
            (self.related, MAX_RELATED, "related collection clauses"),
            (self.literals, MAX_LITERALS, "literal units"),
        ):
            if count > most:
                self.issue("predicate_too_complex", self.root, f"Trace queries are limited to {most} {what}")

    def issue(self, code: str, path: Path, message: str) -> Q:
        """Note an issue; the Q stands in until the issues are raised."""
        self.issues.append(_issue(code, path, message))
        return Q()

    def visit(self, node: Any, table: FieldTable, at: Path, depth: int, inside: bool) -> Q:
        """The Q of one node."""
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            text = f"Predicates are limited to {MAX_NODES} nodes and {MAX_DEPTH} levels"
            raise PredicateError([_issue("predicate_too_complex", self.root, text)])
        if not isinstance(node, dict):
            raise _Malformed
        match node.get("op"):
            case "and" | "or" as op:
                return self._joined(node, op, table, at, depth, inside)
            case "not":
                _shaped(node, "op", "arg")
                return ~self.visit(node["arg"], table, (*at, "arg"), depth + 1, inside)
            case "eq" | "ne" | "lt" | "lte" | "gt" | "gte" as op:
                return self._compared(node, op, table, at)
            case "in" | "notIn" as op:
                return self._member(node, op, table, at)
            case "exists" | "notExists" | "includes" | "notIncludes" as op:
                return self._present(node, op, table, at)
        return self._related(node, table, at, depth, inside)

    def _joined(self, node: Any, op: str, table: FieldTable, at: Path, depth: int, inside: bool) -> Q:
        _shaped(node, "op", "args")
        if not isinstance(node["args"], list) or not node["args"]:
            raise _Malformed
        parts = [self.visit(arg, table, (*at, "args", i), depth + 1, inside) for i, arg in enumerate(node["args"])]
        found = parts[0]
        for part in parts[1:]:
            found = found & part if op == "and" else found | part
        return found

    def _field(self, path: Any, op: str, table: FieldTable, at: Path) -> Field | None:
        if not isinstance(path, str) or not 1 <= len(path.encode("utf-8", "surrogatepass")) <= 128:
            raise _Malformed
        name = path.strip()
        name = name[2:-1].strip() if name.startswith("${") and name.endswith("}") else name
        if (found := table.fields.get(name)) is None:
            self.issue("field_not_allowed", at, "The predicate field is not allowed here")
        elif op not in OPERATORS[found.kind]:
            self.issue("operator_not_allowed", at, f"Operator {op} is not supported for field {name}")
        else:
            return found
        return None

    def _compared(self, node: Any, op: str, table: FieldTable, at: Path) -> Q:
        _shaped(node, "op", "left", "right")
        self.literals += 1
        left, right = node["left"], node["right"]
        if any(not isinstance(side, dict) or set(side) not in ({"path"}, {"literal"}) for side in (left, right)):
            raise _Malformed
        if "path" not in left or "literal" not in right:
            text = "Comparison predicates require a field on the left and a literal on the right"
            return self.issue("invalid_operands", at, text)
        if (found := self._field(left["path"], op, table, (*at, "left", "path"))) is None:
            return Q()
        if not found.accepts(right["literal"]):
            text = "The literal does not match the selected field type"
            return self.issue("invalid_literal", (*at, "right", "literal"), text)
        return _held(found, _COMPARED[op], found.value(right["literal"]), negated=op == "ne")

    def _member(self, node: Any, op: str, table: FieldTable, at: Path) -> Q:
        _shaped(node, "op", "value", "set")
        value, members = node["value"], node["set"]
        if not isinstance(members, list) or not 1 <= len(members) <= MAX_SET or not isinstance(value, dict):
            raise _Malformed
        self.literals += len(members)
        if set(value) != {"path"}:
            return self.issue("invalid_operands", at, "Membership predicates require an allowlisted field path")
        if (found := self._field(value["path"], op, table, (*at, "value", "path"))) is None:
            return Q()
        if not all(found.accepts(member) for member in members):
            text = "Membership values must be homogeneous and match the selected field type"
            return self.issue("invalid_literal", (*at, "set"), text)
        return _held(found, "in", [found.value(member) for member in members], negated=op == "notIn")

    def _present(self, node: Any, op: str, table: FieldTable, at: Path) -> Q:
        includes = op in ("includes", "notIncludes")
        _shaped(node, "op", "path", *(("value",) if includes else ()))
        if includes and (not isinstance(node["value"], str) or not node["value"].strip()):
            raise _Malformed
        self.literals += includes
        if (found := self._field(node["path"], op, table, (*at, "path"))) is None:
            return Q()
        if includes:
            if not found.accepts(node["value"]):
                return self.issue(
                    "invalid_literal", (*at, "value"), "The literal does not match the selected field type"
                )
            return _held(found, "contains", [node["value"]], negated=op == "notIncludes")
        there = Q(**{f"{found.lookup}__isnull": False})
        if found.kind == "A":
            there &= ~Q(**{found.lookup: []})
        return there if op == "exists" else ~there

    def _related(self, node: Any, table: FieldTable, at: Path, depth: int, inside: bool) -> Q:
        if len(node) != 1 or inside:
            raise _Malformed
        name, quantifier = next(iter(node.items()))
        if name not in table.related or not isinstance(quantifier, dict) or len(quantifier) != 1:
            raise _Malformed
        self.related += 1
        which, inner = next(iter(quantifier.items()))
        if which not in ("some", "none"):
            raise _Malformed
        found = self.visit(inner, table.related_tables[name], (*at, name, which), depth + 1, True)
        return table.related[name](which, found)


def _held(found: Field, lookup: str, value: Any, *, negated: bool) -> Q:
    """The comparison; a missing value fails it, and so passes its negation."""
    held = Q(**{f"{found.lookup}__{lookup}": value}) & Q(**{f"{found.lookup}__isnull": False})
    return ~held if negated else held
