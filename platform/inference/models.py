"""Where a provider's models are reached, and with which key: for one tenant, or for all of them."""

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import models

from ground.uuid7 import uuid7
from inference.sealing import seal, unseal


def check_base_url(url: str) -> None:
    """Only http and https addresses without credentials in them."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ValidationError(
            "Write an http or https address without a user name, such as https://models.example.com/v1."
        )


class ProviderAccount(models.Model):
    """A base URL and a key of one provider; edited by superusers, the key never shown again."""

    PROVIDERS = [("openai", "OpenAI-compatible"), ("anthropic", "Anthropic"), ("google", "Google")]

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(
        "identity.Tenant", null=True, blank=True, on_delete=models.CASCADE, related_name="+",
        help_text="Empty: for every tenant that has no account of its own.",
    )  # fmt: skip
    provider = models.CharField(max_length=20, choices=PROVIDERS)
    base_url = models.CharField(
        "base URL", max_length=500, blank=True, validators=[check_base_url],
        help_text="Empty: the provider's own address.",
    )  # fmt: skip
    sealed_secret = models.TextField(blank=True, editable=False)
    is_active = models.BooleanField("active", default=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("provider", "tenant", "id")
        constraints = [
            models.UniqueConstraint(
                fields=("tenant", "provider"), nulls_distinct=False, name="one_account_a_tenant_and_provider"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_provider_display()} for {self.tenant or 'all tenants'}"

    @property
    def has_secret(self) -> bool:
        """Whether a key is kept."""
        return bool(self.sealed_secret)

    def keep_secret(self, secret: str) -> None:
        """Take the key into the row, sealed; the caller saves."""
        self.sealed_secret = seal(secret)

    def secret(self) -> str:
        """The key, for the call to the provider and for nothing else."""
        return unseal(self.sealed_secret)
