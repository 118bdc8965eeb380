"""The demo's keys: one for each role, a router key and a read-only key of the owner."""

from typing import Any

from credentials.actions import issue_key
from credentials.policy import router_permission
from identity.models import Tenant, User
from identity.permissions import ADMIN, MEMBER, OPERATOR, OWNER, VIEWER
from identity.principal import SESSION, Credential
from identity.rights import principal_of


def make(context: Any) -> None:
    """Issue them; their plaintext stands in demo.json alone."""
    made = context.made
    people, tenant = made["people"], made["tenant"]
    roles = (OWNER, ADMIN, OPERATOR, MEMBER, VIEWER)
    people[OWNER].user_permissions.add(router_permission())
    context.facts["keys"] = {
        **{role: _key(tenant, people[OWNER], people[role], f"Demo {role}", ["*"]) for role in roles},
        "router": _key(tenant, people[OWNER], people[OWNER], "Demo router", ["*", "execute_tool"]),
        "readonly": _key(tenant, people[OWNER], people[OWNER], "Demo read-only", ["*"], read_only=True),
    }
    others, other = made["other_people"], made["other_tenant"]
    context.facts["other"] = {
        **context.facts.get("other", {}),
        "keys": {role: _key(other, others[OWNER], others[role], f"Demo {role}", ["*"]) for role in (OWNER, MEMBER)},
    }


def _key(tenant: Tenant, issuer: User, owner: User, name: str, allowlist: list[str], **policy: Any) -> str:
    principal = principal_of(tenant.id, issuer.id, Credential(SESSION, "demo", "demo"))
    return issue_key(principal, owner=owner, name=name, allowlist=allowlist, **policy)[1]
