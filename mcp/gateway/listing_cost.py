"""What a key's tools/list costs a model in tokens, with the router's three tools and without."""

from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

from credentials.authentication import credential_of
from credentials.models import ApiKey
from gateway.context import tokens_of
from gateway.surface import EVERYTHING, build
from ground.errors import Unauthenticated
from identity.principal import API_KEY, Credential, Principal
from identity.rights import principal_of


class Cost(NamedTuple):
    """Tokens, counted as context.TOKENIZER names it, and the tools that the key reaches."""

    routed: int
    listed: int
    tools: int


def cost_of(key: ApiKey) -> Cost | None:
    """For the key as its owner's rights are now; None when the owner may not come in."""
    return _cost(key.tenant_id, key.owner_id, credential_of(key))


def token_counts(tenant_id: UUID, owner_id: UUID, allowlist: frozenset[str]) -> tuple[int, int] | None:
    """For a key that is still being thought of: tokens with the router, and without."""
    cost = _cost(tenant_id, owner_id, Credential(API_KEY, "", "", allowlist=allowlist))
    return (cost.routed, cost.listed) if cost else None


def _cost(tenant_id: UUID, owner_id: UUID, credential: Credential) -> Cost | None:
    try:
        principal = principal_of(tenant_id, owner_id, credential)
    except Unauthenticated:
        return None
    routed, listed = (_surface_tokens(principal, router=router) for router in (True, False))
    return Cost(routed[0], listed[0], listed[1])


def _surface_tokens(principal: Principal, *, router: bool) -> tuple[int, int]:
    credential = replace(principal.credential, router=router)
    seen = build(replace(principal, credential=credential, _answers={}), EVERYTHING)
    return sum(tokens_of(page.decode()) for page in seen.pages), len(seen.offers)
