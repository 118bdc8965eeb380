"""Finds a workflow for its caller, and pins what a run of it carries out: the graph, whole, with its functions."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from jsonschema_rs import Draft202012Validator

from ground.errors import Conflict, InvalidInput, NotFound
from ground.invalidation import ProcessCache
from identity.principal import Principal
from workflows import code, functions
from workflows.checking import read_graph
from workflows.graph import Node, entries, nodes_of
from workflows.graph_schema import MOST_DEPTH, MOST_STEPS
from workflows.models import CODE, STORED, Workflow, WorkflowVersion

MISSING = "Workflow not found"
UNSEEN: dict[str, Any] = {}  # stands for the graph of a workflow that the caller may not read


@dataclass(frozen=True, slots=True)
class Definition:
    """What a run carries out."""

    workflow_pk: UUID
    workflow_id: str
    tenant_id: UUID
    version_pk: int
    body: Mapping[str, Any]
    nodes: tuple[Node, ...]

    @property
    def changed(self) -> str | None:
        """What has other code, or another version, than this was pinned with: a function, or the workflow itself."""
        if version := self.body.get("version"):
            made = code.find(self.workflow_id)
            if made is None or made.options.get("version") != version:
                return self.workflow_id
            return next((name for name in self.body["functions"] if functions.function(name) is None), None)
        return next((name for name, digest in self.body["functions"].items() if functions.digest(name) != digest), None)


_found: ProcessCache[tuple[object, ...], Definition] = ProcessCache("surface", 4096, also=("rights",))
_keys: ProcessCache[tuple[object, ...], tuple[UUID, UUID]] = ProcessCache("surface", 4096, also=("rights",))
_furnished: ProcessCache[UUID, UUID] = ProcessCache("surface")


def furnish(tenant_id: UUID) -> None:
    """Give a tenant its rows for the workflows written in Python; asks once in a while, writes once."""
    _furnished.load(tenant_id, lambda: _furnish(tenant_id), lambda tenant: tenant)


def _furnish(tenant_id: UUID) -> UUID:
    known = set(Workflow.objects.filter(tenant_id=tenant_id).values_list("slug", flat=True))
    if missing := {slug: made for slug, made in code.workflows().items() if slug not in known}:
        rows = [
            Workflow(
                tenant_id=tenant_id, slug=slug, origin=CODE, name=made.options.get("name") or slug,
                description=made.options.get("description") or "",
            )
            for slug, made in missing.items()
        ]  # fmt: skip
        Workflow.objects.bulk_create(rows, ignore_conflicts=True)
    return tenant_id


def visible(principal: Principal, permission: str | None = None) -> Any:
    """The workflows that the caller may use with this permission; those in Python whose module is gone are left out."""
    furnish(principal.tenant_id)
    return Workflow.objects.visible_to(principal, permission).filter(
        Q(origin=STORED) | Q(slug__in=list(code.workflows()))
    )


def find_workflow(principal: Principal, workflow_id: str, permission: str | None = None) -> Workflow:
    """The visible workflow with this id; NotFound for a missing and a foreign one alike."""
    found: Workflow | None = visible(principal, permission).by_public_id(workflow_id).first()
    if found is None:
        raise NotFound(MISSING)
    return found


def find_workflow_pk(principal: Principal, workflow_id: str, permission: str | None = None) -> UUID:
    """As `find_workflow`, of which only the key is needed. No query while it is warm."""
    key = (principal.rights_key, workflow_id, permission)
    found = _keys.load(
        key, lambda: (principal.tenant_id, find_workflow(principal, workflow_id, permission).pk), lambda pair: pair[0]
    )
    return found[1]


def runnable(principal: Principal, workflow_id: str) -> Definition:
    """What a run that this caller starts now carries out. No query while it is warm."""
    key = (principal.rights_key, workflow_id)
    return _found.load(key, lambda: _runnable(principal, workflow_id), lambda found: found.tenant_id)


def _runnable(principal: Principal, workflow_id: str) -> Definition:
    workflow = find_workflow(principal, workflow_id, "workflows:execute")
    if not workflow.enabled:
        raise Conflict(f"Workflow {workflow.slug} is disabled; ask somebody who may edit it.")
    return pin(workflow, principal)


def pin(workflow: Workflow, principal: Principal | None = None) -> Definition:
    """The newest version of a workflow, made when its graph or the code of its functions is new.

    With a principal, the stored workflows inside it must be ones that the caller may carry out.
    """
    body = _Composer(workflow.tenant_id, principal).body(workflow)
    digest = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return definition_of(_version(workflow, digest, body).pk)


_composed: ProcessCache[tuple[object, ...], tuple[UUID, dict[str, Any]]] = ProcessCache(
    "surface", 4096, also=("rights",)
)


def composed(workflow: Workflow, principal: Principal | None = None) -> dict[str, Any]:
    """The newest body of a workflow, to look at; InvalidInput says why it could not run. Makes no version.

    With a principal, the steps of workflows inside it that the caller may not read are left out.
    """
    key = (workflow.pk, workflow.updated_at, principal and principal.rights_key)
    composer = _Composer(workflow.tenant_id, principal, "workflows:read")
    return _composed.load(key, lambda: (workflow.tenant_id, composer.body(workflow)), lambda found: found[0])[1]


def _version(workflow: Workflow, digest: str, body: dict[str, Any]) -> WorkflowVersion:
    while True:
        if (found := WorkflowVersion.objects.filter(workflow=workflow, digest=digest).first()) is not None:
            return found
        last = WorkflowVersion.objects.filter(workflow=workflow).aggregate(last=Max("number"))["last"] or 0
        try:
            with transaction.atomic():
                return WorkflowVersion.objects.create(workflow=workflow, digest=digest, number=last + 1, body=body)
        except IntegrityError:  # somebody else made it, or took the number
            continue


@lru_cache(maxsize=2048)
def definition_of(version_pk: int) -> Definition:
    """A pinned definition; versions never change."""
    code.load()  # the functions that it names
    row = WorkflowVersion.objects.select_related("workflow").get(pk=version_pk)
    workflow = row.workflow
    return Definition(workflow.pk, workflow.slug, workflow.tenant_id, row.pk, row.body, nodes_of(row.body))


def check_graph(workflow: Workflow) -> None:
    """Refuse a stored graph that could not run: InvalidInput names the places."""
    _Composer(workflow.tenant_id, None).body(workflow)


class _Composer:
    """Puts a graph together with those of the workflows inside it."""

    def __init__(self, tenant_id: UUID, principal: Principal | None, permission: str = "workflows:execute") -> None:
        self.tenant_id, self.principal, self.permission, self.steps = tenant_id, principal, permission, 0

    def body(self, workflow: Workflow) -> dict[str, Any]:
        """The whole body of a workflow, with the digests of its functions."""
        code.load()
        made = code.find(workflow.slug) if workflow.origin == CODE else None
        body = self._composed(workflow.slug, made.written() if made else workflow.graph, (workflow.slug,))
        if made is not None and made.options.get("version"):
            body["version"] = made.options["version"]
        names = dict.fromkeys(_functions(body))
        body["functions"] = {name: "" if "version" in body else functions.digest(name) for name in names}
        return body

    def _composed(self, slug: str, written: Any, above: tuple[str, ...]) -> dict[str, Any]:
        if written is UNSEEN:
            return {"id": slug, "steps": []}
        graph = read_graph(slug, written)
        graph["steps"] = [self._expanded(entry, above) for entry in graph["steps"]]
        self.steps += sum(1 for _ in entries(graph))
        if self.steps > MOST_STEPS:
            raise InvalidInput(
                f"Workflow {above[0]} has more than {MOST_STEPS} steps with those of the workflows in it."
            )
        return {"id": slug, **graph}

    def _expanded(self, entry: dict[str, Any], above: tuple[str, ...]) -> dict[str, Any]:
        if "steps" in entry:
            return {**entry, "steps": [self._expanded(inner, above) for inner in entry["steps"]]}
        if entry["type"] in ("foreach", "loop"):
            return {**entry, "step": self._expanded(entry["step"], above)}
        if entry["type"] != "workflow":
            return entry
        slug = entry["workflowId"]
        if slug in above:
            raise InvalidInput(f"Workflow {above[0]} contains itself, by way of {' → '.join((*above, slug))}.")
        if len(above) >= MOST_DEPTH:
            raise InvalidInput(f"Workflow {above[0]} nests workflows more than {MOST_DEPTH} deep.")
        return {**entry, "body": self._composed(slug, self._written(slug, above[0]), (*above, slug))}

    def _written(self, slug: str, outer: str) -> Any:
        if self.principal is None:
            row = Workflow.objects.filter(tenant_id=self.tenant_id, slug=slug).first()
        else:
            row = visible(self.principal, self.permission).by_public_id(slug).first()
            if row is None and self.permission == "workflows:read":
                return UNSEEN
        made = code.find(slug)
        runs = self.principal is not None and self.permission == "workflows:execute"
        if row is not None and not row.enabled and runs:
            raise InvalidInput(f"Workflow {outer} contains the workflow {slug}, which is disabled.")
        if row is not None and row.origin != CODE:
            return row.graph
        if made is None or (row is None and self.principal is not None):
            raise InvalidInput(
                f"Workflow {outer} contains the workflow {slug}, which does not exist or is not yours to use."
            )
        return made.written()


def _functions(body: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for entry in entries(body):
        if entry["type"] == "step" and "function" in entry["step"]:
            found.append(entry["step"]["function"])
        if entry["type"] == "workflow":
            found += _functions(entry["body"])
        for value in (
            *entry.get("conditions", ()),
            *(entry[name] for name in ("condition", "mapping", "duration", "date", "input") if name in entry),
        ):
            if isinstance(value, Mapping) and set(value) == {"function"}:
                found.append(str(value["function"]))
        if (
            entry["type"] == "step"
            and isinstance(mapping := entry["step"].get("input"), Mapping)
            and set(mapping) == {"function"}
        ):
            found.append(str(mapping["function"]))
    return [name for name in found if functions.function(name) is not None]


@lru_cache(maxsize=1024)
def _validator(schema: bytes) -> Draft202012Validator:
    return Draft202012Validator(orjson.loads(schema))


def input_fault(body: Mapping[str, Any], value: Any) -> str | None:
    """Why a workflow does not take this input: one sentence with a line for each fault; None when it does."""
    schema = body.get("inputSchema")
    if schema is None:
        return None
    faults = list(schema_faults(schema, value))
    return "Invalid input data: \n" + "\n".join(f"- {at}: {message}" for at, message in faults) if faults else None


def schema_faults(schema: Any, value: Any) -> list[tuple[str, str]]:
    """Where a value breaks a schema, and how, at most 20."""
    validator = _validator(orjson.dumps(schema))
    if validator.is_valid(value):
        return []
    found = validator.iter_errors(value)
    return [
        (".".join(map(str, failure.instance_path)), failure.message[:300])
        for failure, _ in zip(found, range(20), strict=False)
    ]
