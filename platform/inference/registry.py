"""Model ids: `provider/model` of a tenant, resolved to everything a call needs."""

from dataclasses import dataclass
from uuid import UUID

from ground.errors import Unprocessable
from inference.accounts import Account, accounts_of

OFFLINE = "offline/demo"
ID_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Target:
    """One model of one account; equal targets share their connections."""

    provider: str
    name: str
    account: Account

    @property
    def model_id(self) -> str:
        """The id callers know the model by."""
        return f"{self.provider}/{self.name}"

    @property
    def is_first_party(self) -> bool:
        """Whether the provider itself is reached, so that its price list applies."""
        return self.account.base_url in ("", "https://api.openai.com/v1")


def resolve(tenant_id: UUID, model_id: str) -> Target:
    """The target behind an id; Unprocessable, naming what there is, when the tenant has no such model."""
    accounts = accounts_of(tenant_id)
    provider, _, name = model_id.partition("/")
    if model_id == OFFLINE:
        return Target(provider, name, Account("", ""))
    if provider not in accounts or not name or len(model_id) > ID_CHARACTERS:
        raise Unprocessable(
            f"Unknown model {model_id[:ID_CHARACTERS]!r}; available: {', '.join(available(tenant_id))}."
        )
    return Target(provider, name, accounts[provider])


def available(tenant_id: UUID) -> list[str]:
    """What a tenant may write as a model id; `<model>` stands for any name the provider knows."""
    return [OFFLINE, *(f"{provider}/<model>" for provider in sorted(accounts_of(tenant_id)))]
