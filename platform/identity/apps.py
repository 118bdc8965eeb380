"""Who people are and what they may do."""

from django.apps import AppConfig


class IdentityConfig(AppConfig):
    """Tenants, departments, users, memberships, roles, grants, and the principal made of them."""

    name = "identity"
