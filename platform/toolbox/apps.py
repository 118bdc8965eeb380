"""The toolbox: tools that are Python functions, and who may use them."""

from django.apps import AppConfig


class ToolboxConfig(AppConfig):
    """Declared tools, their rows, their execution."""

    name = "toolbox"

    def ready(self) -> None:
        from api import references
        from toolbox.registry import declared
        from toolbox.rows import find_tool  # models are ready only now
        from toolbox.shipped.public_addresses import check_networks

        check_networks()
        declared()  # a tool that cannot be used stops the start
        references.register("tool", find_tool)
