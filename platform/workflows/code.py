"""The workflows written in Python, found in the modules that WORKFLOW_MODULES names."""

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from workflows.builder import Workflow

_workflows: dict[str, "Workflow"] = {}


def register(made: "Workflow") -> None:
    """Make a workflow known by its id; ImproperlyConfigured when another has it."""
    if _workflows.setdefault(made.id, made) is not made:
        raise ImproperlyConfigured(f"Two workflows written in Python are called {made.id}; rename one.")


@lru_cache(maxsize=1)
def load() -> None:
    """Import the modules once; a module that cannot be read is named."""
    for name in ("workflows.shipped", *settings.WORKFLOW_MODULES):
        try:
            import_module(name)
        except ImportError as failure:
            raise ImproperlyConfigured(
                f"WORKFLOW_MODULES names {name}, which cannot be imported: {failure}"
            ) from failure


def workflows() -> dict[str, "Workflow"]:
    """Every workflow written in Python, by id."""
    load()
    return _workflows


def find(workflow_id: str) -> "Workflow | None":
    """The workflow of this id."""
    return workflows().get(workflow_id)
