"""How large a definition, and the texts and values in it, may be. All of it can be set by the operator."""

from dataclasses import dataclass

from weft.model.expression_tokens import Limits as ExpressionLimits


@dataclass(frozen=True, slots=True)
class Limits(ExpressionLimits):
    """Those of an expression (`source` text, `nesting`, `steps`, `value` bytes) hold for the whole definition too.

    `nesting` bounds activities and guards inside one another, `value` what is written inline, `json` a text to load.
    """

    activities: int = 1_000_000
    json: int = 1_073_741_824
