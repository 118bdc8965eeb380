"""Which account a tenant uses for a provider: its own row, the row for everybody, then the environment."""

import logging
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q

from ground.invalidation import ProcessCache, announce
from inference.models import ProviderAccount
from inference.sealing import Unreadable

logger = logging.getLogger(__name__)

TOPIC = "models"


@dataclass(frozen=True, slots=True)
class Account:
    """One way to reach a provider. An empty base URL is the provider's own address."""

    base_url: str
    secret: str = field(repr=False)


Accounts = dict[str, Account]
_kept: ProcessCache[UUID, tuple[UUID, Accounts]] = ProcessCache(TOPIC, size=1024)


def accounts_of(tenant_id: UUID) -> Accounts:
    """The usable accounts by provider."""
    return _kept.load(tenant_id, lambda: (tenant_id, _loaded(tenant_id)), lambda loaded: loaded[0])[1]


def accounts_changed(tenant_id: UUID | None) -> None:
    """Say that a tenant's accounts (None: those of everybody) are not what they were."""
    announce(TOPIC, tenant_id)


def _loaded(tenant_id: UUID) -> Accounts:
    # The tenant's own row comes last and wins.
    rows = ProviderAccount.objects.filter(Q(tenant_id=tenant_id) | Q(tenant_id=None), is_active=True)
    found = _from_environment()
    for row in rows.order_by(F("tenant_id").asc(nulls_first=True)):
        try:
            found[row.provider] = Account(row.base_url, row.secret())
        except Unreadable:
            found.pop(row.provider, None)  # another key must not stand in for it
            logger.error("The key of %s cannot be read: its pepper is not in KEY_PEPPERS; enter it again.", row)
    return found


def _from_environment() -> Accounts:
    found: Accounts = {}
    if settings.OPENAI_BASE_URL or settings.OPENAI_API_KEY:
        found["openai"] = Account(settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY)
    if settings.ANTHROPIC_API_KEY:
        found["anthropic"] = Account("", settings.ANTHROPIC_API_KEY)
    if settings.GOOGLE_API_KEY:
        found["google"] = Account("", settings.GOOGLE_API_KEY)
    return found
