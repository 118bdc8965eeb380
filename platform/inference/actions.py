"""Changing provider accounts; every process forgets what it knew of them."""

from django.db import transaction

from inference.accounts import accounts_changed
from inference.models import ProviderAccount


def keep_account(account: ProviderAccount, *, secret: str | None = None) -> ProviderAccount:
    """Save the account; `secret` None keeps the key it has, an empty one removes it."""
    with transaction.atomic():
        if secret is not None:
            account.keep_secret(secret)
        account.save()
        accounts_changed(None)  # it may have moved from one tenant to another
    return account


def drop_account(account: ProviderAccount) -> None:
    """Delete the account and its key."""
    with transaction.atomic():
        account.delete()
        accounts_changed(None)
