"""Agents of the cast, and a models server that its tenant reaches."""

import pytest

from agents.actions import create_agent
from agents.models import Agent
from tests.cast import Cast
from tests.inference.conftest import models

__all__ = ["models"]


@pytest.fixture
def helper(cast: Cast) -> Agent:
    """A public agent of the whole tenant that answers offline."""
    return create_agent(
        cast.ana.principal,
        slug="helper",
        name="Helper",
        description="Helps with invoices.",
        instructions="You help with invoices. Invoices are paid within 14 days.",
        tools=["current_time"],
    )
