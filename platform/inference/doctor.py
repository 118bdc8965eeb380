"""Checks of the models: whether keys can be read and addresses be reached."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.db import Error
from psycopg_pool import PoolTimeout

from inference.models import ProviderAccount
from inference.sealing import Unreadable
from launch.doctor import Check

REACH_SECONDS = 2.0


def checks() -> Iterator[Check]:
    """One line for the environment, one for each active account."""
    yield _environment()
    try:
        accounts = list(ProviderAccount.objects.filter(is_active=True).select_related("tenant"))
    except (Error, PoolTimeout):
        yield Check("provider accounts", False, "cannot be read without the database; mend that first")
        return
    for account in accounts:
        yield _account(account)


def _environment() -> Check:
    if settings.OPENAI_BASE_URL:
        return _reached("OPENAI_BASE_URL", settings.OPENAI_BASE_URL)
    if settings.OPENAI_API_KEY or settings.ANTHROPIC_API_KEY or settings.GOOGLE_API_KEY:
        return Check("models", True, "keys of the environment are used")
    return Check("models", True, "offline/demo needs nothing; set OPENAI_BASE_URL or a key for more")


def _account(account: ProviderAccount) -> Check:
    name = f"account {account}"
    try:
        account.secret()
    except Unreadable:
        return Check(name, False, "its key was sealed with a pepper that KEY_PEPPERS no longer holds; enter it again")
    return _reached(name, account.base_url) if account.base_url else Check(name, True, "its key can be read")


def _reached(name: str, url: str) -> Check:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=REACH_SECONDS).close()
    except OSError:
        return Check(name, False, f"{parts.hostname}:{port} does not answer; start it, or correct the address")
    return Check(name, True, f"{parts.hostname}:{port} answers")
