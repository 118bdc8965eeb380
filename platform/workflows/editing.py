"""Staff write workflows: who may, what is written down, and the word to every process."""

from collections.abc import Iterable

from django.db import transaction

from ground.errors import Forbidden
from ground.invalidation import announce
from identity.principal import Principal
from receipts import audit
from workflows.models import Workflow


@transaction.atomic
def save_workflow(principal: Principal, workflow: Workflow, *, changed: Iterable[str]) -> Workflow:
    """Keep a new or changed workflow, whose graph has been checked; `changed` are names of fields."""
    _check_writes(principal)
    workflow.tenant_id = principal.tenant_id
    workflow.full_clean()
    workflow.save()
    _told(principal, "save workflow", workflow, changed)
    return workflow


@transaction.atomic
def delete_workflow(principal: Principal, workflow: Workflow) -> None:
    """Remove a workflow with its versions."""
    _check_writes(principal)
    _told(principal, "delete workflow", workflow)
    workflow.delete()


def _check_writes(principal: Principal) -> None:
    if not principal.may("workflows:write"):
        raise Forbidden("workflows:write")


def _told(principal: Principal, operation: str, workflow: Workflow, changed: Iterable[str] = ()) -> None:
    announce("surface", workflow.tenant_id)
    audit.record(
        principal, door="admin", operation=operation, object_type="workflow", object_id=workflow.slug, changed=changed,
        outcome="ok", status=200,
    )  # fmt: skip
