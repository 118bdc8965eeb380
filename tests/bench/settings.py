"""The project's settings with sixty more tools, and workflows of trivial steps."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [*_APPS, "tests.bench.extra_tools"]
WORKFLOW_MODULES = ("tests.bench.flows",)
