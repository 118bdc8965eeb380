"""Fixtures of all tests: one real database for the whole session, and the cast."""

from collections.abc import Iterator

import pytest
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from tests.cast import Cast, make_cast


@pytest.fixture(scope="session", autouse=True)
def real_database(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Everything is committed: calls run in threads with connections of their own, as they do in production.

    So every test makes its own tenant and counts inside it alone.
    """
    with django_db_blocker.unblock():
        created = setup_databases(verbosity=0, interactive=False)
        try:
            yield
        finally:
            teardown_databases(created, verbosity=0)


@pytest.fixture
def cast() -> Cast:
    """Fresh people in two fresh tenants."""
    return make_cast()
