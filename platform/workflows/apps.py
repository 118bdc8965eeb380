"""Workflows: graphs of steps whose runs survive whatever happens to a process."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    """Definitions, runs, steps."""

    name = "workflows"

    def ready(self) -> None:
        from api import references
        from workflows import code
        from workflows.definitions import find_workflow  # models are ready only now

        code.load()  # a workflow that cannot be read stops the start
        references.register("workflow", find_workflow)
