"""What a call cost, from the price list that ships with the libraries; never asked for over the network."""

from decimal import Decimal

from genai_prices import calc_price
from pydantic_ai.usage import RequestUsage, RunUsage

from inference.registry import OFFLINE, Target


def cost_of(target: Target, usage: RequestUsage | RunUsage) -> Decimal | None:
    """The cost in US dollars; None when the model's price is not known (another server, an unlisted model)."""
    if target.model_id == OFFLINE:
        return Decimal(0)
    if not target.is_first_party:
        return None
    try:
        return calc_price(usage, target.name, provider_id=target.provider).total_price
    except LookupError:
        return None
