"""What a call costs, from the price list that comes with the model library; nothing is looked up anywhere else."""

from __future__ import annotations

from averment.llm.provider import OWN, ModelChoice


def price_of(choice: ModelChoice, tokens_in: int, tokens_out: int) -> float | None:
    """The price of so many tokens in US dollars; None for an endpoint of the user's own, and for unknown models."""
    if choice.base_url is not None or choice.provider not in OWN or not OWN[choice.provider].priced:
        return None
    try:
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        return float(calc_price(usage, model_ref=choice.model, provider_id=choice.provider).total_price)
    except (ImportError, LookupError, ValueError):
        return None
