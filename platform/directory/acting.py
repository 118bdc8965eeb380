"""Who acts in a tenant for the audit and for the rule that nobody gives more than they have."""

from identity.models import Tenant, User
from identity.permissions import OWNER
from identity.principal import SESSION, Credential, Principal


def superuser_in(tenant: Tenant, user: User) -> Principal:
    """A superuser in a tenant: an owner's rights, without being a member."""
    return Principal(
        tenant_id=tenant.pk,
        tenant_slug=tenant.slug,
        tenant_name=tenant.name,
        user_id=user.pk,
        user_name=user.shown_name,
        user_email=user.email,
        membership_id=user.pk,
        role=OWNER,
        permissions=frozenset({"*"}),
        department_ids=frozenset(),
        credential=session_of(user),
    )


def session_of(user: User) -> Credential:
    """The credential of a signed-in person."""
    return Credential(SESSION, str(user.pk), user.username)
